// SPDX-License-Identifier: BSD-3-Clause
// compare: the reference computes each call, too, on copies of the arguments, and every element of the results is
// compared.
#include <algorithm>
#include <cmath>
#include <deque>

#include "adaptor/layer/tensors/memory_share.hpp"
#include "adaptor/layer/modes/compare_report.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/reference/reference.hpp"
#include "adaptor/layer/tensors/snapshot.hpp"

namespace diopi::layer {

namespace {

// A call that the reference has computed.
struct Expected : Kept {
  Expected(const Call& call, fallback::Row* row) : reference(call, row) {}

  MemoryShare memory;
  Snapshot snapshot;
  ReferenceCall reference;
  diopiError_t status = diopiSuccess;
};

class CallComparison {
 public:
  CallComparison(const Call& call, Expected* expected) : call_(call), expected_(*expected) {}

  Status run();
  const std::vector<Finding>& findings() const { return findings_; }
  double max_ulp() const { return max_ulp_; }

 private:
  void compare_tensor(const Snapshot::Tensor& tensor);
  void compare_elements_of(const Snapshot::Tensor& tensor, const TensorView& expected);
  void compare_created(int parameter);
  void compare_generators(int parameter);
  void compare_number(int parameter);
  bool is_overwritten(const Snapshot::Tensor& tensor) const;
  std::string name_of(int parameter, int64_t index, Snapshot::Part part = Snapshot::kWhole) const;
  diopiDtype_t coarse_dtype(diopiDtype_t output) const;
  void problem(const std::string& output, const std::string& text) { findings_.push_back({output, text, {}}); }

  const Call& call_;
  Expected& expected_;
  std::vector<Finding> findings_;
  double max_ulp_ = 0;
};

std::string CallComparison::name_of(int parameter, int64_t index, Snapshot::Part part) const {
  const Parameter& p = call_.function.parameters[parameter];
  const bool is_list = p.count >= 0 || p.length > 0;
  if (part != Snapshot::kWhole) return std::string(p.name) + "." + Snapshot::name_of(part);
  return is_list ? std::string(p.name) + "[" + std::to_string(index) + "]" : p.name;
}

// The ULP that counts is that of the coarsest dtype in the call, because an operator may compute in its inputs' dtype.
diopiDtype_t CallComparison::coarse_dtype(diopiDtype_t output) const {
  diopiDtype_t coarse = output;
  if (!is_floating(output) && !is_complex(output)) return output;
  for (const Snapshot::Tensor& tensor : expected_.snapshot.tensors()) {
    const diopiDtype_t dtype = tensor.view.dtype;
    if (tensor.read && (is_floating(dtype) || is_complex(dtype))) coarse = coarser(coarse, dtype);
  }
  return coarse;
}

// Whether the operator writes memory of an input, which then need not stay unchanged.
bool CallComparison::is_overwritten(const Snapshot::Tensor& tensor) const {
  return tensor.storage >= 0 && expected_.snapshot.storages()[static_cast<size_t>(tensor.storage)].written;
}

void CallComparison::compare_elements_of(const Snapshot::Tensor& tensor, const TensorView& expected) {
  const char* const name = call_.function.parameters[tensor.parameter].name;
  const TensorView got = expected_.snapshot.after(tensor);
  const diopiDtype_t dtype = got.dtype;
  const Tolerance tolerance = tensor.written ? tolerance_of(call_.function.name, name, dtype) : Tolerance{0, 0, 0, 0};
  if (std::isinf(tolerance.absolute)) return;
  const Difference found = compare_elements(expected, got, tolerance, coarse_dtype(dtype), !tensor.written);
  max_ulp_ = std::max(max_ulp_, found.max_ulp);
  if (found.wrong > 0) findings_.push_back({name_of(tensor.parameter, tensor.index, tensor.part), "", found});
}

void CallComparison::compare_tensor(const Snapshot::Tensor& tensor) {
  TensorView expected;
  const int argument = expected_.reference.argument(tensor.parameter);
  if (tensor.sparse || (!tensor.written && is_overwritten(tensor))) return;
  if (!expected_.reference.host().computed(argument, tensor.index, tensor.part, &expected)) return;
  compare_elements_of(tensor, expected);
}

void CallComparison::compare_created(int parameter) {
  const int argument = expected_.reference.argument(parameter);
  if (call_.value<const void*>(parameter) == nullptr) return;
  for (int64_t i = 0; i < call_.count(parameter); ++i) {
    TensorView expected;
    const bool exists = expected_.reference.host().created(argument, i, &expected);
    const Snapshot::Tensor* const made = expected_.snapshot.find(parameter, i);
    const std::string name = name_of(parameter, i);
    if (exists != (made != nullptr)) {
      problem(name, exists ? "the tensor was not created" : "the reference creates no tensor");
    } else if (exists && made->view.dtype != expected.dtype) {
      problem(name, std::string("dtype ") + dtype_name(made->view.dtype) + ", expected " + dtype_name(expected.dtype));
    } else if (exists && made->view.shape != expected.shape) {
      problem(name,
              std::string("shape ") + Text(made->view.shape).c_str() + ", expected " + Text(expected.shape).c_str());
    } else if (exists) {
      compare_elements_of(*made, expected);
    }
  }
}

void CallComparison::compare_generators(int parameter) {
  for (int64_t i = 0; i < call_.count(parameter); ++i) {
    uint64_t seed = 0, offset = 0, got_seed = 0, got_offset = 0;
    const diopiGeneratorHandle_t generator = call_.generator(parameter, i);
    if (generator == nullptr ||
        !expected_.reference.host().state(expected_.reference.argument(parameter), i, &seed, &offset) ||
        diopiGeneratorGetSeedAndOffset(generator, &got_seed, &got_offset) != diopiSuccess) {
      continue;
    }
    if (seed == got_seed && offset == got_offset) continue;
    problem(name_of(parameter, i), "seed " + std::to_string(got_seed) + " and offset " + std::to_string(got_offset) +
                                       ", expected " + std::to_string(seed) + " and " + std::to_string(offset));
  }
}

// A number that is also read is a size that the library chooses.
void CallComparison::compare_number(int parameter) {
  const Parameter& p = call_.function.parameters[parameter];
  const char* const expected = expected_.reference.number(parameter);
  if (expected == nullptr || p.direction != Direction::kOut) return;
  TensorView wanted;
  wanted.dtype = p.kind == Kind::kOptionalBool    ? diopi_dtype_bool
                 : p.kind == Kind::kOptionalInt64 ? diopi_dtype_int64
                                                  : diopi_dtype_float64;
  wanted.numel = 1;
  wanted.data = const_cast<char*>(expected);
  TensorView got = wanted;
  got.data = const_cast<char*>(call_.value<const char*>(parameter));
  const Tolerance tolerance = tolerance_of(call_.function.name, p.name, wanted.dtype);
  const Difference found = compare_elements(wanted, got, tolerance, coarse_dtype(wanted.dtype), false);
  max_ulp_ = std::max(max_ulp_, found.max_ulp);
  if (found.wrong > 0) findings_.push_back({p.name, "", found});
}

Status CallComparison::run() {
  if (call_.status != expected_.status && (call_.status == diopiSuccess || expected_.status == diopiSuccess)) {
    problem("status", "status " + std::to_string(call_.status) + ", expected " + std::to_string(expected_.status));
    return diopiSuccess;
  }
  if (call_.status != diopiSuccess) return diopiSuccess;
  DIOPI_TRY(expected_.snapshot.describe_created(call_));
  DIOPI_TRY(expected_.snapshot.copy_after(call_.context(), true));
  for (const Snapshot::Tensor& tensor : expected_.snapshot.tensors()) {
    if (call_.function.parameters[tensor.parameter].kind != Kind::kCreated) compare_tensor(tensor);
  }
  for (int i = 0; i < call_.function.num_parameters; ++i) {
    const Kind kind = call_.function.parameters[i].kind;
    if (kind == Kind::kCreated) compare_created(i);
    if (call_.function.parameters[i].points_to_number()) compare_number(i);
    if (kind == Kind::kGenerator || kind == Kind::kGeneratorList) compare_generators(i);
  }
  return diopiSuccess;
}

class Compare : public Mode {
 public:
  Compare() {
    for (int i = 0; i < kNumFunctions; ++i) rows_.emplace_back(kFunctions[i].name).joined = true;  // in no other report
  }

