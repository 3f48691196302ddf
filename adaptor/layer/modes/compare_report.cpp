// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/compare_report.hpp"

#include <algorithm>

#include "adaptor/layer/tensors/describe.hpp"
#include "adaptor/layer/reference/reference.hpp"

namespace diopi::layer {

namespace {

void add_finding(Json* json, const Finding& finding) {
  json->open().add("output", finding.output);
  if (!finding.problem.empty()) {
    json->add("problem", finding.problem).close();
    return;
  }
  json->open("index", '[');
  for (const int64_t i : finding.difference.index) json->add(nullptr, i);
  json->close().add("expected", finding.difference.expected).add("got", finding.difference.got);
  json->add("wrong", finding.difference.wrong).add("numel", finding.difference.numel);
  json->add("max_ulp", finding.difference.max_ulp).close();
}

std::string line_of(const Call& call, diopiError_t expected, const std::vector<Finding>& findings) {
  Json json;
  json.open().add("call", call.number).add("operator", call.function.name);
  json.add("call_of_operator", call.number_of_operator);
  json.add("status", static_cast<int64_t>(call.status)).add("expected_status", static_cast<int64_t>(expected));
  json.open("differences", '[');
  for (const Finding& finding : findings) add_finding(&json, finding);
  json.close().open("arguments");
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const bool made = call.status == diopiSuccess || call.function.parameters[i].kind != Kind::kCreated;
    if (made) add_argument(&json, call, i);
  }
  return json.close().close().text();
}

}  // namespace

void CompareReport::add(const Call& call, diopiError_t expected, const std::vector<Finding>& findings, double max_ulp) {
  if (!findings.empty()) lines_.line(line_of(call, expected, findings));
  const std::lock_guard<std::mutex> lock(mutex_);
  Row& row = rows_[call.function.name];
  row.calls += 1;
  row.compared += 1;
  row.max_ulp = std::max(row.max_ulp, max_ulp);
  if (findings.empty()) return;
  row.different += 1;
  if (row.first_different == 0 || call.number < row.first_different) row.first_different = call.number;
  const Finding& first = findings.front();
  note("compare: %s differs from the reference, first in %s (see compare.jsonl)", call.function.name,
       first.output.c_str());
}

void CompareReport::not_compared(const char* function, const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Row& row = rows_[function];
  row.calls += 1;
  if (row.not_compared.size() < 100) ++row.not_compared[reason];
}

void CompareReport::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  Json json;
  json.open().add("reference", reference_path()).open("operators", '[');
  for (const auto& [name, row] : rows_) {
    json.open().add("operator", name).add("calls", row.calls).add("compared", row.compared);
    json.add("different", row.different).add("max_ulp", row.max_ulp);
    if (row.different > 0) {
      json.add("first_different_call", row.first_different);
    } else {
      json.add_null("first_different_call");
    }
    json.close();
  }
  json.close().open("not_compared", '[');
  for (const auto& [name, row] : rows_) {
    for (const auto& [reason, calls] : row.not_compared) {
      json.open().add("operator", name).add("reason", reason).add("calls", calls).close();
    }
  }
  File("compare.json").line(json.close().close().text());
}

}  // namespace diopi::layer
