// SPDX-License-Identifier: BSD-3-Clause
// fallback: the reference computes the selected operators in place of the library below.
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "adaptor/layer/clock.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/reference/reference.hpp"
#include "adaptor/layer/selection.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

class Fallback final : public Mode {
 public:
  Fallback() {
    for (int i = 0; i < kNumFunctions; ++i) {
      rows_.emplace_back(kFunctions[i].name).joined = true;  // in no other report
      wanted_.push_back(wants(kFunctions[i].name));
    }
  }

  bool wants(const char* name) const override {
    return settings().fallback_operators.empty() || matches(settings().fallback_operators, name);
  }

  bool replace(Call* call, Kept* /*kept*/) override {
    const auto index = static_cast<size_t>(&call->function - kFunctions);
    if (!wanted_[index]) return false;
    const OperatorScope scope(call->function.name);
    ReferenceCall reference(*call, &rows_[index]);
    call->begin = begin_ticks();
    if (call->context() == nullptr) return leave(call, "it has no context");
    if (!reference.open(false).ok()) return leave(call, last_error());
    call->status = reference.finish(reference.run());
    call->end = end_ticks();
    return true;
  }

  void finish() override {
    Json json;
    json.open().add("reference", reference_path()).open("operators", '[');
    for (const fallback::Row& row : rows_) {
      if (row.calls[fallback::kAsked].load() == 0) continue;
      json.open().add("operator", row.name).add("calls", row.calls[fallback::kAsked].load());
      json.add("bytes", row.bytes.load()).add("nanoseconds", row.nanoseconds.load()).close();
    }
    json.close().open("not_replaced", '[');
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& [what, calls] : left_) {
      json.open().add("operator", what.first).add("reason", what.second).add("calls", calls).close();
    }
    File("fallback.json").line(json.close().close().text());
  }

 private:
  // Lets the library below compute the call.
  bool leave(Call* call, const char* reason) {
    call->begin = 0;
    note("fallback: %s goes to the library below: %s", call->function.name, reason);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (left_.size() < 1000) ++left_[{call->function.name, reason}];
    return false;
  }

  std::deque<fallback::Row> rows_;  // in the order of kFunctions
  std::vector<bool> wanted_;        // by operator
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, int64_t> left_;
};

}  // namespace

std::unique_ptr<Mode> make_fallback() { return std::make_unique<Fallback>(); }

}  // namespace diopi::layer
