// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/onednn/program_cache.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "impl/common/alignment.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"

namespace impl::cpu::onednn {
namespace {

constexpr size_t kMaxPrograms = 512;  // per thread; a network has a few hundred distinct shapes
// In a parallel region, oneDNN runs on one thread but would divide the work for all threads of the pool.
int thread_count() { return omp_in_parallel() ? 1 : omp_get_max_threads(); }

struct Entry {
  Key key{0};
  int threads = 0;
  uint64_t last_used = 0;
  bool usable = false;
  char reason[120] = "";
  Program program;
};

// The programs of one thread. The hashes are in their own array, so a search reads little memory.
class Cache {
 public:
  Entry* find(const Key& key, int threads, uint64_t hash) {
    for (size_t i = 0; i < hashes_.size(); ++i) {
      if (hashes_[i] == hash && entries_[i]->threads == threads && entries_[i]->key == key) {
        entries_[i]->last_used = ++clock_;
        return entries_[i].get();
      }
    }
    return nullptr;
  }

  Entry* insert(std::unique_ptr<Entry> entry, uint64_t hash) {
    entry->last_used = ++clock_;
    Entry* result = entry.get();
    if (entries_.size() < kMaxPrograms) {
      hashes_.reserve(kMaxPrograms);  // so neither push_back can fail alone
      entries_.reserve(kMaxPrograms);
      hashes_.push_back(hash);
      entries_.push_back(std::move(entry));
      return result;
    }
    const auto oldest = std::min_element(entries_.begin(), entries_.end(),
                                         [](const auto& a, const auto& b) { return a->last_used < b->last_used; });
    hashes_[static_cast<size_t>(oldest - entries_.begin())] = hash;
    *oldest = std::move(entry);
    return result;
  }

 private:
  std::vector<uint64_t> hashes_;
  std::vector<std::unique_ptr<Entry>> entries_;
  uint64_t clock_ = 0;
};

// The oneDNN objects of one thread, which it keeps until it ends.
struct ThreadState {
  dnnl::stream stream{cpu_engine()};
  Cache cache;
};

// The state is deleted through a key of the thread library. A thread_local variable with a destructor would need memory
// for its registration; if there is none, the C library ends the process.
ThreadState* make_thread_state() {
  static pthread_key_t key;
  static const bool made = pthread_key_create(&key, [](void* s) { delete static_cast<ThreadState*>(s); }) == 0;
  auto state = std::make_unique<ThreadState>();
  if (!made || pthread_setspecific(key, state.get()) != 0) throw std::bad_alloc();
  return state.release();
}

ThreadState& thread_state() {
  static thread_local ThreadState* state = nullptr;
  if (state == nullptr) state = make_thread_state();
  return *state;
}

// Sets the number of threads that oneDNN sees on this thread while it builds and runs.
class SeenThreads {
 public:
  explicit SeenThreads(int count) : previous_(omp_get_max_threads()), changed_(count != previous_) {
    if (changed_) omp_set_num_threads(count);
  }
  ~SeenThreads() {
    if (changed_) omp_set_num_threads(previous_);
  }
  SeenThreads(const SeenThreads&) = delete;
  SeenThreads& operator=(const SeenThreads&) = delete;

