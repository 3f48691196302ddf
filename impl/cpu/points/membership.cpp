// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/membership.hpp"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/points/membership.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int64_t kBlock = 64;  // points that are tested together

// Plain loops without branches, which the compiler vectorises for the target.

template <typename T>
struct BoxPlanes {
  const T *x, *y, *z, *half_x, *half_y, *half_z, *cosine, *sine;
  BoxPlanes(const void* planes, int64_t n) {
    const T** members[kBoxPlanes] = {&x, &y, &z, &half_x, &half_y, &half_z, &cosine, &sine};
    for (int k = 0; k < kBoxPlanes; ++k) *members[k] = static_cast<const T*>(planes) + k * n;
  }
};

template <typename T>
HWY_INLINE int is_inside(const BoxPlanes<T>& box, int64_t t, T x, T y, T z) {
  const T sx = x - box.x[t], sy = y - box.y[t], sz = z - box.z[t];
  const T lx = sx * box.cosine[t] - sy * box.sine[t], ly = sx * box.sine[t] + sy * box.cosine[t];
  return static_cast<int>(std::abs(sz) <= box.half_z[t]) & static_cast<int>(std::abs(lx) < box.half_x[t]) &
         static_cast<int>(std::abs(ly) < box.half_y[t]);
}

template <typename T>
void first_box(const BoxTest& test, int64_t begin, int64_t end, int32_t* out) {
  const BoxPlanes<T> boxes(test.boxes, test.count);
  T x[kBlock], y[kBlock], z[kBlock];
  int32_t found[kBlock];
  for (int64_t start = begin; start < end; start += kBlock) {
    const int64_t n = end - start < kBlock ? end - start : kBlock;
    const T* points = static_cast<const T*>(test.points) + 3 * start;
    for (int64_t p = 0; p < n; ++p) {
      x[p] = points[3 * p];
      y[p] = points[3 * p + 1];
      z[p] = points[3 * p + 2];
      found[p] = -1;
    }
    for (int64_t t = test.count - 1; t >= 0; --t) {
      for (int64_t p = 0; p < n; ++p) {
        found[p] = is_inside(boxes, t, x[p], y[p], z[p]) != 0 ? static_cast<int32_t>(t) : found[p];
      }
    }
    for (int64_t p = 0; p < n; ++p) out[start + p] = found[p];
  }
}

template <typename T>
void every_box(const BoxTest& test, int64_t begin, int64_t end, int32_t* out) {
  const BoxPlanes<T> boxes(test.boxes, test.count);
  for (int64_t p = begin; p < end; ++p) {
    const T* point = static_cast<const T*>(test.points) + 3 * p;
    const T x = point[0], y = point[1], z = point[2];
    int32_t* row = out + p * test.count;
    for (int64_t t = 0; t < test.count; ++t) row[t] = is_inside(boxes, t, x, y, z);
  }
}

// inside[p] = whether a quadrilateral contains point p, for the points of a block. corners[2 * k] and corners[2 * k +
// 1] are those of corner k.
template <typename T>
void test_polygon(const T (&corners)[8], const T* x, const T* y, T* inside) {
  const hn::ScalableTag<T> d;
  const auto zero = hn::Zero(d);
  for (int64_t p = 0; p < kBlock; p += static_cast<int64_t>(hn::Lanes(d))) {
    const auto px = hn::LoadU(d, x + p), py = hn::LoadU(d, y + p);
    auto open = hn::Eq(zero, zero), odd = hn::Lt(zero, zero);
    for (int k = 0, before = 3; k < 4; before = k++) {
      const T y_here = corners[2 * k + 1], y_before = corners[2 * before + 1];
      const auto sx = hn::Set(d, corners[2 * k]), sy = hn::Set(d, y_here);
      const auto tx = hn::Set(d, corners[2 * before]), ty = hn::Set(d, y_before);
      const auto low = hn::Set(d, y_here < y_before ? y_here : y_before),
                 high = hn::Set(d, y_here < y_before ? y_before : y_here);
      const auto between = hn::And(open, hn::And(hn::Ge(py, low), hn::Le(py, high)));
      const auto at_corner = hn::Or(hn::And(hn::Eq(px, sx), hn::Eq(py, sy)), hn::And(hn::Eq(px, tx), hn::Eq(py, ty)));
      const auto up = hn::And(hn::Gt(py, sy), hn::Le(py, ty)), down = hn::And(hn::Gt(py, ty), hn::Le(py, sy));
      const auto crosses = hn::AndNot(at_corner, hn::And(between, hn::Or(up, down)));
      const auto at = hn::Add(sx, hn::Div(hn::Mul(hn::Sub(py, sy), hn::Sub(tx, sx)), hn::Sub(ty, sy)));
      odd = hn::Xor(odd, hn::And(crosses, hn::Gt(at, px)));
      open = hn::AndNot(hn::Or(hn::And(between, at_corner), hn::And(crosses, hn::Eq(at, px))), open);
    }
    hn::StoreU(hn::IfThenElseZero(odd, hn::Set(d, T{1})), d, inside + p);
  }
}

