// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rows/packed_plan.hpp"

#include <algorithm>

namespace impl::cuda {

namespace {

constexpr int kWarpLanes = 32;
constexpr int64_t kManyThreads = int64_t{1} << 17;  // about as many as give a large GPU enough loads in flight
constexpr int kUsualElements = 16;                  // of a thread

int least_lanes(const PackedShape& shape, int lanes, int most, int elements) {
  while (lanes < most && int64_t{lanes} * elements < shape.length) lanes *= 2;
  return lanes;
}

// More lanes while there are few threads.
int lanes_for_many(const PackedShape& shape, int lanes, int most, int64_t threads) {
  const int least = shape.wide || shape.across ? shape.items : 1;
  while (lanes < most && shape.rows * lanes < threads && int64_t{2} * lanes * least <= shape.length) lanes *= 2;
  return lanes;
}

// Adjacent threads have adjacent rows; some of them share one through shared memory.
int lanes_across(const PackedShape& shape) {
  constexpr int kMostLanes = 16;
  const int lanes = least_lanes(shape, 1, kMostLanes, shape.most_held);
  return lanes_for_many(shape, lanes, kMostLanes, kManyThreads / 2);
}

// The lanes of a row are in one warp if their elements fit it. Lanes that read single elements are so many that a warp
// reads adjacent ones.
int lanes_along(const PackedShape& shape) {
  constexpr int kLeastAlone = 8;
  const int usual = std::min(shape.most_held, kUsualElements);
  int lanes = least_lanes(shape, 1, kWarpLanes, usual);
  if (!shape.wide) lanes = std::max(lanes, least_lanes(shape, 1, kLeastAlone, 1));
  lanes = lanes_for_many(shape, lanes, kWarpLanes, kManyThreads);
  const int64_t most = int64_t{kWarpLanes} * (shape.rows * kWarpLanes < kManyThreads ? usual : shape.most_held);
  if (lanes < kWarpLanes || shape.length <= most) return lanes;
  lanes = least_lanes(shape, lanes, shape.most_lanes, shape.most_held);
  return shape.rows * lanes < kManyThreads ? least_lanes(shape, lanes, shape.most_lanes, usual) : lanes;
}

}  // namespace

PackedPlan plan_packed_rows(const PackedShape& shape) {
  constexpr int kFewThreads = 128;
  PackedPlan plan;
  plan.lanes = shape.across ? lanes_across(shape) : lanes_along(shape);
  const int64_t each = int64_t{plan.lanes} * shape.items;
  plan.packs = static_cast<int>((shape.length + each - 1) / each);
  const bool many = shape.rows * plan.lanes >= 2 * kManyThreads;
  plan.threads = std::max(plan.lanes, many ? kMostAcrossThreads : kFewThreads);
  const int64_t slots = plan.threads / plan.lanes;
  plan.blocks = (shape.rows + slots - 1) / slots;
  return plan;
}

}  // namespace impl::cuda
