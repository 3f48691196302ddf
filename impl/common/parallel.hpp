// SPDX-License-Identifier: BSD-3-Clause
// Threads: one OpenMP pool, shared with oneDNN and OpenBLAS, that one call at a time uses.
#pragma once

#include <algorithm>
#include <cstdint>

#include "common/openmp.hpp"

namespace diopi {

// The right to the threads of the pool. OpenMP would give each thread that calls operators a pool of its own: as many
// threads as callers times processors, all of them running. Here one thread of the process has the pool at a time. If
// another thread holds the pool, the call runs single-threaded and does not wait.
//
// The first few callers have teams of their own, which start fastest; further ones lend their work to one thread that
// leads a team for all of them. So the number of threads is bounded, whatever the number of callers.
class PoolClaim {
 public:
  PoolClaim() : PoolClaim(kWorthWaking) {}
  // For work that takes one thread so many picoseconds: not where the threads sleep, unless it is worth waking them.
  explicit PoolClaim(double work);
  ~PoolClaim();
  PoolClaim(const PoolClaim&) = delete;
  PoolClaim& operator=(const PoolClaim&) = delete;

  // 1 where the pool is taken, or the caller already is one of its threads.
  int threads() const { return threads_; }

  // Calls `body(thread, pieces)` for each `thread` below `pieces`, which is at most threads(), all at once. Each works
  // on the same copy of `body`.
  template <typename Body>
  void on_each_thread(int pieces, const Body& body) const {
    on_team(Work<Body>(pieces, body));
  }

  // Calls `body()` on a thread whose own OpenMP regions have threads() threads.
  template <typename Body>
  void on_leader(const Body& body) const {
    lead([](const void* b) { (*static_cast<const Body*>(b))(); }, &body);
  }

  static constexpr int kMaxTeams = 4;  // of callers; one more team serves all others
  // To start a team that is awake and to wait for it takes 0.9 us, to wake a sleeping thread 35 us.
  static constexpr double kWorthAThread = 1.5e6, kWorthWaking = 70e6;  // picoseconds

 private:
  // What each thread does, with all that it has to know in one place: a worker fetches every cache line of the caller's
  // stack that it looks at from the caller's core, 140 ns apart where one says where the next is.
  struct Job {
    void (*call)(const Job* job, int thread);
    int pieces;
    // Where the system gave fewer threads than pieces, the pieces left as well.
    void run(int thread, int given) const {
      for (int i = thread; i < pieces; i += given) call(this, i);
    }
  };
  template <typename Body>
  struct Work : Job {
    Work(int count, const Body& b) : Job{&Work::run_body, count}, body(b) {}
    static void run_body(const Job* job, int thread) { static_cast<const Work*>(job)->body(thread, job->pieces); }
    Body body;
  };
  void on_team(const Job& job) const;
  void lead(void (*call)(const void* body), const void* body) const;
  static void run_pieces(int threads, const Job* job);

  int threads_ = 1;
  bool own_team_ = true;
  bool wanted_ = false;
};

// Calls `f(begin, end)` over a partition of [0, n) into as many ranges as the claim has threads, but at most `most`.
template <typename F>
void divide_among(const PoolClaim& claim, int64_t n, int64_t most, const F& f) {
  const auto pieces = static_cast<int>(std::min<int64_t>(claim.threads(), most));
  if (pieces <= 1) return f(int64_t{0}, n);
  claim.on_each_thread(pieces, [n, f](int64_t i, int64_t count) {
    const int64_t begin = n * i / count, end = n * (i + 1) / count;
    if (begin < end) f(begin, end);
  });
}

// Calls `f(begin, end)` over a partition of [0, n) into at most one range per thread, each of at least `grain`
// (but the last). Results must not depend on where the ranges begin. `f` must not throw. Its copy is called: what it
// captures by value a worker need not fetch from elsewhere.
template <typename F>
void parallel_for(int64_t n, int64_t grain, const F& f) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (n <= grain) return f(int64_t{0}, n);
  divide_among(PoolClaim(), n, (n + grain - 1) / grain, f);
}

// The time that one thread needs for an element: what is about right will do.
struct Picoseconds {
  int64_t count;
};

// parallel_for with the time that an element takes. If the pool's threads sleep and waking them takes longer than the
// work, the call runs single-threaded. When such calls follow each other closely, all but the first wake the threads.
template <typename F>
void parallel_for(int64_t n, Picoseconds each, const F& f) {
  if (n <= 0) return;
  const double work = static_cast<double>(n) * static_cast<double>(each.count);
  if (work < 2 * PoolClaim::kWorthAThread) return f(int64_t{0}, n);
  divide_among(PoolClaim(work), n, std::min(n, static_cast<int64_t>(work / PoolClaim::kWorthAThread)), f);
}

}  // namespace diopi
