// SPDX-License-Identifier: BSD-3-Clause
// Maxima of samples in upright regions, and what their gradient adds to which elements.
#include <cfloat>

#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/roi/region.cuh"
#include "impl/cuda/kernels/roi/roi.hpp"

namespace impl::cuda {

namespace {

constexpr int kRoiThreads = 128;

// The element (region, channel, row, column) of a thread in tensors of the shape of the bins.
struct BinPlace {
  int64_t at[4];

  __device__ BinPlace(const Layout& bins, int64_t number) {
    for (int d = 3; d > 0; --d) at[d] = split_index(&number, bins.extent[d]);
    at[0] = number;
  }
  __device__ int64_t in(const int64_t* stride) const {
    int64_t offset = 0;
    for (int d = 0; d < 4; ++d) offset += at[d] * stride[d];
    return offset;
  }
};

// Calls f(position) for samples of an axis in order: those that may lie inside of an image, and of the others those of
// which one is the first. The others are 0 like it, so they change no maximum and no first position.
template <class Axis, typename F>
__device__ void for_candidates(const Axis& axis, const Coordinate& begin, const F& f) {
  if (!axis.has_samples()) return;
  const WholeRange inside = axis.samples_inside(begin);
  double next = 0;
  if (inside.first > 0) {
    f(axis.position(begin, 0));
    next = inside.first;
  }
  for (double i = next; i <= inside.last; i += 1) f(axis.position(begin, i));
  const double behind = max(next, inside.last + 1);
  if (behind < axis.count) f(axis.position(begin, behind));
}

template <typename T>
__device__ double sample(const T* plane, const Layout& images, const Coordinate& y, const Coordinate& x) {
  int64_t row[2], column[2];
  double in_row[2], in_column[2], sum = 0;
  if (!find_taps(y, images.extent[2], row, in_row) || !find_taps(x, images.extent[3], column, in_column)) return 0;
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      const T element = plane[row[a] * images.stride[2] + column[b] * images.stride[3]];
      sum += in_row[a] * in_column[b] * convert<double>(element);
    }
  }
  return sum;
}

template <typename T>
struct Maxima {
  const T* images;
  T* out[3];  // the maxima, and their positions in y and x
  int64_t stride[3][4];
  double lowest;  // the maximum of nothing
};

template <typename T>
__global__ void __launch_bounds__(kRoiThreads) take_maxima(Regions p, Maxima<T> m, int64_t items) {
  for (int64_t i = thread_item(); i < items; i += static_cast<int64_t>(gridDim.x) * kRoiThreads) {
    const BinPlace place(p.bins, i);
    Region<T> region;
    read_region(p, place.at[0], &region);
    if (!diopi::is_image(region.image, p.images.extent[0])) continue;
    const T* plane =
        m.images + static_cast<int64_t>(region.image) * p.images.stride[0] + place.at[1] * p.images.stride[1];
    double best[3] = {m.lowest, -1, -1};
    const Coordinate begin_x = region.x.begin_of(static_cast<double>(place.at[3]));
    for_candidates(region.y, region.y.begin_of(static_cast<double>(place.at[2])), [&](const Coordinate& y) {
      for_candidates(region.x, begin_x, [&](const Coordinate& x) {
        const double value = sample(plane, p.images, y, x);
        if (!(value > best[0])) return;
        best[0] = value;
        best[1] = y.rounded;
        best[2] = x.rounded;
      });
    });
    for (int k = 0; k < 3; ++k) m.out[k][place.in(m.stride[k])] = convert<T>(best[k]);
  }
}

template <typename T, typename Number>
struct Terms {
  const T *grad, *at_y, *at_x, *rois;
  int64_t stride[3][4], roi_stride;
  Layout images, bins;
  int64_t* places;
  int64_t none;
  Number* terms;
};

template <typename T, typename Number>
__global__ void __launch_bounds__(kRoiThreads) split_gradients(Terms<T, Number> p, int64_t items) {
  for (int64_t i = thread_item(); i < items; i += static_cast<int64_t>(gridDim.x) * kRoiThreads) {
    const BinPlace place(p.bins, i);
    const auto grad = convert<Number>(p.grad[place.in(p.stride[0])]);
    const auto y = convert<double>(p.at_y[place.in(p.stride[1])]), x = convert<double>(p.at_x[place.in(p.stride[2])]);
    const auto image = convert<double>(p.rois[place.at[0] * p.roi_stride]);
    int64_t row[2], column[2];
    double in_row[2] = {}, in_column[2] = {};
    const bool adds = y != -1 && diopi::is_image(image, p.images.extent[0]) &&
                      find_taps({y, y}, p.images.extent[2], row, in_row) &&
                      find_taps({x, x}, p.images.extent[3], column, in_column);
    for (int k = 0; k < 4; ++k) {
      const int a = k / 2, b = k % 2;
      const int64_t plane = static_cast<int64_t>(adds ? image : 0) * p.images.extent[1] + place.at[1];
      p.places[4 * i + k] = adds ? (plane * p.images.extent[2] + row[a]) * p.images.extent[3] + column[b] : p.none;
      p.terms[4 * i + k] = static_cast<Number>(in_row[a] * in_column[b]) * grad;
    }
  }
}

int64_t blocks_of(int64_t items) { return (items + kRoiThreads - 1) / kRoiThreads; }

}  // namespace

Status find_maxima(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& at_y,
                   const TensorView& at_x, const TensorView& input, const TensorView& rois) {
  const Regions p = regions_of(grid, input, out, rois);
  return diopi::visit_dtype<diopi::FloatingTypes>(input.dtype, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    Maxima<T> m{};
    m.images = input.ptr<const T>();
    m.lowest = is_reduced_type<T> ? -HUGE_VAL : -static_cast<double>(FLT_MAX);
    const TensorView* const results[] = {&out, &at_y, &at_x};
    for (int k = 0; k < 3; ++k) {
      m.out[k] = results[k]->ptr<T>();
      std::copy_n(results[k]->stride.v, 4, m.stride[k]);
    }
    return launch_blocks(ctx, take_maxima<T>, blocks_of(out.numel), kRoiThreads, p, m, out.numel);
  });
}

Status find_maximum_terms(diopiContextHandle_t ctx, const TensorView& images, const TensorView& grad_output,
                          const TensorView& rois, const TensorView& at_y, const TensorView& at_x,
                          const MaximumTerms& terms) {
  return diopi::visit_dtype<diopi::FloatingTypes>(images.dtype, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    Terms<T, Number> p{};
    p.grad = grad_output.ptr<const T>();
    p.at_y = at_y.ptr<const T>();
    p.at_x = at_x.ptr<const T>();
    p.rois = rois.ptr<const T>();
    p.roi_stride = rois.stride[0];
    const TensorView* const inputs[] = {&grad_output, &at_y, &at_x};
    for (int k = 0; k < 3; ++k) std::copy_n(inputs[k]->stride.v, 4, p.stride[k]);
    p.images = layout_of(images);
    p.bins = layout_of(grad_output);
    p.places = terms.places;
    p.none = terms.none;
    p.terms = terms.terms.template ptr<Number>();
    return launch_blocks(ctx, split_gradients<T, Number>, blocks_of(grad_output.numel), kRoiThreads, p,
                         grad_output.numel);
  });
}

}  // namespace impl::cuda
