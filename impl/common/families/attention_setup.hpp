// SPDX-License-Identifier: BSD-3-Clause
// What the functions of the attention family share.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_SETUP_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_SETUP_HPP_

#include <algorithm>
#include <limits>
#include <vector>

#include "impl/common/engine/attention.hpp"
#include "impl/common/families/fill_number.hpp"
#include "impl/common/families/outputs.hpp"
#include "impl/common/rules/values.hpp"
#include "impl/common/step_memory.hpp"

namespace impl::DIOPI_VENDOR {

// is_causal closes the right side, whatever the right window is.
inline diopi::AttentionWindow attention_window(bool is_causal, int64_t left, int64_t right) {
  return {std::max<int64_t>(left, -1), is_causal ? 0 : std::max<int64_t>(right, -1)};
}

// The slopes as [batch or 1, heads].
inline TensorView slopes_by_batch(const TensorView& slopes) {
  return slopes.ndim() == 1 ? slopes.unsqueeze(0) : slopes;
}

// Reads the generator's stream for a mask of [batch, heads, rows, columns].
inline Status set_dropout(diopiContextHandle_t ctx, double p, diopiGeneratorHandle_t gen, int64_t rows, int64_t columns,
                          AttentionProblem* problem) {
  problem->dropout_p = p;
  problem->word_rows = rows;
  problem->word_columns = columns;
  return p > 0 ? diopi::peek_random(ctx, gen, &problem->stream) : Status(diopiSuccess);
}

// The rows of packed sequences, from a tensor with the begin of each sequence and the end of the last one.
class PackedSequences {
 public:
  // The sequences lie in `rows` rows, and none has more than `most`.
  Status read(diopiContextHandle_t ctx, const TensorView& cumulative, int64_t rows, const char* most_name,
              int64_t most) {
    limits_.resize(static_cast<size_t>(cumulative.numel));
    DIOPI_TRY(read_integers(ctx, cumulative, limits_.data()));
    return check(cumulative.name, rows, most_name, most);
  }
  // The same from a list of the ends of all sequences, without the 0 before.
  Status read(const char* name, const diopiSize_t& ends, int64_t rows, const char* most_name, int64_t most) {
    limits_.assign(1, 0);
    limits_.insert(limits_.end(), ends.data, ends.data + ends.len);
    return check(name, rows, most_name, most);
  }

  int64_t count() const { return static_cast<int64_t>(lengths_.size()); }
  // Whether the sequences have all of the rows.
  bool covers(int64_t rows) const { return limits_.front() == 0 && limits_.back() == rows; }
  // Whether every sequence has so many rows.
  bool all_have(int64_t length) const {
    return std::all_of(lengths_.begin(), lengths_.end(), [=](int64_t n) { return n == length; });
  }
  diopi::SequenceRows rows() const { return {limits_.data(), lengths_.data()}; }
  int64_t length(int64_t b) const { return lengths_[static_cast<size_t>(b)]; }

 private:
  Status check(const char* name, int64_t rows, const char* most_name, int64_t most) {
    for (const int64_t limit : limits_) {
      DIOPI_REQUIRE(limit >= 0 && limit <= rows, diopiErrorOccurred, "%s has the element %lld, expected 0 to %lld",
                    name, static_cast<long long>(limit), static_cast<long long>(rows));
    }
    for (size_t i = 1; i < limits_.size(); ++i) {
      const int64_t length = limits_[i] - limits_[i - 1];
      DIOPI_REQUIRE(length >= 0, diopiErrorOccurred, "%s has the element %lld after %lld, expected no smaller one",
                    name, static_cast<long long>(limits_[i]), static_cast<long long>(limits_[i - 1]));
      DIOPI_REQUIRE(length <= most, diopiErrorOccurred, "%s has a sequence of length %lld, expected at most %s = %lld",
                    name, static_cast<long long>(length), most_name, static_cast<long long>(most));
      lengths_.push_back(length);
    }
    return diopiSuccess;
  }

  std::vector<int64_t> limits_, lengths_;
};

// run_attention() for sequences that need not cover the rows: other rows of `out` become 0, and other elements of `lse`
// +infinity.
inline Status run_packed_attention(diopiContextHandle_t ctx, const AttentionProblem& p, const PackedSequences& queries,
                                   const TensorView& out, const TensorView& lse) {
  const bool whole_out = queries.covers(out.shape[1]), whole_lse = queries.all_have(lse.shape[2]);
  const auto fill_rest = [&]() -> Status {
    if (!whole_out) DIOPI_TRY(fill_number(ctx, out, 0));
    if (!whole_lse) DIOPI_TRY(fill_number(ctx, lse, std::numeric_limits<double>::infinity()));
    return diopiSuccess;
  };
  return diopi::run_steps(fill_rest, [&] { return run_attention(ctx, p, out, {&lse}); });
}

// run_attention_backward() for sequences that need not cover the rows: other rows of the gradients become 0.
inline Status run_packed_backward(diopiContextHandle_t ctx, const AttentionProblem& p, const PackedSequences& queries,
                                  const PackedSequences& keys, const diopi::AttentionStatistics& statistics,
                                  const AttentionGradients& g) {
  const bool whole_q = queries.covers(g.grad_q.shape[1]), whole_k = keys.covers(g.grad_k.shape[1]);
  const auto fill_rest = [&]() -> Status {
    if (!whole_q) DIOPI_TRY(fill_number(ctx, g.grad_q, 0));
    if (!whole_k) DIOPI_TRY(fill_number(ctx, g.grad_k, 0));
    return whole_k ? Status(diopiSuccess) : fill_number(ctx, g.grad_v, 0);
  };
  return diopi::run_steps(fill_rest, [&] { return run_attention_backward(ctx, p, statistics, g); });
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_SETUP_HPP_
