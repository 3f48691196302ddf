// SPDX-License-Identifier: BSD-3-Clause
// Sorts distinct packed keys by Highway's vectorised quicksort, and merges chunks that several threads have sorted.
#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/cpu/sort/keys.hpp"
#include "impl/cpu/sort/simd.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kParallel = 1 << 16;

// Highway's sort has a fixed cost per call, so short rows use rank_sort().
template <typename V, typename P>
void sort_long(P* keys, int64_t n) {
  hwy::Sorter()(reinterpret_cast<V*>(keys), static_cast<size_t>(n), hwy::SortAscending());
}

// Returns how many of the first `count` merged elements come from `a`.
template <typename P>
int64_t split_of_merge(const P* a, int64_t na, const P* b, int64_t nb, int64_t count) {
  int64_t low = std::max<int64_t>(0, count - nb), high = std::min(count, na);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (a[middle] < b[count - middle - 1]) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Writes elements [begin, end) of the merge of two sorted sequences.
template <typename P>
void merge_chunk(const P* a, int64_t na, const P* b, int64_t nb, int64_t begin, int64_t end, P* out) {
  int64_t i = split_of_merge(a, na, b, nb, begin), j = begin - i;
  const int64_t i_end = split_of_merge(a, na, b, nb, end), j_end = end - i_end;
  P* o = out + begin;
  while (i < i_end && j < j_end) {
    const bool from_b = b[j] < a[i];
    *o++ = from_b ? b[j] : a[i];
    j += from_b;
    i += !from_b;
  }
  o = std::copy(a + i, a + i_end, o);
  std::copy(b + j, b + j_end, o);
}

}  // namespace

void sort_packed(uint32_t* keys, int64_t n) { n <= kRankSorted ? rank_sort(keys, n) : sort_long<uint32_t>(keys, n); }
void sort_packed(uint64_t* keys, int64_t n) { n <= kRankSorted ? rank_sort(keys, n) : sort_long<uint64_t>(keys, n); }
void sort_packed(Packed128* keys, int64_t n) {
  if (n <= kRankSorted || !vectors_sort_pairs()) return std::sort(keys, keys + n);
  sort_long<hwy::uint128_t>(keys, n);
}

template <typename P>
void sort_packed_parallel(P* keys, int64_t n, P* scratch) {
  int64_t chunks = 1;
  while (2 * chunks <= omp_get_max_threads() && n / (2 * chunks) >= kParallel / 2) chunks *= 2;
  if (chunks == 1 || omp_in_parallel()) return sort_packed(keys, n);
  const auto bound = [&](int64_t chunk) { return n * chunk / chunks; };
  diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) sort_packed(keys + bound(p), bound(p + 1) - bound(p));
  });
  P *from = keys, *to = scratch;
  for (int64_t width = 1; width < chunks; width *= 2, std::swap(from, to)) {
    // Each thread merges an equal share of the result, from whichever pair it is.
    diopi::parallel_for(chunks, 1, [&](int64_t begin, int64_t end) {
      for (int64_t p = begin; p < end; ++p) {
        const int64_t pair = p / (2 * width) * (2 * width);
        const int64_t first = bound(pair), middle = bound(pair + width), last = bound(pair + 2 * width);
        merge_chunk(from + first, middle - first, from + middle, last - middle, bound(p) - first, bound(p + 1) - first,
                    to + first);
      }
    });
  }
  if (from != keys) {
    diopi::parallel_for(n, kParallel, [&](int64_t begin, int64_t end) {
      std::memcpy(keys + begin, from + begin, static_cast<size_t>(end - begin) * sizeof(P));
    });
  }
}

template void sort_packed_parallel(uint32_t*, int64_t, uint32_t*);
template void sort_packed_parallel(uint64_t*, int64_t, uint64_t*);
template void sort_packed_parallel(Packed128*, int64_t, Packed128*);

}  // namespace impl::cpu
