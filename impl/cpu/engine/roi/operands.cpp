// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/roi/operands.hpp"

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

namespace {

diopi::Dims row_strides(const diopi::Dims& shape) {
  diopi::Dims stride;
  stride.push_back(shape[2] * shape[3] * shape[1]);
  stride.push_back(1);
  stride.push_back(shape[3] * shape[1]);
  stride.push_back(shape[1]);
  return stride;
}

bool has_strides(const TensorView& view, const diopi::Dims& stride) {
  for (int dim = 0; dim < view.ndim(); ++dim) {
    if (view.shape[dim] > 1 && view.stride[dim] != stride[dim]) return false;
  }
  return true;
}

}  // namespace

Status ChannelRows::write(diopiContextHandle_t ctx, const TensorView& given, diopiDtype_t dtype) {
  given_ = used_ = given;
  if (given.dtype == dtype && has_strides(given, row_strides(given.shape))) return diopiSuccess;
  return make(ctx, given, dtype);
}

Status ChannelRows::make(diopiContextHandle_t ctx, const TensorView& given, diopiDtype_t dtype) {
  given_ = given;
  DIOPI_TRY(make_temporary(ctx, given.shape, dtype, &used_));
  used_.stride = row_strides(given.shape);
  return diopiSuccess;
}

void ChannelRows::load() const {
  if (used_.data != given_.data) copy_view(used_, given_);
}

void ChannelRows::load(const TensorView& elements) const { copy_view(used_, elements); }

void ChannelRows::clear() const { fill_zero(used_); }

void ChannelRows::store() const {
  if (used_.data != given_.data) copy_view(given_, used_);
}

Status RegionRows::read(diopiContextHandle_t ctx, const TensorView& given) {
  given_ = given;
  return make_temporary(ctx, given.shape, diopi_dtype_float64, &used_);
}

Status RegionRows::number(diopiContextHandle_t ctx, int64_t count) {
  diopi::Dims shape;
  shape.push_back(count);
  shape.push_back(1);
  DIOPI_TRY(make_temporary(ctx, shape, diopi_dtype_float64, &used_));
  for (int64_t r = 0; r < count; ++r) used_.ptr<double>()[r] = static_cast<double>(r);
  return diopiSuccess;
}

void RegionRows::load() const { copy_view(used_, given_); }

RegionFrame frame_of(const RoiGrid& grid, const TensorView& image, const TensorView& bins) {
  return {image.shape[2],        image.shape[3], bins.shape[2],
          bins.shape[3],         grid.scale,     grid.shift,
          grid.at_least_one,     grid.ratio,     image.dtype != diopi_dtype_float64,
          grid.counts_in_float32};
}

Status check_images(diopiContextHandle_t /*ctx*/, const TensorView& rois, int64_t images) {
  if (rois.numel == 0) return diopiSuccess;
  const TensorView column = rois.select(1, 0);
  Status status;
  int64_t row = 0;
  all_ranges<double>(column, [&](const double* values, int64_t count) {
    for (int64_t i = 0; i < count; ++i, ++row) {
      if (diopi::is_image(values[i], images)) continue;
      status = diopi::refuse_image(values[i], row, images);
      return false;
    }
    return true;
  });
  return status;
}

}  // namespace impl::cpu
