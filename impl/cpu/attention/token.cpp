// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/attention/token.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/token.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/attention/cache_rows-inl.h"
#include "impl/cpu/math/math-inl.h"
#include "impl/cpu/simd/row_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Finds the rows of tokens in the cache, from the elements of key head `head` on.
template <typename S>
struct FindRows {
  const CacheRows& cache;
  int64_t head;
  void operator()(int64_t t, int64_t count, RowBlock<S>* rows) const {
    const S* const base = static_cast<const S*>(cache.cache) + head * cache.head;
    for (int64_t i = 0; i < count; ++i) rows->row[i] = base + cache.rows[t + i] * cache.row;
  }
};

// The scores of some heads. They are collected for some tokens, because those of one token lie far apart.
template <typename S>
struct ScorePass {
  using T = ComputeOf<S>;
  static constexpr int64_t kHeads = 64;
  const CacheRows& cache;
  const TokenScores& s;
  int64_t key_head, key_heads;  // key heads, and of each of them the query heads [first, first + heads) of its group
  int64_t first, heads;

  const T* q(int64_t key) const {
    return static_cast<const T*>(s.q) + ((key_head + key) * cache.group + first) * s.q_head;
  }

  // Writes the scores of `count` tokens from token t on.
  void write(int64_t t, int64_t count, const T* collected) const {
    const TagOf<S> d;
    const auto scale = hn::Set(d, static_cast<T>(s.scale));
    S line[kTokensTogether];
    for (int64_t k = 0; k < key_heads; ++k) {
      for (int64_t h = 0; h < heads; ++h, collected += kTokensTogether) {
        const int64_t head = (key_head + k) * cache.group + first + h;
        S* const out = static_cast<S*>(s.scores) + head * s.head + t * s.token;
        S* const to = s.token == 1 ? out : line;
        for_vectors<S>(count, [&](int64_t i, auto load, auto store, auto)
                                  HWY_ATTR { store(hn::Mul(load(collected + i), scale), to + i); });
        for (int64_t i = 0; to == line && i < count; ++i) out[i * s.token] = line[i];
      }
    }
  }

  void run(int64_t begin, int64_t end) const {
    T collected[kHeads * kTokensTogether];
    int64_t tile = begin;  // the first token that is collected
    const int64_t together = rows_together(key_heads * cache.d * static_cast<int64_t>(sizeof(S)));
    for_row_blocks(begin, end, together, FindRows<S>{cache, key_head}, RowBlock<S>{},
                   [&](int64_t t, const RowBlock<S>& rows, const RowBlock<S>& next) HWY_ATTR {
                     for (int64_t k = 0; k < key_heads; ++k) {
                       T* const to = collected + k * heads * kTokensTogether + (t - tile);
                       multiply_all_rows(
                           rows.at_head(k * cache.head), next.at_head(k * cache.head), cache.d, q(k), s.q_head, heads,
                           [&](int64_t h, int64_t i, T product) HWY_ATTR { to[h * kTokensTogether + i] = product; });
                     }
                     const int64_t count = t + rows.count - tile;
                     if (count < kTokensTogether && next.count > 0) return;
                     write(tile, count, collected);
                     tile += count;
                   });
  }
};

template <typename S>
void score_rows(const CacheRows& cache, const TokenScores& s, int64_t begin, int64_t end) {
  constexpr int64_t kHeads = ScorePass<S>::kHeads;
  const int64_t key_heads = s.heads / cache.group, together = std::max<int64_t>(1, kHeads / cache.group);
  for (int64_t k = 0; k < key_heads; k += together) {
    for (int64_t h = 0; h < cache.group; h += kHeads) {
      ScorePass<S>{cache, s, k, std::min(together, key_heads - k), h, std::min(kHeads, cache.group - h)}.run(begin,
                                                                                                             end);
    }
  }
}

template <typename S>
double make_weights(void* scores, int64_t count) {
  using T = ComputeOf<S>;
  T* const weights = static_cast<T*>(scores);
  const TagOf<T> d;
  const auto most = hn::Set(d, row_maximum(weights, count));
  return 1 / sum_vectors<T>(count, [&](int64_t i, auto load, auto store) {
           const auto power = Exp(d, hn::Sub(load(weights + i), most));
           store(power, weights + i);
           return power;
         });
}

