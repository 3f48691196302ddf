// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sort/distinct_integers.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"

namespace impl::cpu {

namespace {

template <typename T>
const T* elements(const IntegerRange& range) {
  return static_cast<const T*>(range.data);
}

template <typename T>
uint64_t entry(const IntegerRange& range, T x) {
  return static_cast<uint64_t>(x) - range.least;
}

template <typename T>
void find_range(IntegerRange* range) {
  const T* x = elements<T>(*range);
  T least = x[0], most = x[0];
  for (int64_t i = 1; i < range->n; ++i) {
    least = std::min(least, x[i]);
    most = std::max(most, x[i]);
  }
  range->least = static_cast<uint64_t>(least);
  range->extent = entry(*range, most);
}

template <typename T>
void find_first(const IntegerRange& range, uint32_t* first) {
  const T* x = elements<T>(range);
  for (int64_t i = range.n - 1; i >= 0; --i) first[entry(range, x[i])] = static_cast<uint32_t>(i);
}

template <typename T>
void look_up(const IntegerRange& range, const uint32_t* table, int64_t begin, int64_t end, void* out, int64_t stride,
             bool wide) {
  const T* x = elements<T>(range);
  if (wide) {
    for (int64_t i = begin; i < end; ++i) static_cast<int64_t*>(out)[i * stride] = table[entry(range, x[i])];
  } else {
    for (int64_t i = begin; i < end; ++i) {
      static_cast<int32_t*>(out)[i * stride] = static_cast<int32_t>(table[entry(range, x[i])]);
    }
  }
}

template <typename T>
void count(const IntegerRange& range, const uint32_t* table, int64_t* counts) {
  const T* x = elements<T>(range);
  for (int64_t i = 0; i < range.n; ++i) ++counts[table[entry(range, x[i])]];
}

template <typename T>
constexpr IntegerKernels kKernels{find_range<T>, find_first<T>, look_up<T>, count<T>};

}  // namespace

const IntegerKernels* integer_kernels(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::IntegerTypes>(dtype,
                                                [](auto tag) { return &kKernels<diopi::tagged<decltype(tag)>>; });
}

}  // namespace impl::cpu
