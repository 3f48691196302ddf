// SPDX-License-Identifier: BSD-3-Clause
// The maximum of samples along each border of boxes.
#include "impl/common/engine/roi_maximum.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/roi/marked.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kBorders = 4;  // top, left, bottom, right

// The samples of a border: sample i is at (y + i * step_y, x + i * step_x).
struct Border {
  Coordinate y, x, step_y, step_x;
};

Border border_of(const double* box, int64_t border, int64_t pool_size, bool narrow) {
  const auto parts = static_cast<double>(pool_size);
  const Coordinate x1(box[0], narrow), y1(box[1], narrow), x2(box[2], narrow), y2(box[3], narrow), none(0, narrow);
  const Coordinate width = (x2 - x1) / parts, height = (y2 - y1) / parts;
  switch (border) {
    case 0:
      return {y1, x1, none, width};
    case 1:
      return {y1, x1, height, none};
    case 2:
      return {y2, x2, none, -width};
    default:
      return {y2, x2, -height, none};
  }
}

// Sample i of a line; `last` is the sample before it. mmcv's kernel adds the steps up one by one.
Coordinate step_on(const Coordinate& start, const Coordinate& step, int64_t i, const Coordinate& last) {
  const Coordinate next = start + step * static_cast<double>(i);
  return {next.exact, i == 0 ? start.rounded : last.rounded + step.rounded, start.narrow};
}

Status read_boxes(diopiContextHandle_t ctx, const TensorView& boxes, TensorView* used) {
  return make_temporary(ctx, boxes.shape, diopi_dtype_float64, used);
}

}  // namespace

Status run_border_align(diopiContextHandle_t ctx, int64_t pool_size, const TensorView& out, const TensorView& at,
                        const TensorView& input, const TensorView& boxes) {
  if (out.numel == 0) return diopiSuccess;
  ChannelRows best, mark, from;
  TensorView corners;
  DIOPI_TRY(best.write(ctx, out, diopi_dtype_float64));
  DIOPI_TRY(mark.write(ctx, at, diopi_dtype_float64));
  DIOPI_TRY(from.read(ctx, input, diopi::compute_dtype(input.dtype)));
  DIOPI_TRY(read_boxes(ctx, boxes, &corners));
  from.load();
  copy_view(corners, boxes);
  const int64_t channels = best.channels(), pitch = from.channels(), borders = best.rows();
  const int64_t height = input.shape[2], width = input.shape[3];
  const LargerFn larger = larger_kernel(from.dtype());
  const bool narrow = input.dtype != diopi_dtype_float64;
  const diopi::Picoseconds each{pool_size * (channels * 4 * kTapTime + 20000)};
  diopi::parallel_for(out.shape[0] * borders, each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / borders, k = i % borders, e = k % kBorders;
      const Border border = border_of(corners.ptr<double>() + i / kBorders * 4, e, pool_size, narrow);
      const char* image = from.at(n, 0, e * channels);
      auto* value = reinterpret_cast<double*>(best.at(n, k));
      auto* which = reinterpret_cast<double*>(mark.at(n, k));
      Coordinate y = border.y, x = border.x;
      for (int64_t s = 0; s <= pool_size; ++s) {
        Tap taps[4];
        y = step_on(border.y, border.step_y, s, y);
        x = step_on(border.x, border.step_x, s, x);
        const bool inside = sample_taps(y, x, height, width, taps);
        larger(taps, inside ? 4 : 0, image, pitch, channels, s == 0, static_cast<double>(s), 0, value, which, nullptr);
      }
    }
  });
  best.store();
  mark.store();
  return diopiSuccess;
}

Status run_border_align_backward(diopiContextHandle_t ctx, int64_t pool_size, const TensorView& grad_input,
                                 const TensorView& grad_output, const TensorView& boxes, const TensorView& at) {
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  ChannelRows to, from, which;
  RegionRows images;
  TensorView corners;
  DIOPI_TRY(to.write(ctx, grad_input, dtype));
  DIOPI_TRY(from.read(ctx, grad_output, dtype));
  DIOPI_TRY(which.read(ctx, at, diopi_dtype_int32));
  DIOPI_TRY(read_boxes(ctx, boxes, &corners));
  DIOPI_TRY(images.number(ctx, grad_input.shape[0]));
  from.load();
  which.load();
  copy_view(corners, boxes);
  to.clear();
  const int64_t height = grad_input.shape[2], width = grad_input.shape[3], pitch = to.channels();
  const int64_t channels = from.channels(), borders = from.rows();
  const bool narrow = grad_input.dtype != diopi_dtype_float64;
  with_row_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_bins_of_channels(images, borders, grad_input.shape[0], channels, 20000,
                         [&](int64_t n, int64_t k, int64_t first, int64_t count) {
                           const int64_t e = k % kBorders;
                           const double* box = corners.ptr<double>() + (n * borders + k) / kBorders * 4;
                           const Border border = border_of(box, e, pool_size, narrow);
                           const auto* index = reinterpret_cast<const int32_t*>(which.at(n, k));
                           const T* grad = reinterpret_cast<const T*>(from.at(n, k));
                           T* row = reinterpret_cast<T*>(to.at(n, 0, e * channels));
                           for (int64_t c = first; c < first + count; ++c) {
                             const auto i = static_cast<double>(index[c]);
                             scatter_sample(border.y + border.step_y * i, border.x + border.step_x * i, height, width,
                                            pitch, grad[c], row + c);
                           }
                         });
  });
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
