// SPDX-License-Identifier: BSD-3-Clause
// A case as bench.py resolves it: it has every shape, stride and value, so nothing is computed here.
#ifndef DIOPI_TEST_BENCHMARK_SRC_CASE_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_CASE_HPP_

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

// The contents of a tensor's memory before the first call.
// kHalf: ones and zeros at random places, as many of each, or one more one.
enum class Fill { kUniform, kIntegers, kPermutation, kZeros, kHalf, kColumns };

// The numbers of a column: uniform in [low, high), added to those of column `base` of the same row if that is not -1.
struct Column {
  double low = 0, high = 1;
  int64_t base = -1;
};

struct TensorPlan {
  Tensor tensor;  // without memory
  int64_t offset = 0, storage_elements = 0;
  Fill fill = Fill::kUniform;
  double low = 0, high = 1;
  std::vector<Column> columns;  // of kColumns
};

struct Case {
  std::string name;
  Operands operands;  // without tensors
  std::vector<TensorPlan> tensors;
  std::vector<std::string> verified;  // names of outputs
  bool verifies_moments = false;      // random results: compares mean and deviation instead of values
  double tolerance = 0;
  bool restored = false;         // what a call overwrites is restored before each call; the time does not include this
  bool launched = false;         // the time until a call on the device is launched counts
  bool with_one_thread = false;  // our call with one thread runs in turns with the sides
  bool with_triad = false;       // the triad, or a copy on the device, runs in turns with the sides, on as much memory
};

Case read_case(const nlohmann::json& entry);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_CASE_HPP_
