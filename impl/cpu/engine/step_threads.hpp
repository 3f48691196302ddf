// SPDX-License-Identifier: BSD-3-Clause
// Steps of one kind, such as one for each image, that several threads compute at the same time.
#ifndef IMPL_CPU_ENGINE_STEP_THREADS_HPP_
#define IMPL_CPU_ENGINE_STEP_THREADS_HPP_

#include <cstdio>
#include <new>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {

// Whether threads that compute whole steps have about the same work.
inline bool divide_well(int64_t steps, int64_t threads) {
  const int64_t most = (steps + threads - 1) / threads;  // of one thread
  return threads > 1 && 4 * steps >= 3 * most * threads;
}

namespace step_threads_detail {

// All steps of a thread use the temporaries of the first one.
struct StepThread {
  diopi::StepMemory memory;
  Status status;
  char message[256];  // if the status is a failure

  template <typename Step>
  void run(int64_t begin, int64_t end, const Step& step) {
    const SingleThread single;
    for (int64_t k = begin; k < end && status.ok(); ++k) {
      status = memory.run([&] { return step(k); });
    }
    if (!status.ok()) std::snprintf(message, sizeof(message), "%s", diopi::last_error());
  }
};

// Takes the memory of `count` threads.
template <typename Step>
Status reserve_threads(diopiContextHandle_t ctx, int64_t count, const Step& step, StepThread** threads) {
  const SingleThread single;  // as in StepThread::run()
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, threads));
  StepThread* const all = *threads;
  for (int64_t i = 0; i < count; ++i) new (all + i) StepThread;
  DIOPI_TRY(all[0].memory.reserve([&] { return step(0); }));
  const int64_t bytes = all[0].memory.bytes();
  DIOPI_TRY(diopi::Workspace(ctx).take_items(count - 1, bytes, &memory));
  for (int64_t i = 1; i < count; ++i) {
    all[i].memory.place_like(all[0].memory, static_cast<char*>(memory) + (i - 1) * bytes);
  }
  return diopiSuccess;
}

template <typename Step>
Status run_in_turn(int64_t count, const Step& step) {
  diopi::StepMemory memory;
  DIOPI_TRY(memory.reserve([&] { return step(0); }));
  for (int64_t k = 0; k < count && !diopi::in_dry_run(); ++k) {
    DIOPI_TRY(memory.run([&] { return step(k); }));
  }
  return diopiSuccess;
}

}  // namespace step_threads_detail

// Calls step(k) for k = 0 to count - 1, on several threads if these have about the same work, otherwise one after the
// other. All steps take the same temporaries, which are allocated before the first one writes; a step may fail only
// before it writes. `work` is the approximate time of all steps with one thread, in picoseconds.
template <typename Step>
Status run_steps_on_threads(diopiContextHandle_t ctx, int64_t count, double work, const Step& step) {
  using namespace step_threads_detail;  // NOLINT: this function is its interface
  if (count <= 0) return diopiSuccess;
  StepThread* threads = nullptr;
  if (diopi::in_dry_run()) {
    const int64_t most = omp_get_max_threads();
    if (divide_well(count, most)) DIOPI_TRY(reserve_threads(ctx, most, step, &threads));
    return run_in_turn(count, step);
  }
  if (count == 1 || work < 2 * diopi::PoolClaim::kWorthAThread) return run_in_turn(count, step);
  {
    const diopi::PoolClaim claim(work);
    const int64_t most = claim.threads();
    if (divide_well(count, most)) {
      DIOPI_TRY(reserve_threads(ctx, most, step, &threads));
      claim.on_each_thread(static_cast<int>(most), [=, &step](int64_t i, int64_t chunks) {
        threads[i].run(count * i / chunks, count * (i + 1) / chunks, step);
      });
      for (int64_t i = 0; i < most; ++i) {
        DIOPI_REQUIRE(threads[i].status.ok(), threads[i].status, "%s", threads[i].message);
      }
      return diopiSuccess;
    }
  }
  return run_in_turn(count, step);  // each step may use all threads
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_STEP_THREADS_HPP_
