// SPDX-License-Identifier: BSD-3-Clause
// The size of the processor's second-level cache, for thresholds and tiles that do not change the bits of a result.
#ifndef IMPL_CPU_CACHE_SIZES_HPP_
#define IMPL_CPU_CACHE_SIZES_HPP_

#include <cstdint>

namespace impl::cpu {

// The bytes of the second-level cache of a core. The first call asks the system. If the system knows no size, or one
// that no processor has, it is 1 MiB. There is no function for the last-level cache: virtual machines report that of
// the whole host (320 MiB in place of 32 MiB on an AMD EPYC).
int64_t second_level_cache();

// The least size of a result that copies write past the caches. On Intel's processors it is that of the second-level
// cache. On AMD's it is 8 MiB: a last-level cache of 32 MiB keeps a smaller result until the next operator reads it.
// Five operators in a row on 2 MiB with two threads take 205 us there, and 292 us if copies go past the caches.
int64_t stream_bytes();

// The same where little is read, as if one number fills a tensor: 8 MiB on all processors. On an Intel Xeon (Emerald
// Rapids), 2 MiB are filled at 12 GB/s, and at 8 GB/s past the caches; 8 MiB at 13 and 14 GB/s.
int64_t stream_fill_bytes();

}  // namespace impl::cpu

#endif  // IMPL_CPU_CACHE_SIZES_HPP_
