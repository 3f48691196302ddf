// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/dispatch.hpp"

#include <algorithm>
#include <atomic>
#include <exception>

#include "adaptor/layer/clock.hpp"
#include "adaptor/layer/library/heap_marks.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/library/runtime.hpp"
#include "adaptor/layer/selection.hpp"
#include "impl/common/error.hpp"

namespace diopi::layer {

namespace {

thread_local Thread thread;
std::atomic<int64_t> calls{0};

struct Depth {
  explicit Depth(Thread* of) : thread(of) { ++thread->depth; }
  ~Depth() { --thread->depth; }
  Depth(const Depth&) = delete;
  Depth& operator=(const Depth&) = delete;
  Thread* const thread;
};

diopiError_t refuse_absent(const Function& function) {
  thread.own_failure = true;
  const OperatorScope scope(function.name);
  return fail(diopiNoImplement, "%s", library_failure());
}

int index_of(const Function& function) { return static_cast<int>(&function - kFunctions); }

// The function of the library below, with nothing around it.
diopiError_t pass(const Function& function, const void* const* values) {
  const Pointer below = library_function(index_of(function));
  if (below == nullptr) return refuse_absent(function);
  thread.own_failure = false;
  return function.apply(below, values);
}

void call_below(Call* call, Kept* const* kept) {
  for (size_t i = 0; i < modes().size(); ++i) {
    if (!modes()[i]->replace(call, kept[i])) continue;
    call->thread.own_failure = call->status != diopiSuccess;
    if (call->end == 0) call->begin = call->end = begin_ticks();
    return;
  }
  const Pointer below = library_function(index_of(call->function));
  call->thread.own_failure = false;
  const HeapScope marked({&call->function, call->number});
  call->begin = begin_ticks();
  call->status = call->function.apply(below, call->values);
  call->end = end_ticks();
}

// Passes the call through the modes from number `first` on; `all_kept` has what the modes before it keep.
void pass_through_modes(Call* call, size_t first, Kept** all_kept) {
  if (first == modes().size()) return call_below(call, all_kept);
  Mode& mode = *modes()[first];
  const std::unique_ptr<Kept> kept = mode.before(*call);
  all_kept[first] = kept.get();
  pass_through_modes(call, first + 1, all_kept);
  mode.after(*call, kept.get());
}

bool is_wanted(const char* name) {
  const auto& all = modes();
  return std::any_of(all.begin(), all.end(), [&](const auto& mode) { return mode->wants(name); });
}

}  // namespace

std::vector<std::unique_ptr<Mode>>& modes() {
  static auto* const list = new std::vector<std::unique_ptr<Mode>>;  // never destroyed: calls may come at any time
  return *list;
}

bool has_calls() { return calls.load() > 0; }

void forget_calls() { calls.store(0); }

bool failed_in_layer() { return thread.own_failure; }

diopiError_t observe(const Function& function, const void* const* values) noexcept {
  const int index = index_of(function);
  if (modes().empty() || library_function(index) == nullptr) return pass(function, values);
  find_runtime();
  const int64_t number_of_operator = counts_calls() ? count_call(index) : 0;
  if (number_of_operator > 0 && !is_chosen(number_of_operator)) return pass(function, values);
  const Depth inside(&thread);
  const HeapScope unmarked({});  // the layer's own memory, if the call is inside another one
  const int64_t number = calls.fetch_add(1, std::memory_order_relaxed) + 1;
  Call call{function, values, number, number_of_operator, inside.thread->depth > 1 ? 1 : 0, *inside.thread};
  bool finished = false;
  try {
    Kept* kept[kMostModes] = {};
    pass_through_modes(&call, 0, kept);
    finished = true;
  } catch (const std::exception& error) {
    note("%s: call %lld: %s", function.name, static_cast<long long>(call.number), error.what());
  }
  // A mode that failed before the call must not keep the program from its result.
  if (!finished && call.end == 0) call.status = pass(function, values);
  return call.status;
}

void connect() {
  for (int i = 0; i < kNumFunctions; ++i) {
    const Pointer below = library_function(i);
    const bool watched = below == nullptr || (is_wanted(kFunctions[i].name) && is_selected(kFunctions[i].name));
    diopi_layer_table[i] = watched ? kFunctions[i].observed : below;
  }
}

}  // namespace diopi::layer
