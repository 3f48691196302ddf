// SPDX-License-Identifier: BSD-3-Clause
// Threads: one OpenMP pool, shared with oneDNN and OpenBLAS. One call at a time uses it.
#ifndef IMPL_COMMON_PARALLEL_HPP_
#define IMPL_COMMON_PARALLEL_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/common/openmp.hpp"

namespace diopi {

// The right to use the threads of the pool. OpenMP would give each thread that calls operators its own pool, so there
// would be as many running threads as callers times processors. Here only one thread of the process holds the pool at a
// time. If another thread holds the pool, the call runs single-threaded and does not wait.
//
// The first few callers have their own teams, which start fastest. Other callers give their work to one thread, which
// leads a team for all of them. So the number of threads is bounded for any number of callers.
class PoolClaim {
 public:
  PoolClaim() : PoolClaim(kWorthWaking) {}
  // `work`: the time in picoseconds that one thread would need. If the threads sleep, they are used only if waking them
  // pays.
  explicit PoolClaim(double work);
  ~PoolClaim();
  PoolClaim(const PoolClaim&) = delete;
  PoolClaim& operator=(const PoolClaim&) = delete;

  // The number of threads for the call. It is 1 if another thread holds the pool, or the caller is one of the pool's
  // threads.
  int threads() const { return threads_; }

  // Calls `body(thread, chunks)` for each `thread` below `chunks`, in parallel. `chunks` is at most threads(). All
  // calls use the same copy of `body`.
  template <typename Body>
  void on_each_thread(int chunks, const Body& body) const {
    on_team(Work<Body>(chunks, body));
  }

  // Calls `body()` on a thread whose OpenMP regions have threads() threads.
  template <typename Body>
  void on_leader(const Body& body) const {
    lead([](const void* b) { (*static_cast<const Body*>(b))(); }, &body);
  }

  static constexpr int kMaxTeams = 4;  // of callers; one more team serves all others
  // Starting an awake team and waiting for it takes 0.9 us. Waking a sleeping thread takes 35 us.
  static constexpr double kWorthAThread = 1.5e6, kWorthWaking = 70e6;  // picoseconds

 private:
  // The work of each thread, with all its data in one place: a worker reads each cache line of the caller's stack from
  // the caller's core, which takes 140 ns per line if one line points to the next.
  struct Job {
    void (*call)(const Job* job, int thread);
    int chunks;
    // If the system gave fewer threads than chunks, the remaining chunks are done too.
    void run(int thread, int given) const {
      for (int i = thread; i < chunks; i += given) call(this, i);
    }
  };
  template <typename Body>
  struct Work : Job {
    Work(int count, const Body& b) : Job{&Work::run_body, count}, body(b) {}
    static void run_body(const Job* job, int thread) { static_cast<const Work*>(job)->body(thread, job->chunks); }
    Body body;
  };
  void on_team(const Job& job) const;
  void lead(void (*call)(const void* body), const void* body) const;
  static void run_chunks(int threads, const Job* job);

  int threads_ = 1;
  bool own_team_ = true;
  bool wanted_ = false;
};

// Calls `f(begin, end)` for ranges that partition [0, n): one range per thread of the claim, but at most `most` ranges.
template <typename F>
void divide_among(const PoolClaim& claim, int64_t n, int64_t most, const F& f) {
  const auto chunks = static_cast<int>(std::min<int64_t>(claim.threads(), most));
  if (chunks <= 1) return f(int64_t{0}, n);
  claim.on_each_thread(chunks, [n, f](int64_t i, int64_t count) {
    const int64_t begin = n * i / count, end = n * (i + 1) / count;
    if (begin < end) f(begin, end);
  });
}

// Calls `f(begin, end)` for ranges that partition [0, n): at most one range per thread, each of at least `grain`
// elements except the last. Results must not depend on the limits of the ranges. `f` must not throw. A copy of `f` is
// called, so a worker finds values that `f` captures next to each other.
template <typename F>
void parallel_for(int64_t n, int64_t grain, const F& f) {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (n <= grain) return f(int64_t{0}, n);
  divide_among(PoolClaim(), n, (n + grain - 1) / grain, f);
}

// The approximate time that one thread needs for an element.
struct Picoseconds {
  int64_t count;
};

// parallel_for with the time for an element. If the pool's threads sleep and waking them takes longer than the work,
// the call runs single-threaded. If such calls follow each other closely, all except the first wake the threads.
template <typename F>
void parallel_for(int64_t n, Picoseconds each, const F& f) {
  if (n <= 0) return;
  const double work = static_cast<double>(n) * static_cast<double>(each.count);
  if (work < 2 * PoolClaim::kWorthAThread) return f(int64_t{0}, n);
  divide_among(PoolClaim(work), n, std::min(n, static_cast<int64_t>(work / PoolClaim::kWorthAThread)), f);
}

}  // namespace diopi

#endif  // IMPL_COMMON_PARALLEL_HPP_
