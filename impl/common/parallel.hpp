// Threads: one OpenMP pool, shared with oneDNN and OpenBLAS.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#if defined(__SANITIZE_THREAD__)
#include "impl/common/parallel_tsan.hpp"
#endif

namespace diopi {

namespace detail {

// Calls `body(thread, threads)` once on each of at most `pieces` threads and returns when all have ended.
template <typename Body>
void on_each_thread(int pieces, const Body& body) {
#if defined(__SANITIZE_THREAD__)
  tsan::on_each_thread(pieces, body);
#else
#pragma omp parallel num_threads(pieces)
  body(omp_get_thread_num(), omp_get_num_threads());
#endif
}

}  // namespace detail

// Calls `f(begin, end)` over a partition of [0, n) into at most one range per thread, each of at least `grain`
// (but the last). Results must not depend on where the ranges begin. `f` must not throw.
template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  const int64_t pieces = n <= grain ? 1 : std::min<int64_t>(omp_get_max_threads(), (n + grain - 1) / grain);
  if (pieces <= 1 || omp_in_parallel()) {
    f(int64_t{0}, n);
    return;
  }
  detail::on_each_thread(static_cast<int>(pieces), [&](int64_t i, int64_t count) {
    const int64_t begin = n * i / count, end = n * (i + 1) / count;
    if (begin < end) f(begin, end);
  });
}

}  // namespace diopi
