// SPDX-License-Identifier: BSD-3-Clause
// Memory for the steps of an operator that writes in several steps: it is taken before the first step writes, so that
// a call that fails for want of memory leaves its outputs as they were.
#pragma once

#include <cstdint>

#include "error.hpp"

namespace diopi {

// The temporaries of one step. `step` takes them from a Workspace, in reserve() and in run() in the same order.
//
//   StepMemory weight, input;
//   DIOPI_TRY(weight.reserve(weight_step));  // a dry run: the step takes its temporaries and computes nothing
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

 private:
  friend class Workspace;
  friend bool in_dry_run();
  static constexpr int kMostBlocks = 48;

  struct Block {
    void* data;
    int64_t bytes;
  };
  // While a step is called: its memory is where the thread's workspaces take from.
  class Scope {
   public:
    Scope(StepMemory* memory, bool reserving);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StepMemory* memory_;
  };

  // The innermost step that has a block of `bytes` reserved, and the block; null where none has.
  static StepMemory* find(int64_t bytes, void** block);
  // Notes a block in the steps within `owner` that are being reserved.
  static Status keep(const StepMemory* owner, void* block, int64_t bytes);

  StepMemory* outer_ = nullptr;  // the step that this one is a part of
  bool reserving_ = false, dry_ = false;
  int count_ = 0, used_ = 0;
  Block blocks_[kMostBlocks];
};

// Calls the steps of an operator one after the other. The memory of all is taken before the first one writes; each may
// fail before it writes, and only then.
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
