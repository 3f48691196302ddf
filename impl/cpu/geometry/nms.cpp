// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/geometry/nms.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/geometry/nms.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Marks the boxes of [begin, end) that box i drops. min and max take the first operand where the second one is NaN.
void drop_overlapping(const NmsBoxes& b, int64_t i, int64_t begin, int64_t end, uint8_t* dropped) {
  const hn::ScalableTag<double> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto larger = [](auto x, auto y) HWY_ATTR { return hn::IfThenElse(hn::Lt(x, y), y, x); };
  const auto smaller = [](auto x, auto y) HWY_ATTR { return hn::IfThenElse(hn::Lt(y, x), y, x); };
  const auto x1 = hn::Set(d, b.x1[i]), y1 = hn::Set(d, b.y1[i]), x2 = hn::Set(d, b.x2[i]), y2 = hn::Set(d, b.y2[i]);
  const auto area = hn::Set(d, b.area[i]), threshold = hn::Set(d, b.threshold), margin = hn::Set(d, b.margin);
  for (int64_t j = begin; j < end; j += lanes) {
    const int64_t count = std::min(lanes, end - j);
    const auto load = [&](const double* p) HWY_ATTR { return hn::LoadU(d, p + j); };
    const auto w = hn::Add(hn::Sub(smaller(x2, load(b.x2)), larger(x1, load(b.x1))), margin);
    const auto h = hn::Add(hn::Sub(smaller(y2, load(b.y2)), larger(y1, load(b.y1))), margin);
    const auto inter = hn::Mul(larger(hn::Zero(d), w), larger(hn::Zero(d), h));
    const auto joined = hn::Sub(hn::Add(area, load(b.area)), inter);
    const auto over = hn::Gt(hn::Div(inter, joined), threshold);
    if (hn::AllFalse(d, over)) continue;
    uint8_t bits[8] = {};
    hn::StoreMaskBits(d, over, bits);
    for (int64_t k = 0; k < count; ++k) dropped[j + k] |= (bits[0] >> k) & 1;
  }
}

using DropFn = void (*)(const NmsBoxes& b, int64_t i, int64_t begin, int64_t end, uint8_t* dropped);
DropFn GetDrop() { return drop_overlapping; }

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
namespace {

HWY_EXPORT(GetDrop);

}  // namespace

int64_t suppress_boxes(const NmsBoxes& boxes, int64_t n, uint8_t* dropped, int64_t* kept) {
  const auto drop = HWY_DYNAMIC_DISPATCH(GetDrop)();
  return greedy_suppression(
      n, {1000}, dropped, kept,
      [drop, &boxes](int64_t i, int64_t begin, int64_t end, uint8_t* d) { drop(boxes, i, begin, end, d); });
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
