// Threads: one OpenMP pool, shared with oneDNN and OpenBLAS, that one call at a time uses.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace diopi {

// The right to the threads of the pool. OpenMP would give each thread that calls operators a pool of its own: as many
// threads as callers times processors, all of them running. Here one thread of the process has the pool at a time, and
// whoever finds it taken works alone (nobody waits).
//
// The first few callers have teams of their own, which start fastest; further ones lend their work to one thread that
// leads a team for all of them. So the number of threads is bounded, whatever the number of callers.
class PoolClaim {
 public:
  PoolClaim();
  ~PoolClaim();
  PoolClaim(const PoolClaim&) = delete;
  PoolClaim& operator=(const PoolClaim&) = delete;

  // 1 where the pool is taken, or the caller already is one of its threads.
  int threads() const { return threads_; }

  // Calls `body(thread, pieces)` for each `thread` below `pieces`, which is at most threads(), all at once.
  template <typename Body>
  void on_each_thread(int pieces, const Body& body) const {
    on_team(pieces, [](const void* b, int thread, int count) { (*static_cast<const Body*>(b))(thread, count); }, &body);
  }

  // Calls `body()` on a thread whose own OpenMP regions have threads() threads.
  template <typename Body>
  void on_leader(const Body& body) const {
    lead([](const void* b, int, int) { (*static_cast<const Body*>(b))(); }, &body);
  }

  static constexpr int kMaxTeams = 4;  // of callers; one more is led for everybody else

 private:
  using Call = void (*)(const void* body, int thread, int pieces);
  void on_team(int pieces, Call call, const void* body) const;
  void lead(Call call, const void* body) const;

  int threads_ = 1;
  bool own_team_ = true;
};

// Calls `f(begin, end)` over a partition of [0, n) into at most one range per thread, each of at least `grain`
// (but the last). Results must not depend on where the ranges begin. `f` must not throw.
template <typename F>
void parallel_for(int64_t n, int64_t grain, F&& f) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (n > grain) {
    const PoolClaim claim;
    const auto pieces = static_cast<int>(std::min<int64_t>(claim.threads(), (n + grain - 1) / grain));
    if (pieces > 1) {
      claim.on_each_thread(pieces, [&](int64_t i, int64_t count) {
        const int64_t begin = n * i / count, end = n * (i + 1) / count;
        if (begin < end) f(begin, end);
      });
      return;
    }
  }
  f(int64_t{0}, n);
}

}  // namespace diopi
