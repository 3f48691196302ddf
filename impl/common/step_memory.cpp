// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/step_memory.hpp"

#include "impl/common/alignment.hpp"

namespace diopi {

namespace {
thread_local StepMemory* current = nullptr;
}

// If a step is called in a dry run, it computes nothing either.
StepMemory::Scope::Scope(StepMemory* memory, bool reserving) : memory_(memory) {
  memory->outer_ = current;
  memory->reserving_ = reserving;
  memory->dry_ = reserving || (current != nullptr && current->dry_);
  memory->used_ = 0;
  if (reserving) memory->count_ = 0;
  current = memory;
}

StepMemory::Scope::~Scope() { current = memory_->outer_; }

StepMemory* StepMemory::find(int64_t bytes, void** block) {
  for (StepMemory* step = current; step != nullptr; step = step->outer_) {
    if (step->reserving_) continue;
    int at = step->used_;
    while (at < step->count_ && step->blocks_[at].bytes < bytes) ++at;
    if (at == step->count_) continue;
    step->used_ = at + 1;
    *block = step->blocks_[at].data;
    return step;
  }
  return nullptr;
}

Status StepMemory::keep(const StepMemory* owner, void* block, int64_t bytes) {
  for (StepMemory* step = current; step != owner; step = step->outer_) {
    if (!step->reserving_) continue;
    DIOPI_REQUIRE(step->count_ < kMostBlocks, diopiErrorOccurred,
                  "a step of the operator takes more than %d temporaries", kMostBlocks);
    step->blocks_[step->count_++] = {block, bytes};
  }
  return diopiSuccess;
}

int64_t StepMemory::bytes() const {
  int64_t all = 0;
  for (int i = 0; i < count_; ++i) all += aligned(blocks_[i].bytes);
  return all;
}

void StepMemory::place_like(const StepMemory& other, char* memory) {
  count_ = other.count_;
  for (int i = 0; i < count_; ++i) {
    blocks_[i] = {memory, other.blocks_[i].bytes};
    memory += aligned(other.blocks_[i].bytes);
  }
}

bool in_dry_run() { return __builtin_expect(current != nullptr, 0) && current->dry_; }

}  // namespace diopi
