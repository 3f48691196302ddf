// SPDX-License-Identifier: BSD-3-Clause
// Whether loops over consecutive memory ask for lines that they reach later.
#ifndef IMPL_CPU_PREFETCH_HPP_
#define IMPL_CPU_PREFETCH_HPP_

#include "impl/common/error.hpp"

namespace impl::cpu {

namespace internal {
extern bool fetches_ahead;
extern const bool fetches_rows_near;
}  // namespace internal

// Intel's processors do not fetch across a page by themselves, and their stores wait for lines that are not asked for.
// AMD's do fetch such lines, and each request takes the place of a load. docs/benchmark.md has figures of both. Norms
// ask for the lines of a result during their reads on both: a store waits for its line.
inline bool fetches_ahead() { return internal::fetches_ahead; }

// Whether loops that only read memory load half a line of 64 bytes at a time. On an AMD EPYC (Zen 4), a read of 64 MiB
// takes 2.8 ms with such loads and 3.2 ms with loads of whole lines.
inline bool reads_half_lines() { return !internal::fetches_ahead; }

// Whether rows of keys and values are fetched to the first-level cache, a few at a time; otherwise they are fetched to
// the second-level cache. So it is on AMD's processors with 48 KiB (Zen 5). On a Zen 4, which has 32 KiB, rows left the
// first-level cache before they were read.
inline bool fetches_rows_near() { return internal::fetches_rows_near && !internal::fetches_ahead; }

// Sets fetches_ahead() to "on" or "off", and reads_half_lines() to the opposite; stream_bytes(), copies of rows and
// loops over indices follow, too; "on" turns fetches_rows_near() off. A null or empty choice changes nothing: the
// processor's vendor decides. It must be called while no kernel runs. initLibrary() passes the value of
// DIOPI_CPU_PREFETCH.
diopi::Status choose_prefetching(const char* choice);

}  // namespace impl::cpu

#endif  // IMPL_CPU_PREFETCH_HPP_
