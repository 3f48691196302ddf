// SPDX-License-Identifier: BSD-3-Clause
// A nest of loops over one operand: extents and byte strides, and a walker that visits the elements in row-major order.
#ifndef IMPL_CPU_ENGINE_LOOP_NEST_HPP_
#define IMPL_CPU_ENGINE_LOOP_NEST_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/tensor_view.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu {

// Up to kMaxDims loops, the innermost last. A nest without loops has one element.
struct Nest {
  int n = 0;
  int64_t extent[diopi::kMaxDims];
  int64_t stride[diopi::kMaxDims];  // in bytes

  void push_back(int64_t e, int64_t s) {
    extent[n] = e;
    stride[n++] = s;
  }
  int64_t numel() const {
    int64_t result = 1;
    for (int i = 0; i < n; ++i) result *= extent[i];
    return result;
  }
  int64_t inner_extent() const { return n > 0 ? extent[n - 1] : 1; }
  int64_t inner_stride() const { return n > 0 ? stride[n - 1] : 0; }
  // Merges adjacent loops that can be stepped through as one.
  void collapse();
  // Sorts the loops, larger strides outside. This changes the order of the elements.
  void sort();
};

// A position in a nest.
class NestWalker {
 public:
  NestWalker(const Nest& nest, int64_t begin) : nest_(&nest) {
    if (begin == 0) {  // the usual case, without the slow divisions
      std::fill_n(index_, nest.n, 0);
      return;
    }
    for (int i = nest.n - 1; i >= 0; --i) {
      const int64_t extent = std::max<int64_t>(nest.extent[i], 1);  // avoids a division by zero in an empty nest
      index_[i] = begin % extent;
      offset_ += index_[i] * nest.stride[i];
      begin /= extent;
    }
  }

  int64_t offset() const { return offset_; }
  int64_t row_left() const { return nest_->n > 0 ? nest_->extent[nest_->n - 1] - index_[nest_->n - 1] : 1; }

  // Advances by count <= row_left().
  void advance(int64_t count) {
    int i = nest_->n - 1;
    if (i < 0) return;
    index_[i] += count;
    offset_ += count * nest_->stride[i];
    while (i > 0 && index_[i] == nest_->extent[i]) {
      offset_ -= index_[i] * nest_->stride[i];
      index_[i] = 0;
      --i;
      ++index_[i];
      offset_ += nest_->stride[i];
    }
  }

 private:
  const Nest* nest_;
  int64_t offset_ = 0;
  int64_t index_[diopi::kMaxDims];
};

// Gathers the next n elements from `base`, and advances the walker.
inline void gather_walk(char* dst, const char* base, const Nest& nest, NestWalker* walker, int itemsize, int64_t n) {
  for (int64_t done = 0; done < n;) {
    const int64_t part = std::min(n - done, walker->row_left());
    gather(dst + done * itemsize, base + walker->offset(), nest.inner_stride(), itemsize, part);
    walker->advance(part);
    done += part;
  }
}

// Scatters n packed elements to the next n positions of `base`, and advances the walker.
inline void scatter_walk(char* base, const Nest& nest, NestWalker* walker, const char* src, int itemsize, int64_t n) {
  for (int64_t done = 0; done < n;) {
    const int64_t part = std::min(n - done, walker->row_left());
    scatter(base + walker->offset(), nest.inner_stride(), src + done * itemsize, itemsize, part);
    walker->advance(part);
    done += part;
  }
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_LOOP_NEST_HPP_
