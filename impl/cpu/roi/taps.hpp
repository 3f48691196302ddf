// SPDX-License-Identifier: BSD-3-Clause
// Sums of weighted rows of channels, and their adjoint. A tap is a row of an image, that is the channels of one
// position, with a weight.
#ifndef IMPL_CPU_ROI_TAPS_HPP_
#define IMPL_CPU_ROI_TAPS_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

struct Tap {
  int64_t row;
  double weight;
};

// Functions of rows of float32 or float64 that are `pitch` elements apart; `count` channels are used.
struct RowKernels {
  // out[c] += sum of weight * rows[row][c]
  void (*gather)(const Tap* taps, int64_t n, const void* rows, int64_t pitch, int64_t count, void* out);
  // rows[row][c] += weight * grad[c]
  void (*scatter)(const Tap* taps, int64_t n, void* rows, int64_t pitch, int64_t count, const void* grad);
  // The sum of a[c] * b[c], in float64.
  double (*dot)(const void* a, const void* b, int64_t count);
};

RowKernels row_kernels(diopiDtype_t dtype);

// Collects the taps of a bin and passes them on in runs. The sum of each run is added to the sum of the bin, so long
// sums are blocked.
template <typename Use>
class TapRun {
 public:
  explicit TapRun(const Use& use) : use_(use) {}
  void add(int64_t row, double weight) {
    if (n_ == kMost) flush();
    taps_[n_++] = {row, weight};
  }
  void flush() {
    if (n_ > 0) use_(taps_, n_);
    n_ = 0;
  }

 private:
  static constexpr int64_t kMost = 256;
  const Use& use_;
  int64_t n_ = 0;
  Tap taps_[kMost];
};

}  // namespace impl::cpu

#endif  // IMPL_CPU_ROI_TAPS_HPP_
