// SPDX-License-Identifier: BSD-3-Clause
// The forward pass for sequences of one query, as in decoding. It reads keys and values in place, once for all query
// heads that share them, because the speed of memory decides.
#include <hwy/cache_control.h>

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/attention/attention.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/attention/decode.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "impl/cpu/attention/forward_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

constexpr int64_t kHeadsTogether = 4;    // query heads whose sums are in registers at the same time
constexpr int64_t kVectorsTogether = 4;  // vectors of each head
constexpr int64_t kRowsAhead = 8;        // rows that are prefetched; the rows of a head lie on different pages
constexpr int64_t kCacheLine = 64;

template <typename S>
struct DecodeMemory {
  using T = ComputeOf<S>;
  DecodeMemory(char* memory, int64_t size, int64_t heads) {
    Carver carver(memory);
    q = carver.take<T>(heads * size);
    sums = carver.take<T>(heads * size);
    max = carver.take<T>(heads);
    total = carver.take<T>(heads);
    scores = carver.take<T>(kHeadsTogether * kKeyTile);
    factors = carver.take<T>(kKeyTile);
    bytes = carver.bytes();
  }
  T *q, *sums, *max, *total;  // of each head
  T *scores, *factors;        // [kHeadsTogether][kKeyTile], [kKeyTile]
  int64_t bytes;
};

template <typename S>
HWY_INLINE void prefetch_row(const S* row, int64_t n) {
  constexpr int64_t kLine = kCacheLine / static_cast<int64_t>(sizeof(S));
  for (int64_t i = 0; i < n; i += kLine) hwy::Prefetch(row + i);
}

template <typename S>
struct DecodePass {
  using T = ComputeOf<S>;
  const AttentionCall& c;
  const DecodeItem& item;
  DecodeMemory<S>& m;

  // The products of the queries of kHeads heads from the `head`-th of the item with keys [key, key + n).
  template <int kHeads>
  void score(int64_t head, int64_t key, int64_t n, T* scores) const {
    const TagOf<S> d;
    const int64_t size = c.head_size, whole = size / lanes_of<S>() * lanes_of<S>();
    const T* q = m.q + head * size;
    for_key_runs<S>(c, c.k, item.b, item.key_head, key, n, [&](int64_t first, int64_t count, const S* row) HWY_ATTR {
      for (int64_t t = 0; t < count; ++t, row += c.k.row) {
        if (head == 0 && t + kRowsAhead < count) prefetch_row(row + kRowsAhead * c.k.row, size);
        VecOf<S> sum[kHeads];
        for (int h = 0; h < kHeads; ++h) sum[h] = hn::Zero(d);
        for (int64_t i = 0; i < whole; i += lanes_of<S>()) {
          const auto x = load_vector(row + i);
          for (int h = 0; h < kHeads; ++h) sum[h] = hn::MulAdd(x, load_vector(q + h * size + i), sum[h]);
        }
        if (whole < size) {
          const auto x = load_some(row + whole, size - whole);
          for (int h = 0; h < kHeads; ++h) {
            sum[h] = hn::MulAdd(x, load_some(q + h * size + whole, size - whole), sum[h]);
          }
        }
        for (int h = 0; h < kHeads; ++h) scores[h * kKeyTile + first + t] = hn::GetLane(hn::SumOfLanes(d, sum[h]));
      }
    });
  }

  // Adds the values of keys [key, key + n) times their weights to elements [at, at + kVectors vectors) of the sums;
  // `left` counts the elements if the only vector is not whole, else it is 0.
  template <int kHeads, int kVectors>
  void add_values(int64_t head, int64_t key, int64_t n, const T* weights, int64_t at, int64_t left) const {
    const TagOf<S> d;
    const int64_t size = c.head_size, lanes = lanes_of<S>();
    VecOf<S> sum[kHeads][kVectors];
    for (int h = 0; h < kHeads; ++h) {
      for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::Zero(d);
    }
    for_key_runs<S>(c, c.v, item.b, item.key_head, key, n, [&](int64_t first, int64_t count, const S* row) HWY_ATTR {
      const T* weight = weights + first;
      for (int64_t t = 0; t < count; ++t, row += c.v.row) {
        if (head == 0 && t + kRowsAhead < count) {
          prefetch_row(row + kRowsAhead * c.v.row + at, left > 0 ? left : kVectors * lanes);
        }
        VecOf<S> x[kVectors];
        for (int v = 0; v < kVectors; ++v) {
          x[v] = left > 0 ? load_some(row + at, left) : load_vector(row + at + v * lanes);
        }
        for (int h = 0; h < kHeads; ++h) {
          const auto by = hn::Set(d, weight[h * kKeyTile + t]);
          for (int v = 0; v < kVectors; ++v) sum[h][v] = hn::MulAdd(by, x[v], sum[h][v]);
        }
      }
    });
    for (int h = 0; h < kHeads; ++h) {
      for (int v = 0; v < kVectors; ++v) {
        T* out = m.sums + (head + h) * size + at + v * lanes;
        if (left > 0) {
          store_some<T>(hn::Add(sum[h][v], load_some(out, left)), out, left);
        } else {
          store_vector<T>(hn::Add(sum[h][v], load_vector(out)), out);
        }
      }
    }
  }

