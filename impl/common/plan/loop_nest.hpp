// SPDX-License-Identifier: BSD-3-Clause
// LoopNest: loops over the elements of several operands, each of which has its own strides. LoopCursor: a position in a
// nest, with the offset of each operand.
#ifndef IMPL_COMMON_PLAN_LOOP_NEST_HPP_
#define IMPL_COMMON_PLAN_LOOP_NEST_HPP_

#include <algorithm>
#include <cstdint>
#include <utility>

#include "impl/common/tensor_view.hpp"

namespace diopi {

// One loop, with a stride for each operand. The caller chooses whether strides count bytes or elements.
template <int kOperands>
struct Loop {
  int64_t extent;
  int64_t stride[kOperands];

  Loop() = default;
  template <typename... Strides>
  Loop(int64_t loop_extent, Strides... strides) : extent(loop_extent), stride{static_cast<int64_t>(strides)...} {
    static_assert(sizeof...(Strides) == kOperands, "one stride for each operand");
  }
};

// Up to kMaxLoops loops, the innermost first. A nest without loops has one element.
template <int kNumOperands, int kMaxLoops = kMaxDims>
struct LoopNest {
  static constexpr int kOperands = kNumOperands, kLoops = kMaxLoops;

  int n = 0;
  Loop<kOperands> loop[kMaxLoops];

  Loop<kOperands>& operator[](int i) { return loop[i]; }
  const Loop<kOperands>& operator[](int i) const { return loop[i]; }

  // Adds a loop outside of the others.
  template <typename... Strides>
  void push_back(int64_t extent, Strides... strides) {
    loop[n++] = Loop<kOperands>(extent, strides...);
  }
  int64_t numel() const { return numel(0, n); }
  // The number of elements of the loops [first, last).
  int64_t numel(int first, int last) const {
    int64_t result = 1;
    for (int i = first; i < last; ++i) result *= loop[i].extent;
    return result;
  }
  int64_t inner_extent() const { return n > 0 ? loop[0].extent : 1; }
  int64_t inner_stride(int operand = 0) const { return n > 0 ? loop[0].stride[operand] : 0; }

  // Removes the innermost loop.
  void drop_inner() {
    std::copy(loop + 1, loop + n, loop);
    --n;
  }
  // Removes loops of extent 1.
  void drop_ones() {
    int kept = 0;
    for (int i = 0; i < n; ++i) {
      if (loop[i].extent == 1) continue;
      if (kept != i) loop[kept] = loop[i];
      ++kept;
    }
    n = kept;
  }
  // Sorts the loops: `goes_outside(a, b)` tells whether loop a must be outside of loop b, which is now outside of it or
  // its neighbour. Loops of which neither must be outside keep their order. This changes the order of the elements.
  template <typename F>
  void sort(const F& goes_outside) {
    for (int i = n - 2; i >= 0; --i) {
      for (int j = i; j + 1 < n && goes_outside(loop[j], loop[j + 1]); ++j) std::swap(loop[j], loop[j + 1]);
    }
  }
  // Merges adjacent loops that each of the first `operands` operands steps through as one.
  void merge(int operands = kOperands) {
    int last = 0;
    for (int i = 1; i < n; ++i) {
      bool mergeable = true;
      for (int k = 0; k < operands && mergeable; ++k) {
        mergeable = loop[i].stride[k] == loop[last].stride[k] * loop[last].extent;
      }
      if (mergeable) {
        loop[last].extent *= loop[i].extent;
      } else if (++last != i) {
        loop[last] = loop[i];
      }
    }
    n = std::min(n, last + 1);
  }
};

// The loops of a tensor of this shape in row-major order, with the strides of each operand.
template <typename... Strides>
LoopNest<sizeof...(Strides)> row_major_nest(const Dims& shape, const Strides&... strides) {
  LoopNest<sizeof...(Strides)> nest;
  for (int dim = shape.n - 1; dim >= 0; --dim) nest.push_back(shape[dim], strides[dim]...);
  return nest;
}

// A position in the loops [first, last) of a nest. The cursor keeps the offsets of kTracked operands while it moves; if
// kTracked is 0, offset() computes them.
template <class Nest, int kTracked = Nest::kOperands>
class LoopCursor {
 public:
  static_assert(kTracked == 0 || kTracked == Nest::kOperands, "all operands or none");

  // Begins at element `begin` of the nest.
  explicit LoopCursor(const Nest& nest, int64_t begin = 0) : LoopCursor(nest, begin, 0, nest.n) {}
  LoopCursor(const Nest& nest, int64_t begin, int first, int last) : loop_(nest.loop + first), n_(last - first) {
    if (begin == 0) {  // the usual case, without the slow divisions
      for (int i = 0; i < n_; ++i) index_[i] = 0;
      return;
    }
    for (int i = 0; i < n_; ++i) {
      const int64_t extent = std::max<int64_t>(loop_[i].extent, 1);  // avoids a division by zero in an empty nest
      index_[i] = begin % extent;
      begin /= extent;
      move(i, index_[i]);
    }
  }

  int64_t offset(int operand = 0) const {
    if constexpr (kTracked > 0) {
      return offset_[operand];
    } else {
      int64_t result = 0;
      for (int i = 0; i < n_; ++i) result += index_[i] * loop_[i].stride[operand];
      return result;
    }
  }
  int64_t index(int i) const { return i < n_ ? index_[i] : 0; }
  // The steps that are left in loop i, the present one included.
  int64_t left(int i = 0) const { return i < n_ ? loop_[i].extent - index_[i] : 1; }

  // Advances by count <= left(i) steps of loop i; the loops inside of it are at their beginning.
  void advance(int64_t count, int i = 0) {
    if (i >= n_) return;
    index_[i] += count;
    move(i, count);
    while (i + 1 < n_ && index_[i] == loop_[i].extent) {
      move(i, -index_[i]);
      index_[i] = 0;
      ++i;
      ++index_[i];
      move(i, 1);
    }
  }

  // Moves to the next element. Returns false after the last one; the cursor is then at the first element again.
  bool next() {
    for (int i = 0; i < n_; ++i) {
      move(i, 1);
      if (++index_[i] < loop_[i].extent) return true;
      move(i, -index_[i]);
      index_[i] = 0;
    }
    return false;
  }

  // Advances by n elements, and calls f(count) at the beginning of each run of `count` elements of the innermost loop.
  template <typename F>
  void for_runs(int64_t n, const F& f) {
    while (n > 0) {
      const int64_t count = std::min(n, left());
      f(count);
      advance(count);
      n -= count;
    }
  }

 private:
  void move(int i, int64_t steps) {
    for (int k = 0; k < kTracked; ++k) offset_[k] += steps * loop_[i].stride[k];
  }

  const Loop<Nest::kOperands>* loop_;
  int n_;
  int64_t offset_[std::max(kTracked, 1)] = {};
  int64_t index_[Nest::kLoops];
};

}  // namespace diopi

#endif  // IMPL_COMMON_PLAN_LOOP_NEST_HPP_