 private:
  int previous_;
  bool changed_;
};

void build_program(Entry* entry, Build build, const void* problem) {
  try {
    build(entry->program, problem);
    entry->usable = true;
  } catch (const dnnl::error& error) {
    if (error.status == dnnl_out_of_memory) throw std::bad_alloc();  // not cached: the next call may succeed
    std::snprintf(entry->reason, sizeof(entry->reason), "oneDNN: %s", error.what());
  }
}

// A message belongs to the thread of the call, which may not be the thread that ran the program.
Status checked(dnnl_status_t status) {
  DIOPI_REQUIRE(status == dnnl_success, diopiErrorOccurred, "oneDNN fails to run a primitive: status %d",
                static_cast<int>(status));
  return diopiSuccess;
}

// Returns null and sets `reason` if oneDNN has no such program. The caller will run it on `threads` threads.
const Program* find_or_build(const Key& key, int threads, Build build, const void* problem, const char** reason) {
  Cache& cache = thread_state().cache;
  if (!key.valid()) {
    *reason = "the shapes have too many dimensions for the primitive cache";
    return nullptr;
  }
  const uint64_t hash = key.hash() + static_cast<uint64_t>(threads);
  Entry* entry = cache.find(key, threads, hash);
  if (entry == nullptr) {
    auto made = std::make_unique<Entry>();
    made->key = key;
    made->threads = threads;
    const SeenThreads seen(threads);
    build_program(made.get(), build, problem);
    entry = cache.insert(std::move(made), hash);
  }
  *reason = entry->usable ? nullptr : entry->reason;
  return entry->usable ? &entry->program : nullptr;
}

}  // namespace

Key::Key(int64_t op) { add(op); }

void Key::add(const TensorView& view) {
  add((static_cast<int64_t>(view.dtype) << 8) + view.ndim());
  for (int i = 0; i < view.ndim(); ++i) {
    add(view.shape[i]);
    add(view.stride[i]);
  }
}

bool Key::operator==(const Key& other) const {
  return size_ == other.size_ && std::memcmp(values_, other.values_, sizeof(int64_t) * static_cast<size_t>(size_)) == 0;
}

uint64_t Key::hash() const {
  uint64_t h = 0x9E3779B97F4A7C15u;
  for (int i = 0; i < size_; ++i) {
    h = (h ^ static_cast<uint64_t>(values_[i])) * 0xFF51AFD7ED558CCDu;
    h ^= h >> 32;
  }
  return h;
}

int Program::add_memory(const dnnl::memory::desc& desc) {
  if (num_memories_ == kMaxMemories) throw dnnl::error(dnnl_runtime_error, "the program has too many memories");
  Memory& memory = memories_[num_memories_];
  memory.desc = desc;
  memory.memory = dnnl::memory(desc, cpu_engine(), DNNL_MEMORY_NONE);
  return num_memories_++;
}

int Program::slot(const dnnl::memory::desc& desc) {
  const int index = add_memory(desc);
  memories_[index].slot = num_slots_++;
  return index;
}

int Program::temporary(const dnnl::memory::desc& desc) {
  const int index = add_memory(desc);
  memories_[index].offset = workspace_bytes_;
  workspace_bytes_ += diopi::aligned(static_cast<int64_t>(desc.get_size()));
  return index;
}

void Program::step(const dnnl::primitive_desc_base& desc, const dnnl::primitive& primitive,
                   std::initializer_list<Arg> args) {
  if (num_steps_ == kMaxSteps || args.size() >= kMaxArgs) {
    throw dnnl::error(dnnl_runtime_error, "the program is too long");
  }
  Step& step = steps_[num_steps_++];
  step.primitive = primitive;
  for (const Arg& arg : args) step.args[step.num_args++] = arg;
  const dnnl::memory::desc scratchpad = desc.scratchpad_desc();
  if (scratchpad.get_size() > 0) step.args[step.num_args++] = {DNNL_ARG_SCRATCHPAD, temporary(scratchpad)};
}

void Program::reorder(int from, int to) {
  const dnnl::reorder::primitive_desc pd(cpu_engine(), memories_[from].desc, cpu_engine(), memories_[to].desc,
                                         default_attributes());
  step(pd, dnnl::reorder(pd), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
}

int Program::reordered_input(int memory, const dnnl::memory::desc& wanted) {
  if (memories_[memory].desc == wanted) return memory;
  const int copy = temporary(wanted);
  reorder(memory, copy);
  return copy;
}

// oneDNN allocates memory in a call and does not catch the exception of a failure.
dnnl_status_t Program::run(char* workspace, void* const* slots) const try {
  const dnnl_stream_t stream = thread_state().stream.get();
  for (int i = 0; i < num_memories_; ++i) {
    const Memory& m = memories_[i];
    void* data = m.slot >= 0 ? slots[m.slot] : workspace + m.offset;
    const dnnl_status_t status = dnnl_memory_set_data_handle(m.memory.get(), data);
    if (status != dnnl_success) return status;
  }
  for (int i = 0; i < num_steps_; ++i) {
    const Step& step = steps_[i];
    dnnl_exec_arg_t args[kMaxArgs];
    for (int j = 0; j < step.num_args; ++j) {
      args[j] = {step.args[j].arg, memories_[step.args[j].memory].memory.get()};
    }
    const dnnl_status_t status = dnnl_primitive_execute(step.primitive.get(), stream, step.num_args, args);
    if (status != dnnl_success) return status;
  }
  return dnnl_success;
} catch (const std::bad_alloc&) {
  return dnnl_out_of_memory;
}

const char* run(const Key& key, Build build, const void* problem, diopiContextHandle_t ctx, void* const* slots,
                Status* status) {
  const char* reason = nullptr;
  const diopi::PoolClaim claim;
  const Program* program = find_or_build(key, claim.threads(), build, problem, &reason);
  if (program == nullptr) return reason;
  char* workspace = nullptr;
  const int64_t bytes = program->workspace_bytes();
  *status = bytes > 0 ? diopi::Workspace(ctx).take(bytes, &workspace) : Status();
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  const SeenThreads seen(claim.threads());
  dnnl_status_t result = dnnl_success;
  claim.on_leader([&] { result = program->run(workspace, slots); });
  *status = checked(result);
  return nullptr;
}

const char* prepare(const Key& key, Build build, const void* problem, int64_t* workspace_bytes) {
  const char* reason = nullptr;
  const Program* program = find_or_build(key, thread_count(), build, problem, &reason);
  if (program != nullptr) *workspace_bytes = program->workspace_bytes();
  return reason;
}

const char* run_in(const Key& key, Build build, const void* problem, char* workspace, void* const* slots,
                   Status* status) {
  const char* reason = nullptr;
  const Program* program = find_or_build(key, thread_count(), build, problem, &reason);
  if (program != nullptr) *status = checked(program->run(workspace, slots));
  return reason;
}

namespace {

bool has_instructions(dnnl::cpu_isa isa) {
  const auto wanted = static_cast<unsigned>(isa);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

}  // namespace

bool multiplies_bfloat16() {
  static const bool result = has_instructions(dnnl::cpu_isa::avx512_core_bf16);
  return result;
}

bool has_avx512() {
  static const bool result = has_instructions(dnnl::cpu_isa::avx512_core);
  return result;
}

const dnnl::engine& cpu_engine() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

dnnl::memory::data_type data_type(diopiDtype_t dtype) {
  using dt = dnnl::memory::data_type;
  switch (dtype) {
    case diopi_dtype_float32:
      return dt::f32;
    case diopi_dtype_bfloat16:
      return dt::bf16;
    case diopi_dtype_float16:
      return dt::f16;
    default:
      return dt::undef;
  }
}

dnnl::memory::desc memory_desc(const TensorView& view) {
  const dnnl::memory::dims dims(view.shape.begin(), view.shape.end());
  const dnnl::memory::dims strides(view.stride.begin(), view.stride.end());
  return {dims, data_type(view.dtype), strides};
}

dnnl::primitive_attr default_attributes() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  attributes.set_fpmath_mode(dnnl::fpmath_mode::strict);
  return attributes;
}

}  // namespace impl::cpu::onednn
