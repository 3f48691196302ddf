// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/furthest_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/cpu/engine/carver.hpp"
#include "impl/cpu/sort/keys.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/points/furthest_blocks.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/points/squares-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kBlock = FurthestBlocks::kBlock;
using Tag = hn::ScalableTag<float>;
using IndexTag = hn::RebindToSigned<Tag>;

HWY_INLINE int64_t lanes() { return static_cast<int64_t>(hn::Lanes(Tag())); }

// Sets the greatest distance of a block, and the lowest index that has it. NaN is not greater than any number.
void find_most(const FurthestBlocks& b, int64_t block) {
  const Tag d;
  const IndexTag di;
  const float* least = b.least + block * kBlock;
  const int32_t* index = b.index + block * kBlock;
  auto most = hn::Set(d, -std::numeric_limits<float>::infinity());
  for (int64_t i = 0; i < kBlock; i += lanes()) {
    const auto v = hn::LoadU(d, least + i);
    most = hn::IfThenElse(hn::Gt(v, most), v, most);
  }
  most = hn::MaxOfLanes(d, most);
  auto where = hn::Set(di, std::numeric_limits<int32_t>::max());
  for (int64_t i = 0; i < kBlock; i += lanes()) {
    const auto has_it = hn::RebindMask(di, hn::Eq(hn::LoadU(d, least + i), most));
    where = hn::Min(where, hn::IfThenElse(has_it, hn::LoadU(di, index + i), where));
  }
  b.most[block] = hn::GetLane(most);
  b.where[block] = hn::GetLane(hn::MinOfLanes(di, where));
}

// Reduces the distances of a block to those from a point.
void add_pick(const FurthestBlocks& b, const float* centre, int64_t block) {
  const Tag d;
  const float* sorted = b.sorted + block * kBlock;
  float* least = b.least + block * kBlock;
  for (int64_t i = 0; i < kBlock; i += lanes()) {
    const auto v = squares<3>(d, sorted, b.places(), centre, i), before = hn::LoadU(d, least + i);
    hn::StoreU(hn::IfThenElse(hn::Lt(v, before), v, before), d, least + i);
  }
  find_most(b, block);
}

// The squared distances of a point from the boxes of the blocks from `first` on.
HWY_INLINE hn::Vec<Tag> box_squares(const FurthestBlocks& b, const float* centre, int64_t first) {
  const Tag d;
  hn::Vec<Tag> square[3];
  for (int dim = 0; dim < 3; ++dim) {
    const auto at = hn::Set(d, centre[dim]);
    const auto below = hn::Sub(hn::LoadU(d, b.low + dim * b.blocks + first), at);
    const auto above = hn::Sub(at, hn::LoadU(d, b.high + dim * b.blocks + first));
    const auto apart = hn::Max(hn::Max(below, above), hn::Zero(d));
    square[dim] = hn::Mul(apart, apart);
  }
  return hn::Add(hn::Add(square[0], square[1]), square[2]);
}

void add_pick(const FurthestBlocks& b, const float* centre) {
  const Tag d;
  for (int64_t first = 0; first < b.blocks; first += lanes()) {
    const auto near = hn::Lt(box_squares(b, centre, first), hn::LoadU(d, b.most + first));
    for_lanes(d, near, [&](int lane) { add_pick(b, centre, first + lane); });
  }
}

// The lowest index of the greatest distance above -1; 0 if there is none.
int32_t furthest(const FurthestBlocks& b) {
  const Tag d;
  const IndexTag di;
  auto most = hn::Set(d, -1.0f);
  auto where = hn::Zero(di);
  for (int64_t first = 0; first < b.blocks; first += lanes()) {
    const auto v = hn::LoadU(d, b.most + first);
    const auto at = hn::LoadU(di, b.where + first);
    const auto lower = hn::RebindMask(d, hn::Lt(at, where));
    const auto better = hn::Or(hn::Gt(v, most), hn::And(hn::Eq(v, most), lower));
    most = hn::IfThenElse(better, v, most);
    where = hn::IfThenElse(hn::RebindMask(di, better), at, where);
  }
  const auto greatest = hn::MaxOfLanes(d, most);
  const auto has_it = hn::RebindMask(di, hn::Eq(most, greatest));
  const auto none = hn::Set(di, std::numeric_limits<int32_t>::max());
  return hn::GetLane(hn::MinOfLanes(di, hn::IfThenElse(has_it, where, none)));
}

// Two zeros before each of the last ten bits.
HWY_INLINE uint32_t spread(uint32_t x) {
  x = (x | x << 16) & 0x030000FF;
  x = (x | x << 8) & 0x0300F00F;
  x = (x | x << 4) & 0x030C30C3;
  return (x | x << 2) & 0x09249249;
}

