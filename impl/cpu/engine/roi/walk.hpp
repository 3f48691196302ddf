// SPDX-License-Identifier: BSD-3-Clause
// Loops over the bins of all regions: forward in parallel over bins, backward in parallel over channels.
#ifndef IMPL_CPU_ENGINE_ROI_WALK_HPP_
#define IMPL_CPU_ENGINE_ROI_WALK_HPP_

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/roi/operands.hpp"
#include "impl/cpu/roi/taps.hpp"

namespace impl::cpu {

inline constexpr int64_t kTapTime = 250;  // picoseconds for a tap of one channel
inline constexpr int64_t kChannelsTogether = 16;

// The regions of a call and the bins of each.
struct RegionBins {
  const RegionRows& rois;
  const RegionFrame& frame;
  int64_t bins() const { return frame.bins_y * frame.bins_x; }
  int64_t all() const { return rois.count() * bins(); }
  // The approximate number of taps of a bin.
  int64_t taps() const {
    const int64_t side = frame.ratio > 0 ? 2 * frame.ratio : 4;
    return side * side;
  }
};

// Calls add(region, bin, &run) for every bin, where `region` is make(roi), and sets the row of the bin in `out` to the
// sum of the taps, which are rows of `input`.
template <typename Make, typename Add>
void gather_bins(const RegionBins& all, const ChannelRows& out, const ChannelRows& input, const Make& make,
                 const Add& add) {
  const RowKernels kernels = row_kernels(input.dtype());
  const int64_t channels = input.channels();
  const diopi::Picoseconds each{100000 + all.taps() * channels * kTapTime};
  diopi::parallel_for(all.all(), each, [&, kernels, channels](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end;) {
      const int64_t r = i / all.bins(), last = std::min(end, (r + 1) * all.bins());
      const auto region = make(r);
      const char* image = input.at(all.rois.image(r), 0);
      for (; i < last; ++i) {
        const int64_t bin = i % all.bins();
        char* row = out.at(r, bin);
        const auto use = [&](const Tap* taps, int64_t n) { kernels.gather(taps, n, image, channels, channels, row); };
        TapRun run(use);
        add(region, r, bin, &run);
        run.flush();
      }
    }
  });
}

// Calls f(image, first, count) for groups of channels of every image, in parallel. `time`: of a group of
// kChannelsTogether channels of an image.
template <typename F>
void for_channel_groups(int64_t images, int64_t channels, diopi::Picoseconds time, const F& f) {
  const int64_t groups = (channels + kChannelsTogether - 1) / kChannelsTogether;
  diopi::parallel_for(images * groups, time, [&f, groups, channels](int64_t begin, int64_t end) {
    while (begin < end) {
      const int64_t image = begin / groups, stop = std::min(end, (image + 1) * groups);
      const int64_t first = begin % groups * kChannelsTogether;
      f(image, first, std::min(channels, (stop - image * groups) * kChannelsTogether) - first);
      begin = stop;
    }
  });
}

// The adjoint: adds the rows of `grad_output` times the weights of the taps to the rows of `grad_input`, in the order
// of the regions.
template <typename Make, typename Add>
void scatter_bins(const RegionBins& all, int64_t images, const ChannelRows& grad_input, const ChannelRows& grad_output,
                  const Make& make, const Add& add) {
  const RowKernels kernels = row_kernels(grad_input.dtype());
  const int64_t channels = grad_input.channels(), share = all.all() / std::max<int64_t>(images, 1) + 1;
  const diopi::Picoseconds each{share * (20000 + all.taps() * kChannelsTogether * kTapTime)};
  for_channel_groups(images, channels, each, [&](int64_t image, int64_t first, int64_t count) {
    char* rows = grad_input.at(image, 0, first);
    for (int64_t r = 0; r < all.rois.count(); ++r) {
      if (all.rois.image(r) != image) continue;
      const auto region = make(r);
      for (int64_t bin = 0; bin < all.bins(); ++bin) {
        const char* grad = grad_output.at(r, bin, first);
        const auto use = [&](const Tap* taps, int64_t n) { kernels.scatter(taps, n, rows, channels, count, grad); };
        TapRun run(use);
        add(region, r, bin, &run);
        run.flush();
      }
    }
  });
}

// Calls f(r, bin, first, count) for groups of channels of the bins of every region of an image, in the order of the
// regions; different groups of channels in parallel. `time`: of a channel of a bin.
template <typename F>
void for_bins_of_channels(const RegionRows& rois, int64_t bins, int64_t images, int64_t channels, int64_t time,
                          const F& f) {
  const int64_t share = rois.count() * bins / std::max<int64_t>(images, 1) + 1;
  for_channel_groups(images, channels, {share * kChannelsTogether * time},
                     [&](int64_t image, int64_t first, int64_t count) {
                       for (int64_t r = 0; r < rois.count(); ++r) {
                         if (rois.image(r) != image) continue;
                         for (int64_t bin = 0; bin < bins; ++bin) f(r, bin, first, count);
                       }
                     });
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_ROI_WALK_HPP_