// The sums of a call. Each head has the sum of all rows and the sum of some rows.
template <typename S>
struct SumPass {
  using T = ComputeOf<S>;
  const CacheRows& cache;
  const TokenSums& s;

  const T* weights(int64_t h) const { return static_cast<const T*>(s.weights) + h * s.weights_step; }
  T* total(int64_t h) const { return static_cast<T*>(s.sums) + h * 2 * cache.d; }
  T* part(int64_t h) const { return total(h) + cache.d; }

  // Adds the rows to the parts of the heads of each key head.
  void add_rows_to_parts(int64_t t, const RowBlock<S>& rows, const RowBlock<S>& next) const {
    const int64_t first_key = s.first / cache.group;
    for (int64_t h = 0; h < s.heads;) {
      const int64_t key_head = (s.first + h) / cache.group, offset = (key_head - first_key) * cache.head;
      const int64_t end = std::min(s.heads, (key_head + 1) * cache.group - s.first);
      add_all_weighted_rows(rows.at_head(offset), next.at_head(offset), cache.d, end - h,
                            WeightedSums<T>{weights(h) + t, s.weights_step, part(h), 2 * cache.d});
      h = end;
    }
  }

  // Moves the parts to the sums of all rows.
  void add_parts() const {
    for (int64_t h = 0; h < s.heads; ++h) {
      T *const sums = total(h), *const some = part(h);
      for_vectors<T>(cache.d, [&](int64_t i, auto load, auto store, auto) {
        store(hn::Add(load(sums + i), load(some + i)), sums + i);
      });
      std::fill_n(some, cache.d, T(0));
    }
  }

  void run(int64_t begin, int64_t end) const {
    std::fill_n(total(0), s.heads * 2 * cache.d, T(0));
    const auto add = [&](int64_t t, const RowBlock<S>& rows, const RowBlock<S>& next) HWY_ATTR {
      add_rows_to_parts(t, rows, next);
      if ((t + rows.count - begin) % kTokensTogether == 0 || next.count == 0) add_parts();
    };
    const int64_t key_head = s.first / cache.group, key_heads = (s.first + s.heads - 1) / cache.group + 1 - key_head;
    const int64_t together = rows_together(key_heads * cache.d * static_cast<int64_t>(sizeof(S)));
    for_row_blocks(begin, end, together, FindRows<S>{cache, key_head}, RowBlock<S>{}, add);
  }
};

template <typename S>
void sum_rows(const CacheRows& cache, const TokenSums& sums, int64_t begin, int64_t end) {
  SumPass<S>{cache, sums}.run(begin, end);
}

template <typename S>
void add_sums(const void* sums, int64_t count, int64_t step, int64_t d, double factor, void* out) {
  using T = ComputeOf<S>;
  const T* const first = static_cast<const T*>(sums);
  S* const y = static_cast<S*>(out);
  const auto by = hn::Set(TagOf<S>(), static_cast<T>(factor));
  for_vectors<S>(d, [&](int64_t i, auto load, auto store, auto) HWY_ATTR {
    auto sum = load(first + i);
    for (int64_t k = 1; k < count; ++k) sum = hn::Add(sum, load(first + k * step + i));
    store(hn::Mul(sum, by), y + i);
  });
}

ScoreRowsFn GetScoreRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return score_rows<diopi::tagged<decltype(tag)>>; });
}

MakeWeightsFn GetMakeWeights(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return make_weights<diopi::tagged<decltype(tag)>>; });
}

SumRowsFn GetSumRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return sum_rows<diopi::tagged<decltype(tag)>>; });
}

AddSumsFn GetAddSums(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return add_sums<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetScoreRows);
HWY_EXPORT(GetMakeWeights);
HWY_EXPORT(GetSumRows);
HWY_EXPORT(GetAddSums);

ScoreRowsFn score_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetScoreRows)(dtype); }
MakeWeightsFn make_weights_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetMakeWeights)(dtype); }
SumRowsFn sum_rows_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetSumRows)(dtype); }
AddSumsFn add_sums_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetAddSums)(dtype); }
}  // namespace impl::cpu
#endif
