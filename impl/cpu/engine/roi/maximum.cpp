// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/roi_maximum.hpp"
#include "impl/cpu/engine/roi/marked.hpp"

namespace impl::cpu {

namespace {

// Calls f(position) for samples of a line in order: all that may lie inside of an image, and of the others those of
// which one is the first of the line. The others are 0 like it, so they change no maximum and no first position of it.
template <typename F>
void for_candidates(const SampleLine& line, int64_t extent, const F& f) {
  const auto range = line.inside(extent);
  if (!line.has_samples()) return;
  double next = 0;
  if (range.first > 0) {
    f(line.position(0));
    next = range.first;
  }
  for (double i = next; i <= range.last; ++i) f(line.position(i));
  const double behind = std::max(next, range.last + 1);
  if (behind < line.count) f(line.position(behind));
}

struct MaximumRows {
  ChannelRows out, at_y, at_x, input;

  Status make(diopiContextHandle_t ctx, const TensorView& result, const TensorView& y, const TensorView& x,
              const TensorView& image) {
    DIOPI_TRY(out.write(ctx, result, diopi_dtype_float64));
    DIOPI_TRY(at_y.write(ctx, y, diopi_dtype_float64));
    DIOPI_TRY(at_x.write(ctx, x, diopi_dtype_float64));
    return input.read(ctx, image, diopi::compute_dtype(image.dtype));
  }
};

double* numbers(const ChannelRows& rows, int64_t r, int64_t bin) { return reinterpret_cast<double*>(rows.at(r, bin)); }

// The maximum of one bin.
void bin_maximum(const MaximumRows& rows, const RegionBins& all, int64_t r, int64_t bin, double lowest) {
  const RegionFrame& frame = all.frame;
  const LargerFn larger = larger_kernel(rows.input.dtype());
  const UprightRegion region(frame, all.rois.row(r));
  const int64_t channels = rows.input.channels();
  double *best = numbers(rows.out, r, bin), *at_y = numbers(rows.at_y, r, bin), *at_x = numbers(rows.at_x, r, bin);
  std::fill_n(best, channels, lowest);
  std::fill_n(at_y, channels, -1.0);
  std::fill_n(at_x, channels, -1.0);
  const char* image = rows.input.at(all.rois.image(r), 0);
  const Coordinate by(0, frame.narrow);
  const SampleLine line_x = region.line_x(bin % frame.bins_x, by);
  for_candidates(region.line_y(bin / frame.bins_x, by), frame.height, [&](const Coordinate& y) {
    for_candidates(line_x, frame.width, [&](const Coordinate& x) {
      Tap taps[4];
      const int64_t n = sample_taps(y, x, frame.height, frame.width, taps) ? 4 : 0;
      larger(taps, n, image, channels, channels, false, y.rounded, x.rounded, best, at_y, at_x);
    });
  });
}

}  // namespace

Status run_roi_maximum(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& out, const TensorView& at_y,
                       const TensorView& at_x, const TensorView& input, const TensorView& rois) {
  if (out.numel == 0) return diopiSuccess;
  MaximumRows rows;
  RegionRows regions;
  DIOPI_TRY(rows.make(ctx, out, at_y, at_x, input));
  DIOPI_TRY(regions.read(ctx, rois));
  rows.input.load();
  regions.load();
  const RegionFrame frame = frame_of(grid, input, out);
  const RegionBins all{regions, frame};
  const diopi::Picoseconds each{all.taps() * rows.input.channels() * kTapTime};
  diopi::parallel_for(all.all(), each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) bin_maximum(rows, all, i / all.bins(), i % all.bins(), lowest_of(out.dtype));
  });
  rows.out.store();
  rows.at_y.store();
  rows.at_x.store();
  return diopiSuccess;
}

Status run_roi_maximum_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                                const TensorView& rois, const TensorView& at_y, const TensorView& at_x) {
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  ChannelRows to, from, y, x;
  RegionRows regions;
  DIOPI_TRY(to.write(ctx, grad_input, dtype));
  DIOPI_TRY(from.read(ctx, grad_output, dtype));
  DIOPI_TRY(y.read(ctx, at_y, diopi_dtype_float64));
  DIOPI_TRY(x.read(ctx, at_x, diopi_dtype_float64));
  DIOPI_TRY(regions.read(ctx, rois));
  from.load();
  y.load();
  x.load();
  regions.load();
  to.clear();
  const int64_t height = grad_input.shape[2], width = grad_input.shape[3], pitch = to.channels();
  with_row_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_bins_of_channels(regions, from.rows(), grad_input.shape[0], pitch, 20000,
                         [&](int64_t r, int64_t bin, int64_t first, int64_t count) {
                           const double *in_y = numbers(y, r, bin), *in_x = numbers(x, r, bin);
                           const T* grad = reinterpret_cast<const T*>(from.at(r, bin));
                           T* row = reinterpret_cast<T*>(to.at(regions.image(r), 0));
                           for (int64_t c = first; c < first + count; ++c) {
                             if (in_y[c] == -1.0) continue;
                             const Coordinate here(in_y[c], false), along(in_x[c], false);
                             scatter_sample(here, along, height, width, pitch, grad[c], row + c);
                           }
                         });
  });
  to.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
