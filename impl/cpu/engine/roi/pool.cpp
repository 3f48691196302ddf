// SPDX-License-Identifier: BSD-3-Clause
// The maximum of the elements of each bin of a region.
#include <algorithm>

#include "impl/common/engine/roi_maximum.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/roi/marked.hpp"

namespace impl::cpu {

namespace {

// The elements of a bin in one direction: from `begin` to below `end`.
struct Span {
  int64_t begin, end;
};

int64_t limited(double position, int64_t extent) {
  return static_cast<int64_t>(std::min(std::max(position, 0.0), static_cast<double>(extent)));
}

// One direction of a region in the precision T, in which each operation is rounded as in mmcv: where rounding decides
// about a row of elements, its maxima are the same.
template <typename T>
struct Side {
  T start, size;

  Side(double from, double to, double scale)
      : start(static_cast<T>(from) * static_cast<T>(scale)),
        size((static_cast<T>(to) + 1) * static_cast<T>(scale) - start) {}

  bool has_extent() const { return size > 0 && !std::isinf(size); }
  Span bin(int64_t p, int64_t bins, int64_t extent) const {
    const T step = size / static_cast<T>(bins);
    const T low = static_cast<T>(p) * step, high = static_cast<T>(p + 1) * step;
    // mmcv's kernel calls floorf and ceilf, also for float64.
    return {limited(std::floor(static_cast<float>(low + start)), extent),
            limited(std::ceil(static_cast<float>(high + start)), extent)};
  }
};

struct PoolRows {
  ChannelRows out, at, input;
};

double* numbers(const ChannelRows& rows, int64_t r, int64_t bin) { return reinterpret_cast<double*>(rows.at(r, bin)); }

template <typename T>
void pool_bin(const PoolRows& rows, const RegionBins& all, int64_t r, int64_t bin, double lowest) {
  const RegionFrame& frame = all.frame;
  const int64_t channels = rows.input.channels();
  const double* roi = all.rois.row(r);
  double *best = numbers(rows.out, r, bin), *at = numbers(rows.at, r, bin);
  std::fill_n(best, channels, 0.0);
  std::fill_n(at, channels, -1.0);
  const Side<T> x(roi[1], roi[3], frame.scale), y(roi[2], roi[4], frame.scale);
  if (!x.has_extent() || !y.has_extent()) return;
  const Span in_y = y.bin(bin / frame.bins_x, frame.bins_y, frame.height);
  const Span in_x = x.bin(bin % frame.bins_x, frame.bins_x, frame.width);
  if (in_y.begin >= in_y.end || in_x.begin >= in_x.end) return;
  const LargerFn larger = larger_kernel(rows.input.dtype());
  const char* image = rows.input.at(all.rois.image(r), 0);
  std::fill_n(best, channels, lowest);
  for (int64_t i = in_y.begin; i < in_y.end; ++i) {
    for (int64_t j = in_x.begin; j < in_x.end; ++j) {
      const Tap tap{i * frame.width + j, 1};
      larger(&tap, 1, image, channels, channels, false, static_cast<double>(tap.row), 0, best, at, nullptr);
    }
  }
}

// Adds each gradient of a plane of bins to the element of which it is the gradient, in the order of the bins.
template <typename T>
void add_marked(const T* grad, const int32_t* position, int64_t bins, T* sums) {
  for (int64_t i = 0; i < bins; ++i) {
    if (position[i] >= 0) sums[position[i]] += grad[i];
  }
}

}  // namespace

Status run_roi_pool(diopiContextHandle_t ctx, double scale, const TensorView& out, const TensorView& at,
                    const TensorView& input, const TensorView& rois) {
  if (out.numel == 0) return diopiSuccess;
  PoolRows rows;
  RegionRows regions;
  DIOPI_TRY(rows.out.write(ctx, out, diopi_dtype_float64));
  DIOPI_TRY(rows.at.write(ctx, at, diopi_dtype_float64));
  DIOPI_TRY(rows.input.read(ctx, input, diopi::compute_dtype(input.dtype)));
  DIOPI_TRY(regions.read(ctx, rois));
  rows.input.load();
  regions.load();
  RoiGrid grid;
  grid.scale = scale;
  const RegionFrame frame = frame_of(grid, input, out);
  const RegionBins all{regions, frame};
  const diopi::Picoseconds each{all.taps() * rows.input.channels() * kTapTime};
  diopi::parallel_for(all.all(), each, [&](int64_t begin, int64_t end) {
    const auto pool = rois.dtype == diopi_dtype_float64 ? pool_bin<double> : pool_bin<float>;
    for (int64_t i = begin; i < end; ++i) pool(rows, all, i / all.bins(), i % all.bins(), lowest_of(out.dtype));
  });
  rows.out.store();
  rows.at.store();
  return diopiSuccess;
}

Status run_roi_pool_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                             const TensorView& rois, const TensorView& at) {
  if (grad_input.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
  TensorView to, from, position;
  RegionRows regions;
  DIOPI_TRY(arrange(ctx, grad_input, false, dtype, false, &to));
  DIOPI_TRY(arrange_input(ctx, grad_output, &grad_input, false, dtype, &from));
  DIOPI_TRY(arrange_input(ctx, at, &grad_input, false, diopi_dtype_int32, &position));
  DIOPI_TRY(regions.read(ctx, rois));
  regions.load();
  const int64_t channels = to.shape[1], area = to.shape[2] * to.shape[3], bins = from.shape[2] * from.shape[3];
  const int64_t share = regions.count() * bins / to.shape[0] + 1;
  with_row_type(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    const diopi::Picoseconds group{kChannelsTogether * (area * 60 + share * 2000)};
    for_channel_groups(to.shape[0], channels, group, [&](int64_t image, int64_t first, int64_t count) {
      for (int64_t c = first; c < first + count; c += kChannelsTogether) {
        const int64_t together = std::min(kChannelsTogether, first + count - c);
        T* const sums = to.ptr<T>() + (image * channels + c) * area;
        std::fill_n(sums, together * area, T{0});
        for (int64_t r = 0; r < regions.count(); ++r) {
          if (regions.image(r) != image) continue;
          const int64_t at_bins = (r * channels + c) * bins;
          for (int64_t k = 0; k < together; ++k) {
            const int64_t plane = at_bins + k * bins;
            add_marked(from.ptr<const T>() + plane, position.ptr<const int32_t>() + plane, bins, sums + k * area);
          }
        }
      }
    });
  });
  put_back(grad_input, to);
  return diopiSuccess;
}

}  // namespace impl::cpu
