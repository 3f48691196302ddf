// SPDX-License-Identifier: BSD-3-Clause
// One query row of a head against the keys or values of its sequence in a cache.
#ifndef IMPL_CPU_ATTENTION_TOKEN_HPP_
#define IMPL_CPU_ATTENTION_TOKEN_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// Row t of the cache is rows[t] * stride bytes behind `cache`; it has `d` adjacent elements.
struct CacheRows {
  const char* cache;
  const int64_t* rows;
  int64_t stride, count, d;
};

// scores[t * step] = scale * (q . row t).
using ScoreRowsFn = void (*)(const CacheRows& cache, const void* q, double scale, void* scores, int64_t step);
ScoreRowsFn score_rows_kernel(diopiDtype_t dtype);

// out = sum of softmax(weights)[t] * row t. `weights` and `sums` have the compute dtype; `weights` is overwritten, and
// `sums` has room for 2 * d elements.
using SumRowsFn = void (*)(const CacheRows& cache, void* weights, void* sums, void* out);
SumRowsFn sum_rows_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ATTENTION_TOKEN_HPP_