  template <int kHeads>
  void run_heads(int64_t head, int64_t key, const Seen& seen) const {
    const int64_t lanes = lanes_of<S>(), n = seen.end - seen.begin, size = c.head_size;
    const Seen used{seen.begin / lanes * lanes, seen.end};
    score<kHeads>(head, key + seen.begin, n, m.scores + seen.begin);
    for (int64_t h = 0; h < kHeads; ++h) {
      const int64_t at = head + h;
      weigh_row(c, ScoreRow{item.b, item.head + at, 0, key}, used, seen, m.scores + h * kKeyTile, m.max + at,
                m.total + at, m.sums + at * size, m.factors);
    }
    for (int64_t first = seen.begin; first < seen.end; first += kTermsTogether) {
      add_all_values<kHeads>(head, key + first, std::min(kTermsTogether, seen.end - first), m.scores + first);
    }
  }

  template <int kHeads>
  void add_all_values(int64_t head, int64_t key, int64_t n, const T* weights) const {
    const int64_t lanes = lanes_of<S>(), size = c.head_size;
    int64_t at = 0;
    for (; at + kVectorsTogether * lanes <= size; at += kVectorsTogether * lanes) {
      add_values<kHeads, kVectorsTogether>(head, key, n, weights, at, 0);
    }
    for (; at < size; at += lanes) {
      add_values<kHeads, 1>(head, key, n, weights, at, at + lanes <= size ? 0 : size - at);
    }
  }

  void run() const {
    const int64_t size = c.head_size;
    const S* q = reinterpret_cast<const S*>(c.q.data) + item.b * c.q.batch + c.query_start[item.b] * c.q.row;
    widen_rows(q + item.head * c.q.head, c.q.head, item.heads, size, m.q);
    std::fill_n(m.sums, item.heads * size, T{0});
    std::fill_n(m.max, item.heads, -std::numeric_limits<T>::infinity());
    std::fill_n(m.total, item.heads, T{0});
    const KeyRange range = visible_keys(c, item.b, 0);
    for (int64_t key = range.begin / kKeyTile * kKeyTile; key < range.end; key += kKeyTile) {
      const Seen seen = seen_in_tile(range, key, std::min(kKeyTile, c.key_length[item.b] - key));
      int64_t head = 0;
      for (; head + kHeadsTogether <= item.heads; head += kHeadsTogether) run_heads<kHeadsTogether>(head, key, seen);
      for (; head < item.heads; ++head) run_heads<1>(head, key, seen);
    }
  }
};

template <typename S>
void attention_decode(const AttentionCall& c, const ForwardOutputs& outputs, const DecodeItem& item, char* memory) {
  DecodeMemory<S> m(memory, c.head_size, item.heads);
  DecodePass<S>{c, item, m}.run();
  for (int64_t h = 0; h < item.heads; ++h) {
    write_result<S>(c, outputs, item.b, item.head + h, 0, m.max[h], m.total[h], m.sums + h * c.head_size);
  }
}

const AttentionDecodeKernel* GetAttentionDecode(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return &kKernel<AttentionDecodeFn, attention_decode<S>, DecodeMemory<S>>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetAttentionDecode);

const AttentionDecodeKernel& attention_decode_kernel(diopiDtype_t dtype) {
  return *HWY_DYNAMIC_DISPATCH(GetAttentionDecode)(dtype);
}
}  // namespace impl::cpu
#endif