template <typename T>
void every_polygon(const PolygonTest& test, int64_t begin, int64_t end, float* out) {
  const int64_t count = test.count;
  T x[kBlock] = {}, y[kBlock] = {}, inside[kBlock], corners[8];
  for (int64_t start = begin; start < end; start += kBlock) {
    const int64_t n = end - start < kBlock ? end - start : kBlock;
    const T* points = static_cast<const T*>(test.points) + 2 * start;
    for (int64_t p = 0; p < n; ++p) {
      x[p] = points[2 * p];
      y[p] = points[2 * p + 1];
    }
    for (int64_t j = 0; j < count; ++j) {
      for (int k = 0; k < 8; ++k) corners[k] = static_cast<const T*>(test.corners)[k * count + j];
      test_polygon(corners, x, y, inside);
      for (int64_t p = 0; p < n; ++p) out[(start + p) * count + j] = static_cast<float>(inside[p]);
    }
  }
}

void FirstBoxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out) {
  (dtype == diopi_dtype_float64 ? first_box<double> : first_box<float>)(test, begin, end, out);
}
void AllBoxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out) {
  (dtype == diopi_dtype_float64 ? every_box<double> : every_box<float>)(test, begin, end, out);
}
void AllPolygons(const PolygonTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, float* out) {
  (dtype == diopi_dtype_float64 ? every_polygon<double> : every_polygon<float>)(test, begin, end, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

HWY_EXPORT(FirstBoxes);
HWY_EXPORT(AllBoxes);
HWY_EXPORT(AllPolygons);

namespace {

template <typename T>
void read_boxes_as(const T* boxes, int64_t count, T* planes) {
  for (int64_t t = 0; t < count; ++t, boxes += 7) {
    const auto angle = static_cast<double>(-boxes[6]);
    const T values[kBoxPlanes] = {
        boxes[0],     boxes[1],     boxes[2] + boxes[5] / 2,         boxes[3] / 2,
        boxes[4] / 2, boxes[5] / 2, static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle))};
    for (int k = 0; k < kBoxPlanes; ++k) planes[k * count + t] = values[k];
  }
}

}  // namespace

void read_boxes(diopiDtype_t dtype, const void* boxes, int64_t count, void* planes) {
  if (dtype == diopi_dtype_float64) {
    read_boxes_as(static_cast<const double*>(boxes), count, static_cast<double*>(planes));
  } else {
    read_boxes_as(static_cast<const float*>(boxes), count, static_cast<float*>(planes));
  }
}

void first_boxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out) {
  HWY_DYNAMIC_DISPATCH(FirstBoxes)(test, dtype, begin, end, out);
}

void all_boxes(const BoxTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, int32_t* out) {
  HWY_DYNAMIC_DISPATCH(AllBoxes)(test, dtype, begin, end, out);
}

void all_polygons(const PolygonTest& test, diopiDtype_t dtype, int64_t begin, int64_t end, float* out) {
  HWY_DYNAMIC_DISPATCH(AllPolygons)(test, dtype, begin, end, out);
}

}  // namespace impl::cpu
#endif
