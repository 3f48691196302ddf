// SPDX-License-Identifier: BSD-3-Clause
// Memory for operators that write in several steps. All memory is allocated before the first step writes, so a call
// that fails for lack of memory leaves its outputs unchanged.
#ifndef IMPL_COMMON_STEP_MEMORY_HPP_
#define IMPL_COMMON_STEP_MEMORY_HPP_

#include <cstdint>

#include "impl/common/error.hpp"

namespace diopi {

// The temporaries of one step. The step takes them from a Workspace, in the same order in reserve() and in run(). A
// step that learns only from its data which of two ways to go takes the memory of both in reserve(); run() then leaves
// out what the other way took.
//
//   StepMemory weight, input;
//   DIOPI_TRY(weight.reserve(weight_step));  // dry run: the step allocates its temporaries and computes nothing
//   DIOPI_TRY(input.reserve(input_step));
//   DIOPI_TRY(weight.run(weight_step));      // the step gets the same temporaries; may be repeated
//   DIOPI_TRY(input.run(input_step));
class StepMemory {
 public:
  StepMemory() = default;
  StepMemory(const StepMemory&) = delete;
  StepMemory& operator=(const StepMemory&) = delete;

  template <typename Step>
  Status reserve(const Step& step) {
    const Scope scope(this, true);
    return step();
  }
  template <typename Step>
  Status run(const Step& step) {
    const Scope scope(this, false);
    return step();
  }

  // For threads that run the same step at the same time: the bytes of all temporaries, each aligned, and the step of
  // another thread with temporaries in `memory`, which has so many bytes and is aligned.
  int64_t bytes() const;
  void place_like(const StepMemory& other, char* memory);

 private:
  friend class Workspace;
  friend bool in_dry_run();
  static constexpr int kMostBlocks = 48;

  struct Block {
    void* data;
    int64_t bytes;
  };
  // Active while a step is called: then the thread's workspaces take their memory from this step.
  class Scope {
   public:
    Scope(StepMemory* memory, bool reserving);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StepMemory* memory_;
  };

  // The innermost step that has reserved a block of at least `bytes` which run() has not passed yet, and the block;
  // null if there is none.
  static StepMemory* find(int64_t bytes, void** block);
  // Records a block in the steps inside `owner` that are being reserved.
  static Status keep(const StepMemory* owner, void* block, int64_t bytes);

  StepMemory* outer_ = nullptr;  // the step of which this one is a part
  bool reserving_ = false, dry_ = false;
  int count_ = 0, used_ = 0;
  Block blocks_[kMostBlocks];
};

// Calls the steps of an operator one after the other. The memory of all steps is allocated before the first step
// writes. A step may fail only before it writes.
template <typename First, typename... Rest>
Status run_steps(const First& first, const Rest&... rest) {
  StepMemory memory[sizeof...(Rest)];
  Status status;
  StepMemory* reserving = memory;
  ((status = status.ok() ? (reserving++)->reserve(rest) : status), ...);
  DIOPI_TRY(status);
  DIOPI_TRY(first());
  StepMemory* running = memory;
  ((status = status.ok() ? (running++)->run(rest) : status), ...);
  return status;
}

// Whether the calling thread is in a dry run. In a dry run, kernels return before they write an element.
bool in_dry_run();

}  // namespace diopi

#endif  // IMPL_COMMON_STEP_MEMORY_HPP_
