// SPDX-License-Identifier: BSD-3-Clause
#include "threads.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

namespace diopi_bench {
namespace {

// Calls `f(number)` for each thread except the calling one, until `f` returns false.
template <class F>
void for_each_other_thread(const F& f) {
  const std::unique_ptr<DIR, int (*)(DIR*)> threads(opendir("/proc/self/task"), closedir);
  if (threads == nullptr) return;
  const auto self = static_cast<pid_t>(syscall(SYS_gettid));
  while (const dirent* entry = readdir(threads.get())) {
    const pid_t thread = std::atoi(entry->d_name);
    if (thread > 0 && thread != self && !f(thread)) return;
  }
}

// Whether a thread is running. It reads the state instead of the CPU time, because the system updates the time only at
// clock ticks.
bool runs(pid_t thread) {
  char path[64], text[512];
  std::snprintf(path, sizeof(path), "/proc/self/task/%d/stat", thread);
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;  // the thread has ended
  const ssize_t length = read(file, text, sizeof(text) - 1);
  close(file);
  if (length <= 0) return false;
  text[length] = '\0';
  const char* const name_end = std::strrchr(text, ')');  // the state follows the name: "17 (some name) R ..."
  return name_end != nullptr && std::strncmp(name_end, ") R", 3) == 0;
}

cpu_set_t read_allowed() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof(allowed), &allowed);
  return allowed;
}

int first_core(const cpu_set_t& cores) {
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &cores)) return core;
  }
  return -1;
}

}  // namespace

void settle() {
  constexpr auto kSlice = std::chrono::microseconds(200), kLongest = std::chrono::microseconds(100000);
  for (auto waited = kSlice; waited < kLongest; waited += kSlice) {
    std::this_thread::sleep_for(kSlice);
    bool all_sleep = true;
    for_each_other_thread([&](pid_t thread) { return all_sleep = !runs(thread); });
    if (all_sleep) return;
  }
}

void spread_threads() {
  static const cpu_set_t allowed = read_allowed();
  if (CPU_COUNT(&allowed) < 2) return;
  cpu_set_t first, others = allowed;
  CPU_ZERO(&first);
  CPU_SET(first_core(allowed), &first);
  CPU_CLR(first_core(allowed), &others);
  for_each_other_thread([&](pid_t thread) { return sched_setaffinity(thread, sizeof(others), &others), true; });
  // The thread stays on the core until something else needs it. Both calls are needed: threads that are made later must
  // not be confined to a core.
  sched_setaffinity(0, sizeof(first), &first);
  sched_setaffinity(0, sizeof(allowed), &allowed);
}

}  // namespace diopi_bench
