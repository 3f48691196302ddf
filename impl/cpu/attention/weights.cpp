// SPDX-License-Identifier: BSD-3-Clause
// The weights of attention themselves, whole rows at a time.
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/weights.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/softmax_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
struct WeightsMemory {
  using T = ComputeOf<S>;
  WeightsMemory(char* memory, int64_t size, int64_t keys) : row(tiles_of(keys, kKeyTile) * kKeyTile) {
    Carver carver(memory);
    keys_t = carver.take<T>(size * kKeyTile);
    widened_keys = carver.take<T>(size * kKeyTile);
    queries = carver.take<T>(size * kQueryTile);
    scores = carver.take<T>(kQueryTile * row);
    factors = carver.take<T>(row);
    bytes = carver.bytes();
  }
  int64_t row;  // the elements of a row of scores
  T *keys_t, *widened_keys, *queries, *scores, *factors;
  int64_t bytes;
};

// Scores of a whole row become weights.
template <typename T>
HWY_INLINE void normalize_row(const AttentionCall& c, const ScoreRow& row, const Seen& seen, int64_t width, T* s) {
  const T factor = finish_but_factor(c, row, seen, s);
  T most = largest(s, seen) * factor;
  if (most == -std::numeric_limits<T>::infinity()) {
    if (!has_nan(s, seen)) {
      std::fill_n(s, width, T{0});
      return;
    }
    most = std::numeric_limits<T>::quiet_NaN();
  }
  const T inverse = T{1} / exponentials(s, Seen{0, width}, seen, factor, most);
  for (int64_t j = seen.begin; j < seen.end; ++j) s[j] *= inverse;
}

template <typename S>
void attention_weights(const AttentionCall& c, const WeightsOutput& output, const ForwardItem& item, char* memory) {
  using T = ComputeOf<S>;
  const int64_t size = c.head_size, keys = c.key_length[item.b], rows = item.queries;
  WeightsMemory<S> m(memory, size, keys);
  const TileProduct<T> product(small_kernel(diopi::dtype_of<T>));
  const S* q = reinterpret_cast<const S*>(c.q.data) + item.b * c.q.batch +
               (c.query_start[item.b] + item.query) * c.q.row + item.head * c.q.head;
  widen_rows(q, c.q.row, rows, size, m.queries);
  for (int64_t key = 0; key < keys; key += kKeyTile) {
    const int64_t n = std::min(kKeyTile, keys - key);
    pack_keys<S>(c, c.k, item.b, item.head / c.group(), key, n, m.widened_keys, m.keys_t);
    product.run(m.queries, size, 1, m.keys_t, kKeyTile, m.scores + key, m.row, rows, size, n, false);
  }
  const bool only_kept = output.dtype == diopi_dtype_bool;
  for (int64_t r = 0; r < rows; ++r) {
    const ScoreRow row{item.b, item.head, item.query + r, 0};
    T* s = m.scores + r * m.row;
    const KeyRange range = visible_keys(c, item.b, row.i);
    normalize_row(c, row, Seen{range.begin, range.end}, m.row, s);
    std::fill_n(m.factors, keys, T{1});
    for (int64_t key = 0; c.drops && key < keys; key += kKeyTile) {
      drop_factors(c, ScoreRow{row.b, row.head, row.i, key}, std::min(kKeyTile, keys - key), m.factors + key);
    }
    for (int64_t j = 0; j < keys; ++j) s[j] = only_kept ? m.factors[j] : m.factors[j] == T{0} ? -s[j] : s[j];
  }
  const int64_t at = item.b * output.batch + item.head * output.head + item.query * output.row;
  const CopyDim dims[] = {{rows, output.row, m.row}, {keys, output.key, 1}};
  copy_strided(output.data + at * diopi::dtype_size(output.dtype), output.dtype, m.scores, diopi::dtype_of<T>, dims, 2);
}

const AttentionWeightsKernel* GetAttentionWeights(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return &kKernel<AttentionWeightsFn, attention_weights<S>, WeightsMemory<S>>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionWeights);

const AttentionWeightsKernel& attention_weights_kernel(diopiDtype_t dtype) {
  return *HWY_DYNAMIC_DISPATCH(GetAttentionWeights)(dtype);
}
}  // namespace impl::cpu
#endif
