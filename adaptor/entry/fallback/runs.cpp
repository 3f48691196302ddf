// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/runs.hpp"

#include <algorithm>

namespace diopi::fallback {

Runs::Runs(const TensorView& view) : bytes_(view.numel == 0 ? 0 : view.itemsize()) {
  int order[kMaxDims] = {};
  int n = 0;
  for (int i = 0; i < view.ndim(); ++i) {
    if (view.shape[i] != 1 && view.stride[i] != 0) order[n++] = i;
  }
  std::sort(order, order + n, [&](int a, int b) { return view.stride[a] > view.stride[b]; });
  while (n > 0 && view.stride[order[n - 1]] * view.itemsize() == bytes_) bytes_ *= view.shape[order[--n]];
  for (int i = 0; i < n; ++i) {
    extents_.push_back(view.shape[order[i]]);
    steps_.push_back(view.stride[order[i]] * view.itemsize());
  }
}

int64_t Runs::span() const {
  int64_t span = bytes_;
  for (int i = 0; i < extents_.n; ++i) span += (extents_[i] - 1) * steps_[i];
  return bytes_ == 0 ? 0 : span;
}

bool Runs::next(Dims* index, int64_t* offset) const {
  for (int i = extents_.n - 1; i >= 0; --i) {
    *offset += steps_[i];
    if (++(*index)[i] < extents_[i]) return true;
    *offset -= extents_[i] * steps_[i];
    (*index)[i] = 0;
  }
  return false;
}

}  // namespace diopi::fallback
