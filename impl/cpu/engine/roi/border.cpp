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
  double y, x, step_y, step_x;
};

Border border_of(const double* box, int64_t border, int64_t pool_size) {
  const auto parts = static_cast<double>(pool_size);
  const double width = (box[2] - box[0]) / parts, height = (box[3] - box[1]) / parts;
  switch (border) {
    case 0:
      return {box[1], box[0], 0, width};
    case 1:
      return {box[1], box[0], height, 0};
    case 2:
      return {box[3], box[2], 0, -width};
    default:
      return {box[3], box[2], -height, 0};
  }
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
  const diopi::Picoseconds each{pool_size * (channels * 4 * kTapTime + 20000)};
  diopi::parallel_for(out.shape[0] * borders, each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = i / borders, k = i % borders, e = k % kBorders;
      const Border border = border_of(corners.ptr<double>() + i / kBorders * 4, e, pool_size);
      const char* image = from.at(n, 0, e * channels);
      auto* value = reinterpret_cast<double*>(best.at(n, k));
      auto* which = reinterpret_cast<double*>(mark.at(n, k));
      for (int64_t s = 0; s <= pool_size; ++s) {
        const auto step = static_cast<double>(s);
        Tap taps[4];
        const bool inside =
            sample_taps(border.y + step * border.step_y, border.x + step * border.step_x, height, width, taps);
        larger(taps, inside ? 4 : 0, image, pitch, channels, s == 0, step, 0, value, which, nullptr);
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
  with_row_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_bins_of_channels(
        images, borders, grad_input.shape[0], channels, 20000, [&](int64_t n, int64_t k, int64_t first, int64_t count) {
          const int64_t e = k % kBorders;
          const double* box = corners.ptr<double>() + (n * borders + k) / kBorders * 4;
          const Border border = border_of(box, e, pool_size);
          const auto* index = reinterpret_cast<const int32_t*>(which.at(n, k));
          const T* grad = reinterpret_cast<const T*>(from.at(n, k));
          T* row = reinterpret_cast<T*>(to.at(n, 0, e * channels));
          for (int64_t c = first; c < first + count; ++c) {
            const double y = border.y + index[c] * border.step_y, x = border.x + index[c] * border.step_x;
            scatter_sample(y, x, height, width, pitch, grad[c], row + c);
          }
        });
  });
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
