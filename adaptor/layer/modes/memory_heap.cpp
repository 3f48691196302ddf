// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/memory_heap.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "adaptor/layer/library/heap_marks.hpp"

namespace diopi::layer {

namespace {

constexpr int64_t kLeastCalls = 3;

// What is alive of the memory that the calls of one operator allocated.
struct Unfreed {
  const Function* function;
  int64_t calls = 0, bytes = 0, pieces = 0;
  std::set<int64_t> kept;  // numbers of the calls with such memory

  bool leaks() const {
    const auto calls_that_kept = static_cast<int64_t>(kept.size());
    return calls_that_kept >= kLeastCalls && 2 * calls_that_kept >= calls;
  }
};
using ByFunction = std::map<const void*, Unfreed>;

std::vector<Unfreed> unfreed_by_operator(const std::function<int64_t(const Function&)>& calls_of) {
  ByFunction found;
  const auto add = [](const HeapPiece& piece, void* data) {
    const auto* const function = static_cast<const Function*>(piece.mark.function);
    Unfreed& of = static_cast<ByFunction*>(data)->try_emplace(function, Unfreed{function, 0, 0, 0, {}}).first->second;
    of.bytes += static_cast<int64_t>(piece.bytes);
    ++of.pieces;
    of.kept.insert(piece.mark.call);
  };
  heap->visit(add, &found);
  std::vector<Unfreed> sorted;
  sorted.reserve(found.size());
  for (auto& [function, of] : found) {
    of.calls = calls_of(*of.function);
    sorted.push_back(std::move(of));
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Unfreed& a, const Unfreed& b) { return a.bytes > b.bytes; });
  return sorted;
}

}  // namespace

void add_heap(Json* json, const std::function<int64_t(const Function&)>& calls_of) {
  json->add("heap_observed", heap != nullptr);
  if (heap == nullptr) return;
  const std::vector<Unfreed> all = unfreed_by_operator(calls_of);
  for (const bool leaks : {true, false}) {
    json->open(leaks ? "heap_leaks" : "heap_kept", '[');
    for (const Unfreed& of : all) {
      if (of.leaks() != leaks) continue;
      json->open().add("operator", of.function->name).add("calls", of.calls);
      json->add("calls_that_kept", static_cast<int64_t>(of.kept.size()));
      json->add("bytes", of.bytes).add("pieces", of.pieces);
      json->add("first_call", *of.kept.begin()).add("last_call", *of.kept.rbegin()).close();
    }
    json->close();
  }
}

}  // namespace diopi::layer
