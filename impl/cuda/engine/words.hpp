// SPDX-License-Identifier: BSD-3-Clause
// Copies that move several elements as one word.
#ifndef IMPL_CUDA_ENGINE_WORDS_HPP_
#define IMPL_CUDA_ENGINE_WORDS_HPP_

#include <cstdint>
#include <cstring>

#include "impl/common/plan/loop_nest.hpp"

namespace impl::cuda {

// The widest word, of at most 16 bytes, of which addresses and distances are multiples.
class WordWidth {
 public:
  void divide(int64_t bytes) { bits_ |= static_cast<uint64_t>(bytes); }
  void divide(const void* address) { bits_ |= reinterpret_cast<uintptr_t>(address); }
  int bytes() const { return static_cast<int>(bits_ & (~bits_ + 1)); }

 private:
  uint64_t bits_ = 16;
};

namespace detail {

// Counts the first kCopied operands of a nest in words of several elements, of at most `width`. They are contiguous
// along the innermost loop. Returns the bytes of a word.
template <int kOperands, int kCopied>
int widen_first(diopi::LoopNest<kOperands>* nest, int size, const void* const (&data)[kCopied], WordWidth width) {
  width.divide((*nest)[0].extent * size);
  for (int k = 0; k < kCopied; ++k) {
    width.divide(data[k]);
    for (int i = 1; i < nest->n; ++i) width.divide((*nest)[i].stride[k] * size);
  }
  const int items = width.bytes() / size;
  if (items <= 1) return size;
  (*nest)[0].extent /= items;
  for (int i = 1; i < nest->n; ++i) {
    for (int k = 0; k < kCopied; ++k) (*nest)[i].stride[k] /= items;
  }
  return items * size;
}

}  // namespace detail

// Counts a nest in words of several elements, if all operands are contiguous along its innermost loop. Elements have
// `size` bytes. Returns the bytes of a word.
template <int kOperands>
int widen(diopi::LoopNest<kOperands>* nest, int size, const void* const (&data)[kOperands]) {
  if (nest->n == 0) return size;
  for (int k = 0; k < kOperands; ++k) {
    if ((*nest)[0].stride[k] != 1) return size;
  }
  return detail::widen_first(nest, size, data, WordWidth());
}

// The same for copies through an index: the first kMoved operands are copied, and the others step through the index.
// Neighbours along the innermost loop may be one word if they share their element of the index, which is a multiple of
// `*step`.
template <int kOperands, int kMoved>
int widen_slices(diopi::LoopNest<kOperands>* nest, int size, const void* const (&data)[kMoved], int64_t* step) {
  if (nest->n == 0) return size;
  for (int k = 0; k < kOperands; ++k) {
    if ((*nest)[0].stride[k] != (k < kMoved ? 1 : 0)) return size;
  }
  WordWidth width;
  width.divide(*step * size);
  const int bytes = detail::widen_first(nest, size, data, width);
  *step /= bytes / size;
  return bytes;
}

// Fills a word of 16 bytes with the element of `size` bytes at its beginning.
inline void repeat_element(char (&word)[16], int size) {
  for (int i = size; i < 16; i += size) std::memcpy(word + i, word, size);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_WORDS_HPP_
