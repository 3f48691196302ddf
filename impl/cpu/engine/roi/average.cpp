// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/roi/orientation.hpp"
#include "impl/cpu/engine/roi/shifts.hpp"
#include "impl/cpu/engine/roi/walk.hpp"

namespace impl::cpu {

namespace {

// Calls use(make, add) with functions that make a region and add the taps of its bins.
template <typename Use>
void with_regions(const RoiGrid& grid, const RegionBins& all, const BinShifts& shifts, const Use& use) {
  const RegionFrame& frame = all.frame;
  const int64_t bins_x = frame.bins_x;
  const auto add = [&](const auto& region, int64_t /*r*/, int64_t bin, auto* run) {
    region.add_bin(bin / bins_x, bin % bins_x, run);
  };
  switch (grid.kind) {
    case RoiKind::kRotated:
      return use([&](int64_t r) { return RotatedRegion(frame, grid.clockwise, all.rois.row(r)); }, add);
    case RoiKind::kExact:
      return use([&](int64_t r) { return ExactRegion(frame, all.rois.row(r)); }, add);
    default:
      return use([&](int64_t r) { return UprightRegion(frame, all.rois.row(r)); },
                 [&](const UprightRegion& region, int64_t r, int64_t bin, auto* run) {
                   const auto by = shifts.of(region, r, bin);
                   region.add_bin(bin / bins_x, bin % bins_x, by.y, by.x, run);
                 });
  }
}

}  // namespace

Status run_roi_average(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& input,
                       const TensorView& rois) {
  if (out.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(input.dtype);
  ChannelRows to, from;
  RegionRows regions;
  BinShifts shifts;
  DIOPI_TRY(to.write(ctx, out, dtype));
  DIOPI_TRY(from.read(ctx, input, dtype));
  DIOPI_TRY(regions.read(ctx, rois));
  DIOPI_TRY(shifts.read(ctx, grid));
  TurnedRows turned;
  DIOPI_TRY(turned.make(ctx, grid, out, to));
  from.load();
  regions.load();
  shifts.load();
  turned.rows().clear();
  const RegionFrame frame = frame_of(grid, input, out);
  const RegionBins all{regions, frame};
  with_regions(grid, all, shifts,
               [&](const auto& make, const auto& add) { gather_bins(all, turned.rows(), from, make, add); });
  turned.turn(regions);
  to.store();
  return diopiSuccess;
}

Status run_roi_average_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& rois) {
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  ChannelRows to, from;
  RegionRows regions;
  BinShifts shifts;
  DIOPI_TRY(to.write(ctx, grad_input, dtype));
  DIOPI_TRY(from.read(ctx, grad_output, dtype));
  DIOPI_TRY(regions.read(ctx, rois));
  DIOPI_TRY(shifts.read(ctx, grid));
  TurnedRows turned;
  DIOPI_TRY(turned.make(ctx, grid, grad_output, from));
  from.load();
  regions.load();
  shifts.load();
  turned.turn_back(regions);
  to.clear();
  const RegionFrame frame = frame_of(grid, grad_input, grad_output);
  const RegionBins all{regions, frame};
  with_regions(grid, all, shifts, [&](const auto& make, const auto& add) {
    scatter_bins(all, grad_input.shape[0], to, turned.rows(), make, add);
  });
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
