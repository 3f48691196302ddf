// SPDX-License-Identifier: BSD-3-Clause
// The shifts of bins of upright regions.
#ifndef IMPL_CPU_ENGINE_ROI_SHIFTS_HPP_
#define IMPL_CPU_ENGINE_ROI_SHIFTS_HPP_

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/roi/operands.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

// The offsets [R, 2, PH, PW] of a grid in float64; without offsets all shifts are 0.
class BinShifts {
 public:
  struct Shift {
    Coordinate y, x;
  };

  Status read(diopiContextHandle_t ctx, const RoiGrid& grid) {
    given_ = grid.offset;
    gamma_ = grid.gamma;
    if (given_ == nullptr) return diopiSuccess;
    bins_ = given_->shape[2] * given_->shape[3];
    return make_temporary(ctx, given_->shape, diopi_dtype_float64, &used_);
  }
  void load() const {
    if (given_ != nullptr) copy_view(used_, *given_);
  }
  Shift of(const UprightRegion& region, int64_t r, int64_t bin) const {
    const Coordinate none(0, region.height().narrow);
    if (given_ == nullptr) return {none, none};
    const double* x = used_.ptr<double>() + r * 2 * bins_ + bin;
    return {region.height() * gamma_ * x[bins_], region.width() * gamma_ * x[0]};
  }

 private:
  const TensorView* given_ = nullptr;
  TensorView used_;
  double gamma_ = 0;
  int64_t bins_ = 0;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_SHIFTS_HPP_
