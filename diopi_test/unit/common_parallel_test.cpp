// SPDX-License-Identifier: BSD-3-Clause
// One pool for the process: the number of threads, and that every piece of work is done once.
#include <dirent.h>
#include <gtest/gtest.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "impl/common/parallel.hpp"

namespace {

using diopi::parallel_for;
using diopi::PoolClaim;

constexpr int kPool = 4;  // threads, on every machine

int threads_of_this_process() {
  int count = 0;
  DIR* const folder = opendir("/proc/self/task");
  while (const dirent* entry = readdir(folder)) count += entry->d_name[0] != '.';
  closedir(folder);
  return count;
}

// Lets threads wait for each other.
class Gate {
 public:
  explicit Gate(int count) : missing_(count) {}
  void arrive_and_wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    if (--missing_ == 0) all_.notify_all();
    all_.wait(lock, [this] { return missing_ <= 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable all_;
  int missing_;
};

// A thread that has its own team and runs until it is released.
class TeamHolder {
 public:
  TeamHolder()
      : thread_([this] {
          omp_set_num_threads(kPool);
          { threads_ = PoolClaim().threads(); }
          ready_.arrive_and_wait();
          release_.arrive_and_wait();
        }) {
    ready_.arrive_and_wait();
  }
  ~TeamHolder() {
    release_.arrive_and_wait();
    thread_.join();
  }
  int threads() const { return threads_; }

 private:
  Gate ready_{2}, release_{2};
  int threads_ = 0;
  std::thread thread_;
};

// Whether a parallel loop on the calling thread visits each element of [0, n) exactly once.
bool counts_each_once(int64_t n, int64_t grain) {
  std::vector<int> counts(static_cast<size_t>(n));
  parallel_for(n, grain, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
  });
  for (const int count : counts) {
    if (count != 1) return false;
  }
  return true;
}

class Pool : public testing::Test {
 protected:
  void SetUp() override { omp_set_num_threads(kPool); }
  void TearDown() override { omp_set_num_threads(threads_); }
  int threads_ = omp_get_max_threads();
};

TEST_F(Pool, a_second_claim_works_alone_until_the_first_ends) {
  {
    const PoolClaim first;
    EXPECT_EQ(first.threads(), kPool);
    std::thread other([] {
      omp_set_num_threads(kPool);
      EXPECT_EQ(PoolClaim().threads(), 1);
      EXPECT_TRUE(counts_each_once(1000, 10));
    });
    other.join();
  }
  EXPECT_EQ(PoolClaim().threads(), kPool);
}

TEST_F(Pool, a_loop_inside_a_loop_works_alone) {
  std::atomic<int> most{0};
  parallel_for(kPool, 1, [&](int64_t, int64_t) {
    if (PoolClaim().threads() > most) most = PoolClaim().threads();
  });
  EXPECT_EQ(most, 1);
}

TEST_F(Pool, every_element_is_visited_once_whatever_the_grain) {
  for (const int64_t n : {1, 2, 3, 5, 7, 64, 1000}) {
    for (const int64_t grain : {0, 1, 2, 7, 500, 1000, 5000})
      EXPECT_TRUE(counts_each_once(n, grain)) << n << ' ' << grain;
  }
}

// Returns the number of threads for a loop of `n` elements that take `picoseconds` each.
int pieces_of(int64_t n, int64_t picoseconds) {
  std::atomic<int> pieces{0};
  parallel_for(n, diopi::Picoseconds{picoseconds}, [&pieces](int64_t, int64_t) { ++pieces; });
  return pieces;
}

constexpr int64_t kShort = 10'000'000, kLong = 200'000'000;  // picoseconds

TEST_F(Pool, work_is_divided_by_what_it_takes) {
  EXPECT_EQ(pieces_of(1000, kLong / 1000), kPool);
  EXPECT_EQ(pieces_of(2, kLong), 2);
  EXPECT_EQ(pieces_of(1000, 1000), 1);
  EXPECT_EQ(pieces_of(1000, 0), 1);
  EXPECT_EQ(pieces_of(0, kLong), 0);
}

TEST_F(Pool, every_element_is_visited_once_whatever_it_takes) {
  for (const int64_t n : {1, 2, 3, 5, 1000}) {
    for (const int64_t each : {int64_t{0}, int64_t{1000}, kShort / 100, kShort, kLong}) {
      std::vector<std::atomic<int>> counts(static_cast<size_t>(n));
      parallel_for(n, diopi::Picoseconds{each}, [&counts](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) ++counts[static_cast<size_t>(i)];
      });
      for (const auto& count : counts) EXPECT_EQ(count, 1) << n << ' ' << each;
    }
  }
}

TEST_F(Pool, short_work_wakes_sleeping_threads_only_where_it_follows_other_work) {
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  const bool never_sleep = policy != nullptr && strcasecmp(policy, "active") == 0;
  for (int i = 0; i < 5; ++i) {
    usleep(1000);
    EXPECT_EQ(pieces_of(100, kShort / 100), never_sleep ? kPool : 1);
  }
  int most = 1;  // at least one loop is not interrupted by the system
  for (int i = 0; i < 10000 && most == 1; ++i) most = pieces_of(100, kShort / 100);
  EXPECT_EQ(most, kPool);
}

TEST_F(Pool, long_work_wakes_sleeping_threads) {
  usleep(1000);
  EXPECT_EQ(pieces_of(100, kLong / 100), kPool);
}

TEST_F(Pool, small_and_large_loops_in_turn_start_no_new_threads) {
  if (PoolClaim().threads() < kPool) GTEST_SKIP() << "the pool has one thread here";
  std::mutex mutex;
  std::vector<pid_t> seen;
  for (int i = 0; i < 40; ++i) {
    parallel_for(i % 2 == 0 ? kPool : 2, 1, [&](int64_t, int64_t) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (std::find(seen.begin(), seen.end(), gettid()) == seen.end()) seen.push_back(gettid());
    });
  }
  EXPECT_LE(seen.size(), size_t{kPool});
}

