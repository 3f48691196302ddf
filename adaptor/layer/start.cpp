// SPDX-License-Identifier: BSD-3-Clause
// The begin and the end of the layer in a process.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "adaptor/layer/clock.hpp"
#include "adaptor/layer/dispatch.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/selection.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

pid_t process = 0;

void begin_process() {
  process = getpid();
  forget_calls();
}

// Runs before the program's main(), and before the constructors of the program's own variables.
__attribute__((constructor)) void start() {
  start_clock();
  std::string problem = settings().problem;
  if (problem.empty()) problem = pattern_problem(settings().operators);
  if (problem.empty()) problem = pattern_problem(settings().except);
  if (problem.empty()) problem = pattern_problem(settings().fallback_operators);
  if (!problem.empty()) {
    note("%s; no call is observed", problem.c_str());
  } else {
    modes() = make_modes(settings().modes);
  }
  begin_process();
  pthread_atfork(nullptr, nullptr, begin_process);
  connect();
  find_library();
}

void finish_modes() {
  static std::atomic<bool> finished{false};
  if (library_path()[0] == '\0' || !has_calls() || finished.exchange(true)) return;
  for (const auto& mode : modes()) mode->finish();
}

__attribute__((destructor)) void stop() { finish_modes(); }

}  // namespace

}  // namespace diopi::layer

// Python's worker processes end here, without destructors. After vfork() it is another process that ends.
extern "C" __attribute__((visibility("default"), noreturn)) void _exit(int status) {
  if (getpid() == diopi::layer::process) diopi::layer::finish_modes();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}
