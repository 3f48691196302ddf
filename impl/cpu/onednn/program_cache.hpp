// SPDX-License-Identifier: BSD-3-Clause
// Programs of oneDNN. Each is built once per shape and thread; running it builds nothing, allocates nothing and locks
// nothing.
//
// A program is a short list of primitives (reorders around one computation) and their memories. A memory is a slot
// (bound to the caller's memory at each run) or a temporary (a scratchpad or a reordered operand); all temporaries
// share one piece of the context's workspace. Programs are kept per thread, and the least recently used ones are
// dropped. The key contains everything on which a program depends, except the number of threads, which the cache adds:
// oneDNN divides the work when it builds a program.
#ifndef IMPL_CPU_ONEDNN_PROGRAM_CACHE_HPP_
#define IMPL_CPU_ONEDNN_PROGRAM_CACHE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <initializer_list>
#include <oneapi/dnnl/dnnl.hpp>

#include "impl/common/tensor_view.hpp"

namespace impl::cpu::onednn {

using diopi::Status;
using diopi::TensorView;

class Key {
 public:
  explicit Key(int64_t op);
  // False if the key has overflowed. Such a problem cannot use the cache.
  bool valid() const { return size_ <= kMax; }
  void add(int64_t value) {
    if (size_ < kMax) values_[size_] = value;
    ++size_;
  }
  void add(std::initializer_list<int64_t> values) {
    for (const int64_t v : values) add(v);
  }
  // Adds shape, strides and dtype of an operand.
  void add(const TensorView& view);
  bool operator==(const Key& other) const;
  uint64_t hash() const;

 private:
  static constexpr int kMax = 96;
  int size_ = 0;
  int64_t values_[kMax];
};

// One operand of a primitive: DNNL_ARG_... and the index of one of the program's memories.
struct Arg {
  int arg;
  int memory;
};

class Program {
 public:
  // The operations that a builder uses; each may throw dnnl::error.
  int slot(const dnnl::memory::desc& desc);  // slots are bound in the order of these calls
  int temporary(const dnnl::memory::desc& desc);
  void reorder(int from, int to);
  // Returns `memory` if it has the layout `wanted`, otherwise a temporary that a reorder fills first.
  int reordered_input(int memory, const dnnl::memory::desc& wanted);
  void step(const dnnl::primitive_desc_base& desc, const dnnl::primitive& primitive, std::initializer_list<Arg> args);
  const dnnl::memory::desc& desc(int memory) const { return memories_[memory].desc; }

  int64_t workspace_bytes() const { return workspace_bytes_; }
  dnnl_status_t run(char* workspace, void* const* slots) const;

 private:
  static constexpr int kMaxMemories = 20, kMaxSteps = 6, kMaxArgs = 8;
  struct Memory {
    dnnl::memory::desc desc;
    dnnl::memory memory;
    int64_t slot = -1;    // index into the bound pointers, or
    int64_t offset = -1;  // byte offset into the workspace
  };
  struct Step {
    dnnl::primitive primitive;
    Arg args[kMaxArgs];
    int num_args = 0;
  };
  int add_memory(const dnnl::memory::desc& desc);

  Memory memories_[kMaxMemories];
  Step steps_[kMaxSteps];
  int num_memories_ = 0, num_steps_ = 0, num_slots_ = 0;
  int64_t workspace_bytes_ = 0;
};

using Build = void (*)(Program& program, const void* problem);

// Finds or builds the program for `key` and runs it on `slots`. Returns null, or the reason why oneDNN cannot compute
// the problem; the cache keeps the reason too.
const char* run(const Key& key, Build build, const void* problem, diopiContextHandle_t ctx, void* const* slots,
                Status* status);

// run() in two steps, for callers that run programs on their own threads. prepare() builds the program and returns the
// size of its workspace, or the reason why oneDNN cannot compute the problem. run_in() runs the program in a workspace
// of the caller.
const char* prepare(const Key& key, Build build, const void* problem, int64_t* workspace_bytes);
const char* run_in(const Key& key, Build build, const void* problem, char* workspace, void* const* slots,
                   Status* status);

// Whether the processor has instructions for bfloat16 products; otherwise oneDNN emulates them slowly.
bool multiplies_bfloat16();
// Whether oneDNN may use AVX-512.
bool has_avx512();

const dnnl::engine& cpu_engine();
// The memory descriptor of a view: its own shape and strides.
dnnl::memory::desc memory_desc(const TensorView& view);
// oneDNN's dtype; `undef` if it has none.
dnnl::memory::data_type data_type(diopiDtype_t dtype);
// The attributes of every primitive: scratchpad from the context, float32 arithmetic at full precision.
dnnl::primitive_attr default_attributes();

}  // namespace impl::cpu::onednn

#endif  // IMPL_CPU_ONEDNN_PROGRAM_CACHE_HPP_
