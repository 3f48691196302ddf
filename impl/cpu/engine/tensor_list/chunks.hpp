// SPDX-License-Identifier: BSD-3-Clause
// The elements of all tensors of a list as chunks, which threads divide among themselves. Chunks depend only on the
// shapes.
#ifndef IMPL_CPU_ENGINE_TENSOR_LIST_CHUNKS_HPP_
#define IMPL_CPU_ENGINE_TENSOR_LIST_CHUNKS_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/parallel.hpp"
#include "impl/common/view_list.hpp"

namespace impl::cpu {

inline constexpr int64_t kListChunk = 16384;  // elements

inline int64_t chunks_of(int64_t numel) { return (numel + kListChunk - 1) / kListChunk; }
inline int64_t list_chunks(const diopi::TensorView& view) { return chunks_of(view.numel); }

inline int64_t list_chunks(const diopi::ViewList& views) {
  int64_t chunks = 0;
  for (const diopi::TensorView& view : views) chunks += list_chunks(view);
  return chunks;
}

// Calls f(tensor, chunk, first, n) for every chunk of `count` tensors, on several threads: `chunk` counts the chunks of
// all tensors, and the elements are [first, first + n) of tensor number `tensor`, which has numel(tensor) elements.
// `each` is the time of an element in picoseconds.
template <typename Numel, typename F>
void for_chunks(int64_t count, int64_t each, const Numel& numel, const F& f) {
  constexpr int64_t kStart = 20000;  // picoseconds to begin a chunk
  int64_t elements = 0, chunks = 0;
  for (int64_t k = 0; k < count; ++k) {
    elements += numel(k);
    chunks += chunks_of(numel(k));
  }
  const diopi::Picoseconds cost{chunks > 0 ? kStart + elements / chunks * each : kStart};
  diopi::parallel_for(chunks, cost, [&numel, &f](int64_t begin, int64_t end) {
    int64_t tensor = 0, before = 0;  // the tensor of the chunk, and the chunks of the tensors before it
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      while (chunk - before >= chunks_of(numel(tensor))) before += chunks_of(numel(tensor++));
      const int64_t first = (chunk - before) * kListChunk;
      f(tensor, chunk, first, std::min(kListChunk, numel(tensor) - first));
    }
  });
}

// for_chunks for the tensors of a list.
template <typename F>
void for_list_chunks(const diopi::ViewList& views, int64_t each, const F& f) {
  for_chunks(
      views.size(), each, [&views](int64_t k) { return views[k].numel; }, f);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_TENSOR_LIST_CHUNKS_HPP_
