// SPDX-License-Identifier: BSD-3-Clause
// Channels of orientations, which turn with the angle of a region.
#ifndef IMPL_CPU_ENGINE_ROI_ORIENTATION_HPP_
#define IMPL_CPU_ENGINE_ROI_ORIENTATION_HPP_

#include "impl/cpu/engine/roi/operands.hpp"

namespace impl::cpu {

// The rows of bins before their channels are turned; if a grid has one orientation, the given rows themselves.
class TurnedRows {
 public:
  // `given`: the rows of `tensor`. It must outlive this object.
  Status make(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& tensor, const ChannelRows& given);
  const ChannelRows& rows() const { return orientations_ > 1 ? plain_ : *given_; }
  // given = turned rows. Orientation o of a region gets (1 - part) of orientation i and part of i + 1, see the
  // registry.
  void turn(const RegionRows& rois) const;
  // The adjoint: rows = given, turned back.
  void turn_back(const RegionRows& rois) const;

 private:
  ChannelRows plain_;
  const ChannelRows* given_ = nullptr;
  int64_t orientations_ = 1;
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_ORIENTATION_HPP_
