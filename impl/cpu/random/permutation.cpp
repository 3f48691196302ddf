// SPDX-License-Identifier: BSD-3-Clause
// Random permutations: the positions of random keys in increasing order.
#include <algorithm>
#include <utility>

#include "impl/common/parallel.hpp"
#include "impl/cpu/random/blocks.hpp"
#include "impl/cpu/random/random.hpp"
#include "impl/cpu/sort/keys.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kChunk = 1 << 16;
constexpr int64_t kMostChunks = 16;
constexpr int kSpareBits = 2;   // so many more bits than positions have make most keys different
constexpr int kMostDigit = 11;  // more bins are slower than one more pass

// How many bits n has.
int bits_of(int64_t n) {
  int bits = 0;
  while (n >> bits != 0) ++bits;
  return bits;
}

// As many bits as n - 1 has.
uint64_t low_bits(int64_t n) { return n <= 1 ? 0 : (uint64_t{1} << bits_of(n - 1)) - 1; }

// The 64-bit key of position `i` of a permutation.
uint64_t permutation_key(const uint32_t* words, int64_t i, int64_t position, uint64_t low) {
  return (pair_of_words(words, i) & ~low) | static_cast<uint64_t>(position);
}

// Sorts again, by their 64-bit keys, the upper halves that differ only in their low bits, which have the position.
void settle_equal_halves(const uint32_t* words, int64_t n, uint32_t low, uint32_t* keys) {
  uint32_t any = 0;
  for (int64_t i = 1; i < n; ++i) any |= static_cast<uint32_t>(((keys[i - 1] ^ keys[i]) & ~low) == 0);
  if (any == 0) return;
  const auto whole_key = [=](uint32_t i) { return permutation_key(words, i, i, low); };
  for (int64_t begin = 0, end = 1; begin < n; begin = end++) {
    while (end < n && (keys[begin] ^ keys[end]) <= low) ++end;
    if (end - begin == 1) continue;
    std::sort(keys + begin, keys + end,
              [&](uint32_t a, uint32_t b) { return whole_key(a & low) < whole_key(b & low); });
  }
}

// Keys are sorted by their first bits, in passes of counting. Few keys have the same first bits, because the keys are
// uniform random numbers; those are sorted at the end.
struct Passes {
  int64_t n, chunks;
  int count, digit;  // bits of one pass

  explicit Passes(int64_t n) : n(n), chunks(std::clamp<int64_t>(n / kChunk, 1, kMostChunks)) {
    const int bits = bits_of(n) + kSpareBits;
    count = (bits + kMostDigit - 1) / kMostDigit;
    digit = (bits + count - 1) / count;
  }
  int64_t bins() const { return int64_t{1} << digit; }
  int first_shift() const { return 64 - count * digit; }

  // Calls f(chunk, begin, end) for the keys of each chunk.
  template <typename F>
  void for_each_chunk(const F& f) const {
    diopi::parallel_for(chunks, 1, [&](int64_t first, int64_t last) {
      for (int64_t c = first; c < last; ++c) f(c, n * c / chunks, n * (c + 1) / chunks);
    });
  }
};

// Replaces the number of keys of each chunk and bin by the position of the first of them.
void positions_of(const Passes& passes, uint64_t* counts) {
  uint64_t position = 0;
  for (int64_t bin = 0; bin < passes.bins(); ++bin) {
    for (int64_t c = 0; c < passes.chunks; ++c) {
      const uint64_t count = std::exchange(counts[c * passes.bins() + bin], position);
      position += count;
    }
  }
}

// Sorts by the digit that begins at bit `shift`; keys with the same digit keep their order.
void sort_by_digit(const Passes& passes, int shift, const uint64_t* keys, uint64_t* sorted, uint64_t* counts) {
  const auto bin = [=, last = static_cast<uint64_t>(passes.bins() - 1)](uint64_t key) { return key >> shift & last; };
  passes.for_each_chunk([&](int64_t chunk, int64_t begin, int64_t end) {
    uint64_t* const count = counts + chunk * passes.bins();
    std::fill_n(count, passes.bins(), 0);
    for (int64_t i = begin; i < end; ++i) ++count[bin(keys[i])];
  });
  positions_of(passes, counts);
  passes.for_each_chunk([&](int64_t chunk, int64_t begin, int64_t end) {
    uint64_t* const next = counts + chunk * passes.bins();
    for (int64_t i = begin; i < end; ++i) sorted[next[bin(keys[i])]++] = keys[i];
  });
}

// Sorts keys whose first bits are sorted, by insertion: few are not in order.
void sort_almost_sorted(uint64_t* keys, int64_t n) {
  for (int64_t i = 1; i < n; ++i) {
    const uint64_t key = keys[i];
    int64_t to = i;
    for (; to > 0 && keys[to - 1] > key; --to) keys[to] = keys[to - 1];
    keys[to] = key;
  }
}

// Sorts keys whose first bits are sorted, and writes the low bits of all.
void finish_keys(const Passes& passes, uint64_t low, uint64_t* keys, uint64_t* numbers) {
  const int shift = passes.first_shift();
  int64_t limits[kMostChunks + 1];  // between keys with different first bits
  for (int64_t c = 0; c <= passes.chunks; ++c) {
    int64_t limit = passes.n * c / passes.chunks;
    while (limit > 0 && limit < passes.n && keys[limit - 1] >> shift == keys[limit] >> shift) ++limit;
    limits[c] = limit;
  }
  passes.for_each_chunk([&](int64_t chunk, int64_t, int64_t) {
    const int64_t begin = limits[chunk], end = limits[chunk + 1];
    sort_almost_sorted(keys + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) numbers[i] = keys[i] & low;
  });
}

}  // namespace

int64_t permutation_memory(int64_t n) {
  const Passes passes(n);
  return 2 * n + passes.chunks * passes.bins();
}

void random_permutation(RandomStream stream, int64_t n, uint64_t* numbers) {
  const Passes passes(n);
  uint64_t *from = numbers, *to = numbers + n, *const counts = to + n;
  const uint64_t low = low_bits(n);
  for_each_block(stream, n, 2, [&](int64_t first, int64_t count, const uint32_t* words) {
    for (int64_t i = 0; i < count; ++i) numbers[first + i] = permutation_key(words, i, first + i, low);
  });
  for (int pass = 0; pass < passes.count; ++pass, std::swap(from, to)) {
    sort_by_digit(passes, passes.first_shift() + pass * passes.digit, from, to, counts);
  }
  finish_keys(passes, low, from, numbers);
}

void random_short_permutation(RandomStream stream, int64_t n, int32_t* numbers) {
  const auto low = static_cast<uint32_t>(low_bits(n));
  alignas(64) uint32_t words[2 * kShortPermutation], keys[kShortPermutation];
  philox_words(stream, 0, (2 * n + kPhiloxLanes - 1) / kPhiloxLanes, words);
  for (int64_t i = 0; i < n; ++i) keys[i] = (words[2 * i + 1] & ~low) | static_cast<uint32_t>(i);
  sort_packed(keys, n);
  settle_equal_halves(words, n, low, keys);
  for (int64_t i = 0; i < n; ++i) numbers[i] = static_cast<int32_t>(keys[i] & low);
}

}  // namespace impl::cpu
