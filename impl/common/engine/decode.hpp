// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements for the bookkeeping of tokens, and for single tokens that look at a cache.
#ifndef IMPL_COMMON_ENGINE_DECODE_HPP_
#define IMPL_COMMON_ENGINE_DECODE_HPP_

#include "impl/common/tensor_view.hpp"

namespace diopi {

// Writes the ids [steps, B] of each sequence b to row b of `out`, without those of the steps from lengths[b] up to
// `padded_length`. Ids behind the end of a row are dropped; other places of `out` keep their values. The vendor checks
// that no length is negative or greater than padded_length: refuse_length(). `lengths` has the shape [B].
struct GatherStepsProblem {
  const TensorView &out, &ids, &lengths;
  int64_t padded_length, steps;
};

inline Status refuse_length(const char* name, int64_t length, int64_t position, int64_t padded_length) {
  return fail(diopiErrorOccurred, "%s holds %lld at position %lld, expected a number from 0 to max_context_len = %lld",
              name, static_cast<long long>(length), static_cast<long long>(position),
              static_cast<long long>(padded_length));
}

// The tokens of each sequence in a cache, of which sequence b has length[b]: token t is row location[b, longest -
// length[b] + t] of the cache and column start[b] + t of the scores. The vendor checks 0 <= length[b] <= longest, that
// the rows that are used lie in the cache, and that the columns of the sequences lie in the scores one behind the
// other.
struct CachedTokens {
  const TensorView &location, &start, &length;
  int64_t longest;
};

// Subtracts count * frequency + presence from logits, from each original one; if `repetition` is given, logits are
// divided (if positive) or multiplied by it before. With `starts` [B + 1], tokens starts[b] to starts[b + 1] belong to
// row b and the penalties have an element for each row. Otherwise ids are positions in the flattened logits, and the
// penalties have the shape of `ids`. The vendor checks ids and starts.
struct TokenPenalties {
  const TensorView &logits, &ids, &counts;
  const TensorView &presence, &frequency;
  const TensorView *repetition, *starts;
};

// cos and sin of (first + t - padding[b]) * theta^(-2 i / (2 n)) at [b, t, 0, i], for tensors [B, tokens, 1, n] of
// float32 or float64. `padding` has the shape [B]; null: 0. The vendor checks 0 <= padding[b] <= first.
struct RopeAngles {
  const TensorView &cos, &sin;
  double theta;
  int64_t first;
  const TensorView* padding;
};

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::CachedTokens;
using diopi::GatherStepsProblem;
using diopi::RopeAngles;
using diopi::Status;
using diopi::TensorView;
using diopi::TokenPenalties;

Status gather_steps(diopiContextHandle_t ctx, const GatherStepsProblem& p);
Status subtract_penalties(diopiContextHandle_t ctx, const TokenPenalties& p);
// scores[h, column of token t of b] = q[b, h] . k[row of the token, floor(h / group)] / sqrt(D). q is [B, heads, D], k
// [rows, key heads, D], `scores` [heads, columns].
Status score_tokens(diopiContextHandle_t ctx, const CachedTokens& tokens, const TensorView& scores, const TensorView& q,
                    const TensorView& k);
// out[b, h] = the sum over tokens of softmax(scores of the sequence)[t] v[row of the token, floor(h / group)].
Status sum_tokens(diopiContextHandle_t ctx, const CachedTokens& tokens, const TensorView& out, const TensorView& scores,
                  const TensorView& v);
Status make_rope_angles(diopiContextHandle_t ctx, const RopeAngles& p);

// For caches that are rings of `places` places. The next token of sequence b goes to places_of[b] = lengths[b] mod
// `places`, and then counts[b] places are in use. Of a finished sequence (null: none) both are -1 and 0. The vendor
// checks that no length is negative.
Status read_ring(diopiContextHandle_t ctx, const TensorView& lengths, const TensorView* finished, int64_t places,
                 int64_t* places_of, int64_t* counts);
// cache[b, places[b]] = tokens[b, 0] for each b whose place is not negative. Both have four dimensions.
Status store_tokens(diopiContextHandle_t ctx, const TensorView& cache, const TensorView& tokens, const int64_t* places);
// out[b] = in[b] for each b whose place is not negative.
Status replace_rows(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const int64_t* places);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_DECODE_HPP_
