// SPDX-License-Identifier: BSD-3-Clause
// One query of each head against the keys or values of its sequence in a cache.
#ifndef IMPL_CPU_ATTENTION_TOKEN_HPP_
#define IMPL_CPU_ATTENTION_TOKEN_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// The keys or values of a sequence. Token t is row rows[t] of the cache; rows are `row` elements apart. A row has the
// elements of each key head, `head` elements apart. Each key head belongs to `group` query heads.
struct CacheRows {
  const void* cache;
  const int64_t* rows;
  int64_t row, head, count, d, group;
};

// Query h is h * q_head elements behind `q`, in the compute dtype. The score of token t for it is h * head + t * token
// elements behind `scores`.
struct TokenScores {
  const void* q;
  int64_t q_head, heads;
  double scale;
  void* scores;
  int64_t head, token;
};
// The score of a token for query h: scale * (q[h] . the row's head h / group). For tokens [begin, end).
using ScoreRowsFn = void (*)(const CacheRows& cache, const TokenScores& scores, int64_t begin, int64_t end);
ScoreRowsFn score_rows_kernel(diopiDtype_t dtype);

// Replaces `count` scores in the compute dtype by exp(score - largest). Returns the inverse of their sum.
using MakeWeightsFn = double (*)(void* scores, int64_t count);
MakeWeightsFn make_weights_kernel(diopiDtype_t dtype);

// The query heads [first, first + heads). Their weights are `weights_step` elements apart; each has 2 * d elements of
// sums, which begin with its result. All have the compute dtype.
struct TokenSums {
  int64_t first, heads;
  const void* weights;
  int64_t weights_step;
  void* sums;
};
// sums of h = sum of weight[t] * the head h / group of row t, for tokens [begin, end).
using SumRowsFn = void (*)(const CacheRows& cache, const TokenSums& sums, int64_t begin, int64_t end);
SumRowsFn sum_rows_kernel(diopiDtype_t dtype);

// out = factor * the sum of `count` rows of d elements of the compute dtype, which are `step` elements apart.
using AddSumsFn = void (*)(const void* sums, int64_t count, int64_t step, int64_t d, double factor, void* out);
AddSumsFn add_sums_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ATTENTION_TOKEN_HPP_