  std::unique_ptr<Kept> before(const Call& call) override {
    const OperatorScope scope(call.function.name);
    if (call.context() == nullptr) return refuse(call, "it has no context");
    auto expected = std::make_unique<Expected>(call, &rows_[static_cast<size_t>(&call.function - kFunctions)]);
    if (!find_in_reference(call.function.name).ok()) return refuse(call, last_error());
    if (!expected->snapshot.describe(call).ok()) return refuse(call, last_error());
    const int64_t bytes = expected->snapshot.bytes([](const Snapshot::Tensor&) { return true; });
    if (!expected->memory.take(2 * bytes)) return refuse(call, "its copies exceed the limit of memory");
    if (!expected->reference.open(true).ok()) return refuse(call, last_error());
    expected->status = expected->reference.run();
    return expected;
  }

  void after(const Call& call, Kept* kept) override {
    if (kept == nullptr) return;
    const OperatorScope scope(call.function.name);
    if (call.status == diopiNoImplement) {
      refuse(call, "the library below returns diopiNoImplement");
      return;
    }
    auto* const expected = static_cast<Expected*>(kept);
    CallComparison comparison(call, expected);
    if (!comparison.run().ok()) {
      refuse(call, last_error());
      return;
    }
    report_.add(call, expected->status, comparison.findings(), comparison.max_ulp());
  }

  void finish() override { report_.finish(); }

 private:
  std::unique_ptr<Kept> refuse(const Call& call, const char* reason) {
    note("compare: %s is not compared: %s", call.function.name, reason);
    report_.not_compared(call.function.name, reason);
    return nullptr;
  }

  std::deque<fallback::Row> rows_;  // in the order of kFunctions
  CompareReport report_;
};

}  // namespace

std::unique_ptr<Mode> make_compare() { return std::make_unique<Compare>(); }

}  // namespace diopi::layer
