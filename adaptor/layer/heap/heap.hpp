// SPDX-License-Identifier: BSD-3-Clause
// What libdiopi_layer_heap.so tells the layer about the heap of the process. The library stands in front of malloc and
// is loaded only for the mode memory, because it makes each malloc and free slower.
#ifndef ADAPTOR_LAYER_HEAP_HEAP_HPP_
#define ADAPTOR_LAYER_HEAP_HEAP_HPP_

#include <cstdint>

namespace diopi::layer {

// What a thread computes: a call of an operator, or nothing if `function` is null.
struct HeapMark {
  const void* function = nullptr;
  int64_t call = 0;
};

// Memory that was allocated under a mark and is not freed.
struct HeapPiece {
  HeapMark mark;
  uint64_t bytes = 0;
};

struct HeapFunctions {
  // Sets the mark of this thread and returns the one before.
  HeapMark (*mark)(HeapMark mark);
  // Shows all pieces that are alive.
  void (*visit)(void (*visitor)(const HeapPiece& piece, void* data), void* data);
  // Whether the object at this address, which malloc returned, was freed after the first question about it. Memory that
  // was asked about is never used again.
  bool (*has_ended)(const void* object);
};

}  // namespace diopi::layer

// The library's only symbol beside those of the heap.
extern "C" __attribute__((visibility("default"))) const diopi::layer::HeapFunctions diopi_layer_heap;

#endif  // ADAPTOR_LAYER_HEAP_HEAP_HPP_
