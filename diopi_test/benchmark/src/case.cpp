// SPDX-License-Identifier: BSD-3-Clause
#include "case.hpp"

#include <nlohmann/json.hpp>

namespace diopi_bench {
namespace {

diopiDtype_t dtype_of(const std::string& name) {
  static const std::map<std::string, diopiDtype_t> kDtypes = {
      {"int8", diopi_dtype_int8},         {"uint8", diopi_dtype_uint8},        {"int16", diopi_dtype_int16},
      {"int32", diopi_dtype_int32},       {"int64", diopi_dtype_int64},        {"float16", diopi_dtype_float16},
      {"float32", diopi_dtype_float32},   {"float64", diopi_dtype_float64},    {"bool", diopi_dtype_bool},
      {"bfloat16", diopi_dtype_bfloat16}, {"complex64", diopi_dtype_complex64}};
  return kDtypes.at(name);
}

Fill fill_of(const std::string& name) {
  static const std::map<std::string, Fill> kFills = {{"uniform", Fill::kUniform},         {"integers", Fill::kIntegers},
                                                     {"permutation", Fill::kPermutation}, {"zeros", Fill::kZeros},
                                                     {"columns", Fill::kColumns},         {"half", Fill::kHalf}};
  return kFills.at(name);
}

TensorPlan read_tensor(const nlohmann::json& entry) {
  TensorPlan plan;
  plan.tensor.name = entry.at("name");
  plan.tensor.dtype = dtype_of(entry.at("dtype"));
  plan.tensor.shape = entry.at("shape").get<std::vector<int64_t>>();
  plan.tensor.strides = entry.at("strides").get<std::vector<int64_t>>();
  const std::string role = entry.at("role");
  plan.tensor.is_output = role == "outputs" || role == "inouts";
  plan.tensor.is_input = role == "inputs" || role == "inouts";
  plan.offset = entry.at("offset");
  plan.storage_elements = entry.at("storage_elements");
  plan.fill = fill_of(entry.at("fill"));
  plan.low = entry.at("low");
  plan.high = entry.at("high");
  if (plan.fill == Fill::kColumns) {
    for (const nlohmann::json& column : entry.at("columns")) {
      plan.columns.push_back({column.at(0), column.at(1), column.at(2)});
    }
  }
  return plan;
}

}  // namespace

Case read_case(const nlohmann::json& entry) {
  Case result;
  result.name = entry.at("name");
  result.operands.op = entry.at("op");
  result.operands.numbers = entry.at("numbers").get<std::map<std::string, double>>();
  result.operands.sizes = entry.at("sizes").get<std::map<std::string, std::vector<int64_t>>>();
  result.operands.texts = entry.at("texts").get<std::map<std::string, std::string>>();
  for (const nlohmann::json& tensor : entry.at("tensors")) result.tensors.push_back(read_tensor(tensor));
  result.verified = entry.at("verified").get<std::vector<std::string>>();
  result.verifies_moments = entry.at("verifies_moments");
  result.tolerance = entry.at("tolerance");
  result.restored = entry.at("restored");
  result.launched = entry.at("launched");
  result.with_one_thread = entry.at("with_one_thread");
  result.with_triad = entry.at("with_triad");
  return result;
}

}  // namespace diopi_bench
