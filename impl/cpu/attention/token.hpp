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

// The query heads [first, first + heads), whose results are `out_head` elements apart.
struct TokenSums {
  int64_t first, heads;
  void* memory;  // token_sums_room() elements of the compute dtype for each head, beginning with its scores
  void* out;
  int64_t out_head;
};
// The number of elements for each head if a sequence has at most `longest` tokens.
constexpr int64_t token_sums_room(int64_t longest, int64_t d) { return longest + 2 * d + 1; }
// out[h] = sum of softmax(scores of h)[t] * the head h / group of row t. `room` is token_sums_room().
using SumRowsFn = void (*)(const CacheRows& cache, const TokenSums& sums, int64_t room);
SumRowsFn sum_rows_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ATTENTION_TOKEN_HPP_
