// SPDX-License-Identifier: BSD-3-Clause
// The operands of region operators in the dtypes and layouts of the kernels.
#ifndef IMPL_CPU_ENGINE_ROI_OPERANDS_HPP_
#define IMPL_CPU_ENGINE_ROI_OPERANDS_HPP_

#include "impl/common/engine/roi.hpp"
#include "impl/cpu/roi/regions.hpp"

namespace impl::cpu {

// A tensor [N, C, H, W] as rows of C channels without gaps, one row for each position: the tensor itself if it has this
// layout and `dtype`, or a copy.
class ChannelRows {
 public:
  Status write(diopiContextHandle_t ctx, const TensorView& given, diopiDtype_t dtype);
  // Makes a temporary of the shape of `given`, whatever its layout.
  Status make(diopiContextHandle_t ctx, const TensorView& given, diopiDtype_t dtype);
  // write(), and the elements of `given`. Nothing is copied before the temporaries of a call exist: see load().
  Status read(diopiContextHandle_t ctx, const TensorView& given, diopiDtype_t dtype) {
    return write(ctx, given, dtype);
  }
  void load() const;
  // Copies the elements of another tensor of the same shape.
  void load(const TensorView& elements) const;
  // Sets all elements to 0.
  void clear() const;
  // Copies a result from the copy to the given tensor.
  void store() const;

  int64_t channels() const { return used_.shape[1]; }
  int64_t rows() const { return used_.shape[2] * used_.shape[3]; }  // of an image
  diopiDtype_t dtype() const { return used_.dtype; }
  // The channels from `channel` on in the row `row` of an image.
  char* at(int64_t image, int64_t row, int64_t channel = 0) const {
    return used_.data + ((image * rows() + row) * channels() + channel) * used_.itemsize();
  }

 private:
  TensorView given_, used_;
};

// The rows of a tensor [R, n] of regions in float64, without gaps.
class RegionRows {
 public:
  Status read(diopiContextHandle_t ctx, const TensorView& given);
  // Makes `count` rows of one number, the number of the row.
  Status number(diopiContextHandle_t ctx, int64_t count);
  void load() const;
  int64_t count() const { return used_.shape[0]; }
  const double* row(int64_t r) const { return used_.ptr<double>() + r * used_.shape[1]; }
  int64_t image(int64_t r) const { return static_cast<int64_t>(row(r)[0]); }

 private:
  TensorView given_, used_;
};

RegionFrame frame_of(const RoiGrid& grid, const TensorView& image, const TensorView& bins);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_OPERANDS_HPP_