TEST_F(Pool, callers_beyond_the_teams_share_one_leader) {
  std::vector<std::unique_ptr<TeamHolder>> holders;
  for (int i = 0; i < PoolClaim::kMaxTeams; ++i) {
    holders.push_back(std::make_unique<TeamHolder>());
    EXPECT_EQ(holders.back()->threads(), kPool);
  }
  std::thread late([] {
    omp_set_num_threads(kPool);
    const PoolClaim claim;
    EXPECT_EQ(claim.threads(), kPool);
    std::thread::id leader;
    int team = 0;
    claim.on_leader([&] {
      leader = std::this_thread::get_id();
      team = omp_get_max_threads();
    });
    EXPECT_NE(leader, std::this_thread::get_id());
    EXPECT_EQ(team, kPool);
    std::atomic<int> calls{0};
    claim.on_each_thread(3, [&](int, int pieces) { calls += pieces; });
    EXPECT_EQ(calls, 9);
  });
  late.join();
  std::thread later([] {
    omp_set_num_threads(kPool);
    EXPECT_TRUE(counts_each_once(1000, 10));
  });
  later.join();
}

TEST_F(Pool, many_callers_at_once_are_bounded_in_threads_and_in_threads_that_run) {
  constexpr int kCallers = 24;
  const int before = threads_of_this_process();
  std::atomic<int> running{0}, most_running{0}, wrong{0}, most_threads{0};
  Gate start(kCallers);
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c) {
    callers.emplace_back([&] {
      omp_set_num_threads(kPool);
      start.arrive_and_wait();
      for (int repeat = 0; repeat < 100; ++repeat) {
        std::atomic<int64_t> sum{0};
        parallel_for(64, 1, [&](int64_t begin, int64_t end) {
          const int now = ++running;
          for (int most = most_running; now > most && !most_running.compare_exchange_weak(most, now);) {
          }
          for (int64_t i = begin; i < end; ++i) sum += i;
          std::this_thread::yield();
          --running;
        });
        if (sum != 64 * 63 / 2) ++wrong;
      }
      const int now = threads_of_this_process();
      for (int most = most_threads; now > most && !most_threads.compare_exchange_weak(most, now);) {
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_LE(most_running, kCallers + kPool - 1);
  EXPECT_LE(most_threads, before + kCallers + PoolClaim::kMaxTeams * (kPool - 1) + kPool);
}

TEST_F(Pool, a_forked_child_works_alone) {
  ASSERT_TRUE(counts_each_once(1000, 10));  // the parent has threads that the child lacks
  const pid_t child = fork();
  if (child == 0) {
    alarm(300);  // ends the child if it waits for missing threads
    _exit(PoolClaim().threads() == 1 && counts_each_once(1000, 10) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
