// SPDX-License-Identifier: BSD-3-Clause
// The sum or product of each tensor of a list and one operand: packed tensors in one pass, the others one by one.
#include <new>

#include "impl/common/engine/tensor_list.hpp"
#include "impl/common/number_operand.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/tensor_list/chunks.hpp"
#include "impl/cpu/pointwise/list.hpp"

namespace impl::cpu {

namespace {

// Whether the kernels on packed elements compute tensor k.
bool is_packed(const ListBinaryCall& call, int64_t k) {
  const TensorView &out = call.outs[k], &in = call.inputs[k];
  if (!diopi::is_floating(in.dtype) || in.dtype != call.promoted[k] || out.dtype != in.dtype) return false;
  return in.is_contiguous() && out.is_contiguous() && (in.data == out.data || !diopi::may_overlap(in, out));
}

double operand_of(const ListBinaryCall& call) {
  if (call.number != nullptr) return diopi::scalar_as<double>(*call.number);
  double value = 0;
  gather_range(*call.tensor, 0, 1, diopi_dtype_float64, &value);
  return value;
}

Status run_one(diopiContextHandle_t ctx, const ListBinaryCall& call, int64_t k) {
  if (is_packed(call, k)) return diopiSuccess;
  diopi::NumberOperand number;
  TensorView other;
  if (call.number != nullptr) {
    number.set(*call.number, "other", call.promoted[k], &other);
  } else {
    other = *call.tensor;
  }
  return run_binary(ctx, call.op, call.outs[k], call.inputs[k], other, call.promoted[k]);
}

}  // namespace

// All memory is allocated before the first tensor is written.
Status run_list_binary(diopiContextHandle_t ctx, const ListBinaryCall& call) {
  const int64_t count = call.inputs.size();
  bool all_packed = true;
  for (int64_t k = 0; k < count; ++k) all_packed = all_packed && is_packed(call, k);
  diopi::StepMemory* memory = nullptr;
  if (!all_packed) {
    DIOPI_TRY(diopi::Workspace(ctx).take(count, &memory));
    for (int64_t k = 0; k < count; ++k) {
      new (memory + k) diopi::StepMemory;
      DIOPI_TRY(memory[k].reserve([&] { return run_one(ctx, call, k); }));
    }
  }
  const bool adds = call.op == diopi::BinaryOp::kAdd;
  const double number = operand_of(call);
  for_list_chunks(call.inputs, 80, [&call, adds, number](int64_t k, int64_t, int64_t first, int64_t n) {
    if (!is_packed(call, k)) return;
    const TensorView &out = call.outs[k], &in = call.inputs[k];
    const NumberFn fn = adds ? add_number_kernel(in.dtype) : multiply_number_kernel(in.dtype);
    fn(out.data + first * in.itemsize(), in.data + first * in.itemsize(), n, number);
  });
  for (int64_t k = 0; k < count && !all_packed; ++k) {
    DIOPI_TRY(memory[k].run([&] { return run_one(ctx, call, k); }));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
