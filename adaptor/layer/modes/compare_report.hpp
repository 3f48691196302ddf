// SPDX-License-Identifier: BSD-3-Clause
// What compare found: a line for each call that differs, and a summary for each operator.
#ifndef ADAPTOR_LAYER_MODES_COMPARE_REPORT_HPP_
#define ADAPTOR_LAYER_MODES_COMPARE_REPORT_HPP_

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "adaptor/layer/call.hpp"
#include "adaptor/layer/modes/compare_elements.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

// One output that differs, or an input that has changed.
struct Finding {
  std::string output;
  std::string problem;  // empty if elements are wrong
  Difference difference;
};

class CompareReport {
 public:
  // A call that was compared; it differs if there are findings.
  void add(const Call& call, diopiError_t expected, const std::vector<Finding>& findings, double max_ulp);
  void not_compared(const char* function, const std::string& reason);
  // Writes compare.json.
  void finish();

 private:
  struct Row {
    int64_t calls = 0, compared = 0, different = 0, first_different = 0;
    double max_ulp = 0;
    std::map<std::string, int64_t> not_compared;  // reason -> calls
  };

  std::mutex mutex_;
  std::map<std::string, Row> rows_;
  File lines_{"compare.jsonl"};
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_COMPARE_REPORT_HPP_
