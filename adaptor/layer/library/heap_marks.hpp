// SPDX-License-Identifier: BSD-3-Clause
// Tells libdiopi_layer_heap.so, if it is loaded, which call a thread computes.
#ifndef ADAPTOR_LAYER_LIBRARY_HEAP_MARKS_HPP_
#define ADAPTOR_LAYER_LIBRARY_HEAP_MARKS_HPP_

#include "adaptor/layer/heap/heap.hpp"

namespace diopi::layer {

// Null if the heap is not observed.
extern const HeapFunctions* heap;

// Finds the library. Called before the first call is observed.
void observe_heap();

// What this thread allocates belongs to `mark` as long as the object lives.
class HeapScope {
 public:
  explicit HeapScope(HeapMark mark) {
    if (__builtin_expect(static_cast<int>(heap != nullptr), 0) != 0) before_ = heap->mark(mark);
  }
  ~HeapScope() {
    if (__builtin_expect(static_cast<int>(heap != nullptr), 0) != 0) heap->mark(before_);
  }
  HeapScope(const HeapScope&) = delete;
  HeapScope& operator=(const HeapScope&) = delete;

 private:
  HeapMark before_;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_LIBRARY_HEAP_MARKS_HPP_
