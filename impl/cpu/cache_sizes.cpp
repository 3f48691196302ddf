// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/cache_sizes.hpp"

#include <unistd.h>

#include "impl/cpu/prefetch.hpp"

namespace impl::cpu {

namespace {

int64_t ask_for_second_level_cache() {
  constexpr int64_t kUsual = int64_t{1} << 20, kLeast = kUsual / 4, kMost = 4 * kUsual;
#if defined(_SC_LEVEL2_CACHE_SIZE)
  const int64_t size = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (size >= kLeast && size <= kMost) return size;
#endif
  return kUsual;
}

}  // namespace

int64_t second_level_cache() {
  static const int64_t kSize = ask_for_second_level_cache();
  return kSize;
}

int64_t stream_bytes() { return fetches_ahead() ? second_level_cache() : stream_fill_bytes(); }

int64_t stream_fill_bytes() { return int64_t{8} << 20; }

}  // namespace impl::cpu
