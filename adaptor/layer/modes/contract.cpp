// SPDX-License-Identifier: BSD-3-Clause
// contract: makes the checks of the contract before each call, and reports or refuses the calls that violate one.
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "adaptor/layer/contract/checks.hpp"
#include "adaptor/layer/tensors/describe.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

constexpr int64_t kMostLines = 1000;  // of an operator and a check

// A call that violates a check.
struct Violation : Kept {
  Violation(const char* violated, diopiError_t code) : check(violated), status(code), message(last_error()) {}

  const char* const check;
  const diopiError_t status;
  const std::string message;  // begins with the operator

  // Makes the message that of diopiGetLastErrorString().
  void restore_message() const { static_cast<void>(fail(status, "%s", message.c_str())); }
};

struct Row {
  int64_t calls = 0, accepted = 0, first_call = 0;
  std::string message;  // of the first call
};

int index_of(const Call& call) { return static_cast<int>(&call.function - kFunctions); }

std::string line_of(const Call& call, const Violation& violation) {
  Json json;
  json.open().add("call", call.number).add("operator", call.function.name);
  json.add("call_of_operator", call.number_of_operator).add("inside", call.depth > 0).add("check", violation.check);
  json.add("status", static_cast<int64_t>(violation.status)).add("message", violation.message);
  json.add("refused", settings().refuse).open("arguments");
  for (int i = 0; i < call.function.num_parameters; ++i) add_argument(&json, call, i);
  return json.close().close().text();
}

class Contract final : public Mode {
 public:
  Contract() : checked_(static_cast<size_t>(kNumFunctions)) {}

  std::unique_ptr<Kept> before(const Call& call) override {
    const OperatorScope scope(call.function.name);
    const CheckMemory memory;
    const char* check = "";
    const Status status = kContractChecks[index_of(call)].make(call.values, &check);
    if (memory.is_exhausted()) {
      note("contract: some calls are not checked: %s", last_error());
      ++unchecked_;
      return nullptr;
    }
    ++checked_[static_cast<size_t>(index_of(call))];
    if (status.ok()) return nullptr;
    auto violation = std::make_unique<Violation>(check, status);
    add(call, *violation);
    return violation;
  }

  bool replace(Call* call, Kept* kept) override {
    if (kept == nullptr || !settings().refuse) return false;
    call->status = static_cast<Violation*>(kept)->status;
    return true;
  }

  void after(const Call& call, Kept* kept) override {
    if (kept == nullptr) return;
    const auto& violation = *static_cast<Violation*>(kept);
    if (settings().refuse) {
      violation.restore_message();  // another mode may have left one of its own
    } else if (call.status == diopiSuccess) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++rows_[{&call.function, violation.check}].accepted;
    }
  }

  void finish() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    Json json;
    int64_t checked = 0, violating = 0;
    for (const auto& calls : checked_) checked += calls.load();
    for (const auto& [key, row] : rows_) violating += row.calls;
    json.open().add("checked", checked).add("unchecked", unchecked_.load()).add("violating", violating);
    json.add("refuse", settings().refuse).open("checks", '[');
    for (const auto& [key, row] : rows_) {
      json.open().add("operator", key.first->name).add("check", std::string(key.second)).add("calls", row.calls);
      json.add("accepted", row.accepted).add("first_call", row.first_call).add("message", row.message).close();
    }
    json.close().open("operators", '[');
    for (int i = 0; i < kNumFunctions; ++i) {
      if (checked_[static_cast<size_t>(i)].load() > 0) add_operator(&json, i);
    }
    File("contract.json").line(json.close().close().text());
  }

 private:
  void add(const Call& call, const Violation& violation) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Row& row = rows_[{&call.function, violation.check}];
    if (row.calls++ == 0) {
      row.first_call = call.number;
      row.message = violation.message;
      note("contract: call %lld violates %s: %s", static_cast<long long>(call.number), violation.check,
           violation.message.c_str());
    }
    if (row.calls <= kMostLines) file_.line(line_of(call, violation));
  }

  // The calls of an operator, and the checks of its contract that are not made here.
  void add_operator(Json* json, int index) const {
    const ContractChecks& checks = kContractChecks[index];
    json->open().add("operator", kFunctions[index].name);
    json->add("calls", checked_[static_cast<size_t>(index)].load());
    for (const bool data : {true, false}) {
      json->open(data ? "not_made_because_of_data" : "not_made", '[');
      for (int i = 0; i < checks.num_left; ++i) {
        if (checks.left[i].depends_on_data == data) json->add(nullptr, checks.left[i].identifier);
      }
      json->close();
    }
    json->close();
  }

  std::mutex mutex_;
  std::map<std::pair<const Function*, std::string_view>, Row> rows_;
  std::deque<std::atomic<int64_t>> checked_;  // calls, in the order of kFunctions
  std::atomic<int64_t> unchecked_{0};
  File file_{"contract.jsonl"};
};

}  // namespace

std::unique_ptr<Mode> make_contract() { return std::make_unique<Contract>(); }

}  // namespace diopi::layer
