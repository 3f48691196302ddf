// SPDX-License-Identifier: BSD-3-Clause
// Samples at the centres and corners of rotated boxes.
#include "impl/common/engine/roi_maximum.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/roi/marked.hpp"
#include "impl/cpu/engine/temporary.hpp"

namespace impl::cpu {

namespace {

struct BoxSamples {
  const RegionFrame& frame;
  const double* boxes;  // five numbers for each cell: y, x, width, height, angle
  bool corners;

  template <typename Run>
  void add_cell(int64_t image, int64_t cell, Run* run) const {
    const double* box = boxes + (image * frame.height * frame.width + cell) * 5;
    const Coordinate y = frame.scaled(box[0]), x = frame.scaled(box[1]);
    add(y, x, run);
    if (!corners) return;
    const Coordinate width = frame.scaled(box[2]) / 2, height = frame.scaled(box[3]) / 2;
    const Coordinate angle(box[4], frame.narrow), cosine = angle.cosine(), sine = angle.sine();
    const Coordinate wx = cosine * width, wy = sine * width, hx = -sine * height, hy = cosine * height;
    add(y + wy + hy, x + wx + hx, run);
    add(y - wy + hy, x - wx + hx, run);
    add(y - wy - hy, x - wx - hx, run);
    add(y + wy - hy, x + wx - hx, run);
  }

 private:
  template <typename Run>
  void add(const Coordinate& y, const Coordinate& x, Run* run) const {
    Tap taps[4];
    if (!sample_taps(y, x, frame.height, frame.width, taps)) return;
    for (const Tap& tap : taps) run->add(tap.row, tap.weight);
  }
};

// Every cell of an image is a bin.
RegionFrame cells_of(const TensorView& image, double scale, bool corners) {
  const int64_t height = image.shape[2], width = image.shape[3];
  const bool narrow = image.dtype != diopi_dtype_float64;
  return {height, width, height, width, scale, 0, false, corners ? 2 : 1, narrow, false};
}

}  // namespace

Status run_box_samples(diopiContextHandle_t ctx, double scale, bool corners, const TensorView& out,
                       const TensorView& input, const TensorView& boxes) {
  if (out.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(input.dtype);
  ChannelRows to, from;
  RegionRows images;
  TensorView numbers;
  DIOPI_TRY(to.write(ctx, out, dtype));
  DIOPI_TRY(from.read(ctx, input, dtype));
  DIOPI_TRY(images.number(ctx, input.shape[0]));
  DIOPI_TRY(make_temporary(ctx, boxes.shape, diopi_dtype_float64, &numbers));
  from.load();
  copy_view(numbers, boxes);
  to.load(input);
  const RegionFrame frame = cells_of(input, scale, corners);
  const BoxSamples samples{frame, numbers.ptr<double>(), corners};
  gather_bins(
      RegionBins{images, frame}, to, from, [](int64_t r) { return r; },
      [&](int64_t image, int64_t /*r*/, int64_t cell, auto* run) { samples.add_cell(image, cell, run); });
  to.store();
  return diopiSuccess;
}

Status run_box_samples_backward(diopiContextHandle_t ctx, double scale, bool corners, const TensorView& grad_input,
                                const TensorView& grad_output, const TensorView& boxes) {
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  ChannelRows to, from;
  RegionRows images;
  TensorView numbers;
  DIOPI_TRY(to.write(ctx, grad_input, dtype));
  DIOPI_TRY(from.read(ctx, grad_output, dtype));
  DIOPI_TRY(images.number(ctx, grad_input.shape[0]));
  DIOPI_TRY(make_temporary(ctx, boxes.shape, diopi_dtype_float64, &numbers));
  from.load();
  copy_view(numbers, boxes);
  to.load(grad_output);
  const RegionFrame frame = cells_of(grad_input, scale, corners);
  const BoxSamples samples{frame, numbers.ptr<double>(), corners};
  scatter_bins(
      RegionBins{images, frame}, grad_input.shape[0], to, from, [](int64_t r) { return r; },
      [&](int64_t image, int64_t /*r*/, int64_t cell, auto* run) { samples.add_cell(image, cell, run); });
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
