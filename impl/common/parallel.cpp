// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/parallel.hpp"

#include <pthread.h>
#include <semaphore.h>
#include <strings.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <thread>

#if defined(__SANITIZE_THREAD__)
#include "impl/common/parallel_tsan.hpp"
#endif

namespace diopi {
namespace {

std::atomic<bool> taken{false};
std::atomic<int> teams{0};
std::atomic<bool> orphaned{false};  // this is a forked child: the threads of the pool are in the parent

// A forked child has no threads of its parent, but libgomp would wait for them.
void in_forked_child() {
  orphaned.store(true);
  taken.store(false);
}

// Whether the calling thread has its own team. It keeps the team until it ends.
thread_local bool has_team = false;

void return_team(void*) { teams.fetch_sub(1); }

// Reserves a team for the calling thread, unless there are too many teams. The caller must hold the pool. A key of the
// thread library reports the end of the thread. A thread_local variable with a destructor would need memory for its
// registration; if there is none, the C library ends the process.
bool take_team() {
  static bool made = false;
  static pthread_key_t key;
  if (has_team) return true;
  if (!made) made = pthread_key_create(&key, return_team) == 0;
  if (!made || teams.fetch_add(1) >= PoolClaim::kMaxTeams || pthread_setspecific(key, &teams) != 0) {
    if (made) teams.fetch_sub(1);
    return false;
  }
  return has_team = true;
}

// Registers a handler for forks. The caller must hold the pool. If there is no memory for the handler, the pool is not
// used.
bool watches_forks() {
  static bool watching = false;
  if (!watching) watching = pthread_atfork(nullptr, nullptr, in_forked_child) == 0;
  return watching;
}

// Keeps the first exception of several threads. It must not leave a parallel region or a thread, so the thread that
// waits for the others throws it again.
class Caught {
 public:
  template <typename Body>
  void run(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      if (!taken_.exchange(true)) exception_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (exception_ != nullptr) std::rethrow_exception(exception_);
  }

 private:
  std::atomic<bool> taken_{false};
  std::exception_ptr exception_;
};

// The time when the calling thread last had work for a team. The team's threads stay awake for a while after that.
thread_local int64_t last_wanted = INT64_MIN / 2;

// The time in nanoseconds that threads stay awake: the value of adaptor/entry/library_settings.c; unlimited if the
// user wants active threads.
int64_t time_awake() {
  static const int64_t result = [] {
    const char* const policy = std::getenv("OMP_WAIT_POLICY");
    return policy != nullptr && strcasecmp(policy, "active") == 0 ? INT64_MAX : int64_t{25000};
  }();
  return result;
}

int64_t nanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The thread that works for callers without their own team. It has one job at a time, because only one caller holds the
// pool.
class Leader {
 public:
  // Returns false if the system cannot start a thread, or there is no memory for one.
  bool ready() noexcept {
    if (started_) return true;
    sem_init(&work_, 0, 0);
    sem_init(&done_, 0, 0);
    sigset_t all, before;  // only the program's own threads handle signals
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread([this] { serve(); }).detach();
      started_ = true;
    } catch (const std::exception&) {
      started_ = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started_;
  }

  template <typename Job>
  void run(const Job& job) {
    Caught caught;
    const auto guarded = [&] { caught.run(job); };
    using Guarded = decltype(guarded);
    call_ = [](const void* j) { (*static_cast<Guarded*>(j))(); };
    job_ = &guarded;
    sem_post(&work_);
    wait(&done_);
    caught.rethrow();
  }

 private:
  static void wait(sem_t* semaphore) {
    while (sem_wait(semaphore) != 0) {
    }
  }
  void serve() {
    for (;;) {
      wait(&work_);
      call_(job_);
      sem_post(&done_);
    }
  }

  bool started_ = false;
  sem_t work_, done_;
  void (*call_)(const void*) = nullptr;
  const void* job_ = nullptr;
};

Leader& leader() {
  alignas(Leader) static char memory[sizeof(Leader)];
  static auto* const instance = new (memory) Leader;  // never destroyed, because its thread never ends
  return *instance;
}

}  // namespace

// The team always has all threads of the pool: libgomp would end the threads that a smaller team does not use, and
// start new ones for the next larger team.
void PoolClaim::run_chunks(int threads, const Job* job) {
  struct Team {
    const Job* job;
    Caught caught;
  } team{job, {}};
  const auto run = [](void* data) {
    auto* const team = static_cast<Team*>(data);
    team->caught.run([&] { team->job->run(omp_get_thread_num(), omp_get_num_threads()); });
  };
#if defined(__SANITIZE_THREAD__)
  tsan::on_each_thread(threads, [&](int, int) { run(&team); });
#else
  GOMP_parallel(run, &team, static_cast<unsigned>(threads), 0);
#endif
  team.caught.rethrow();
}

PoolClaim::PoolClaim(double work) {
  if (omp_in_parallel() || orphaned.load(std::memory_order_relaxed)) return;
  const int threads = omp_get_max_threads();
  if (threads == 1) return;
  wanted_ = true;
  if (work < kWorthWaking && nanoseconds() - last_wanted > time_awake()) return;
  if (taken.load(std::memory_order_relaxed) || taken.exchange(true, std::memory_order_acquire)) return;
  const bool watched = watches_forks();
  own_team_ = watched && take_team();
  if (own_team_ || (watched && leader().ready())) {
    threads_ = threads;
  } else {
    taken.store(false, std::memory_order_release);
  }
}

PoolClaim::~PoolClaim() {
  if (threads_ > 1) taken.store(false, std::memory_order_release);
  if (wanted_) last_wanted = nanoseconds();
}

void PoolClaim::on_team(const Job& job) const {
  if (own_team_) return run_chunks(threads_, &job);
  leader().run([&] { run_chunks(threads_, &job); });
}

void PoolClaim::lead(void (*call)(const void* body), const void* body) const {
  if (own_team_ || threads_ == 1) return call(body);
  leader().run([&] {
    if (omp_get_max_threads() != threads_) omp_set_num_threads(threads_);
    call(body);
  });
}

}  // namespace diopi