// Writes the key of each point: its Morton code, of ten bits for each dimension, and its index. Points with coordinates
// that are not finite have the greatest keys; returns the number of the others.
int64_t MakeKeys(const FurthestBlocks& b) {
  constexpr float kLast = 1023;
  float low[3], edge = 0;
  int64_t finite = 0;
  const float *x = b.planes, *y = x + b.count, *z = y + b.count;
  const auto is_finite = [&](int64_t i) { return std::isfinite(x[i]) && std::isfinite(y[i]) && std::isfinite(z[i]); };
  for (int dim = 0; dim < 3; ++dim) {
    float least = std::numeric_limits<float>::max(), most = -least;
    for (int64_t i = 0; i < b.count; ++i) {
      const float at = b.planes[dim * b.count + i];
      const bool counts = std::abs(at) <= std::numeric_limits<float>::max();
      least = std::min(least, counts ? at : least);
      most = std::max(most, counts ? at : most);
    }
    low[dim] = least;
    edge = std::max(edge, most - least);
  }
  float scale = kLast / edge;  // 0 if all points are in one cell
  if (!(scale <= std::numeric_limits<float>::max())) scale = 0;
  const auto cell = [&](int dim, float at) {
    return scale > 0 ? static_cast<uint32_t>(static_cast<int32_t>(std::min((at - low[dim]) * scale, kLast))) : 0;
  };
  for (int64_t i = 0; i < b.count; ++i) {
    uint32_t code = std::numeric_limits<uint32_t>::max();
    if (is_finite(i)) {
      code = spread(cell(0, x[i])) << 2 | spread(cell(1, y[i])) << 1 | spread(cell(2, z[i]));
      ++finite;
    }
    b.keys[i] = static_cast<uint64_t>(code) << 32 | static_cast<uint64_t>(i);
  }
  return finite;
}

void PickFurthest(const FurthestBlocks& b, int64_t picks, float* least, int32_t* index) {
  for (int64_t i = 0; i < b.places(); ++i) {
    b.least[i] = i < b.count ? least[b.index[i]] : std::numeric_limits<float>::quiet_NaN();
  }
  for (int64_t block = 0; block < b.blocks; ++block) find_most(b, block);
  int32_t last = 0;
  for (int64_t j = 0; j < picks; ++j) {
    index[j] = last;
    if (j + 1 == picks) continue;
    const float centre[3] = {b.planes[last], b.planes[b.count + last], b.planes[2 * b.count + last]};
    // The distances from other points are NaN, or infinity, which is less than no distance.
    if (std::isfinite(centre[0]) && std::isfinite(centre[1]) && std::isfinite(centre[2])) add_pick(b, centre);
    last = furthest(b);
  }
  for (int64_t i = 0; i < b.count; ++i) least[b.index[i]] = b.least[i];
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(PickFurthest);
HWY_EXPORT(MakeKeys);

FurthestBlocks::FurthestBlocks(const float* all, int64_t n, char* memory) : planes(all), count(n) {
  constexpr int64_t kLanes = 16;
  blocks = (count + kBlock * kLanes - 1) / (kBlock * kLanes) * kLanes;
  Carver carver(memory);
  sorted = carver.take<float>(3 * places());
  low = carver.take<float>(3 * blocks);
  high = carver.take<float>(3 * blocks);
  least = carver.take<float>(places());
  most = carver.take<float>(blocks);
  index = carver.take<int32_t>(places());
  where = carver.take<int32_t>(blocks);
  keys = carver.take<uint64_t>(count);
  bytes = carver.bytes();
}

// The points follow a curve through space, the Z curve of Morton codes, so those of a block are neighbours. Points with
// coordinates that are not finite are the last ones. They change no distance, and theirs do not change.
void FurthestBlocks::sort() const {
  const int64_t finite = HWY_DYNAMIC_DISPATCH(MakeKeys)(*this);
  sort_packed(keys, count);
  for (int64_t i = 0; i < places(); ++i) {
    index[i] = i < count ? static_cast<int32_t>(keys[i]) : std::numeric_limits<int32_t>::max();
  }
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (int dim = 0; dim < 3; ++dim) {
    const float* from = planes + dim * count;
    float* to = sorted + dim * places();
    for (int64_t i = 0; i < places(); ++i) to[i] = i < count ? from[index[i]] : 0;
    for (int64_t block = 0; block < blocks; ++block) {
      float least_of_all = kInfinity, most_of_all = -kInfinity;
      for (int64_t i = block * kBlock; i < std::min((block + 1) * kBlock, finite); ++i) {
        least_of_all = std::min(least_of_all, to[i]);
        most_of_all = std::max(most_of_all, to[i]);
      }
      low[dim * blocks + block] = least_of_all;
      high[dim * blocks + block] = most_of_all;
    }
  }
}

void pick_furthest(const FurthestBlocks& blocks, int64_t picks, float* least, int32_t* index) {
  HWY_DYNAMIC_DISPATCH(PickFurthest)(blocks, picks, least, index);
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
