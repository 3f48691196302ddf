// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/points/grids.hpp"

#include <limits>
#include <new>

#include "impl/common/workspace.hpp"

namespace impl::cpu {

namespace {

// The points of a batch on average.
int64_t per_batch(const SearchSize& size) { return size.points / std::max<int64_t>(size.batches, 1); }

}  // namespace

bool PointGrids::pays(const SearchSize& size) {
  if (size.batches == 0 || size.points > std::numeric_limits<int32_t>::max()) return false;
  const auto centres = static_cast<double>(size.centres), points = static_cast<double>(size.points);
  const double search = centres * static_cast<double>(size.search) + points * static_cast<double>(kPlace);
  const auto pair = static_cast<double>(size.pair), besides = static_cast<double>(size.besides);
  return search < centres * (static_cast<double>(per_batch(size)) * pair + besides);
}

diopi::Picoseconds PointGrids::per_centre(const SearchSize& size) const {
  return {grids_ != nullptr ? size.search : size.pair * (per_batch(size) + 64) + size.besides};
}

Status PointGrids::take_memory(diopiContextHandle_t ctx, diopiDtype_t dtype, const SearchSize& size) {
  diopi::Workspace workspace(ctx);
  itemsize_ = diopi::dtype_size(dtype);
  PointGrid* grids = nullptr;
  DIOPI_TRY(workspace.take(size.batches, &grids));
  DIOPI_TRY(workspace.take(size.batches, &first_));
  DIOPI_TRY(workspace.take_items(3 * size.points + kGridPadding, itemsize_, &all_.planes));
  DIOPI_TRY(workspace.take(size.points, &all_.index));
  DIOPI_TRY(workspace.take(size.points + 2 * size.batches, &all_.start));
  DIOPI_TRY(workspace.take(size.points, &all_.cell));
  for (int64_t b = 0; b < size.batches; ++b) new (grids + b) PointGrid();
  grids_ = grids;
  return diopiSuccess;
}

GridMemory PointGrids::memory(int64_t batch) const {
  const int64_t first = first_[batch];
  return {static_cast<char*>(all_.planes) + 3 * first * itemsize_, all_.index + first, all_.start + first + 2 * batch,
          all_.cell + first};
}

}  // namespace impl::cpu
