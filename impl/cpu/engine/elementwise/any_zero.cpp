// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <type_traits>

#include "impl/common/engine/elementwise.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/common/shape.hpp"

namespace impl::cpu {

namespace {

template <typename T>
bool has_zero(const T* p, int64_t n, int64_t step) {
  unsigned zeros = 0;
  if (step == 1) {  // this loop uses vectors
    for (int64_t i = 0; i < n; ++i) zeros |= static_cast<unsigned>(p[i] == 0);
  } else {
    for (int64_t i = 0; i < n; ++i) zeros |= static_cast<unsigned>(p[i * step] == 0);
  }
  return zeros != 0;
}

template <typename T>
bool has_zero(const TensorView& view) {
  constexpr int64_t kGrain = 1 << 16, kBlock = 1 << 12;  // elements
  auto nest = diopi::row_major_nest(view.shape, view.stride);
  nest.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  nest.merge();
  const int64_t step = nest.inner_stride();
  std::atomic<bool> found{false};
  diopi::parallel_for(view.numel, kGrain, [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(nest, begin);
    while (begin < end && !found.load(std::memory_order_relaxed)) {
      const int64_t count = std::min(kBlock, end - begin);
      at.for_runs(count, [&](int64_t run) {
        if (has_zero(view.ptr<T>() + at.offset(), run, step)) found.store(true, std::memory_order_relaxed);
      });
      begin += count;
    }
  });
  return found.load(std::memory_order_relaxed);
}

}  // namespace

Status any_zero(diopiContextHandle_t /*ctx*/, const TensorView& view, bool* found) {
  const TensorView once = diopi::without_repeats(view);
  *found = once.numel > 0 && diopi::for_itemsize(once.itemsize(), [&](auto tag) {
             using T = diopi::tagged<decltype(tag)>;
             if constexpr (std::is_integral_v<T>) {
               return has_zero<T>(once);
             } else {
               return false;  // integers have at most 8 bytes
             }
           });
  return diopiSuccess;
}

}  // namespace impl::cpu
