// SPDX-License-Identifier: BSD-3-Clause
// Padding, cyclic shifts and triangles: copies of parts of the input.
#include <algorithm>
#include <cstdlib>

#include "impl/common/dtype.hpp"
#include "impl/common/engine/triangle.hpp"
#include "impl/common/families/copy_each_run.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/copy/parts.hpp"

namespace impl::cuda {

namespace {

// The element outside of the input, of the dtype of the output. The number of float16 and bfloat16 is a float32.
void read_number(const RunCopy& call, char (&element)[16]) {
  const TensorView& number = call.number;
  if (number.data == nullptr) return;
  if (number.dtype == call.out.dtype) {
    std::memcpy(element, number.data, number.itemsize());
  } else if (call.out.dtype == diopi_dtype_float16) {
    const diopi::float16 value(*number.ptr<float>());
    std::memcpy(element, &value, sizeof(value));
  } else {
    const diopi::bfloat16 value(*number.ptr<float>());
    std::memcpy(element, &value, sizeof(value));
  }
}

// Counts the innermost dimension in words of several elements, if all its runs of the input are contiguous.
void widen_runs(RunsCall* call) {
  RunDim& inner = call->dim[0];
  if (call->n == 0 || inner.out_stride != 1 || inner.in_stride != 1) return;
  WordWidth width;
  width.divide(call->out);
  width.divide(call->in);
  for (int i = 0; i < inner.runs.count; ++i) {
    const diopi::Run& run = inner.runs.run[i];
    const bool is_inside = run.in != diopi::Run::kOutside;
    if (is_inside && run.step != 1) return;
    for (const int64_t count : {run.out, run.length, is_inside ? run.in : 0}) width.divide(count * call->width);
  }
  for (int d = 1; d < call->n; ++d) {
    width.divide(call->dim[d].out_stride * call->width);
    width.divide(call->dim[d].in_stride * call->width);
  }
  const int items = width.bytes() / call->width;
  if (items <= 1) return;
  call->width *= items;
  call->numel /= items;
  inner.extent /= items;
  for (int i = 0; i < inner.runs.count; ++i) {
    diopi::Run& run = inner.runs.run[i];
    run.out /= items;
    run.length /= items;
    if (run.in != diopi::Run::kOutside) run.in /= items;
  }
  for (int d = 1; d < call->n; ++d) {
    call->dim[d].out_stride /= items;
    call->dim[d].in_stride /= items;
  }
}

}  // namespace

Status copy_runs(diopiContextHandle_t ctx, const RunCopy& call) {
  if (call.out.dtype != call.in.dtype) return copy_each_run(ctx, call, call.out, call.in);
  if (diopi::in_dry_run()) return diopiSuccess;
  alignas(16) char number[16] = {};
  read_number(call, number);
  RunsCall runs{};
  runs.numel = call.out.numel;
  runs.width = call.out.itemsize();
  runs.out = call.out.data;
  runs.in = call.in.data;
  for (int d = call.out.ndim() - 1; d >= 0; --d) {
    RunDim& dim = runs.dim[runs.n++];
    dim.extent = call.out.shape[d];
    dim.out_stride = call.out.stride[d];
    dim.in_stride = call.in.stride[d];
    for (int i = 0; i < call.dims[d].count; ++i) dim.runs.add(call.dims[d].run[i]);
  }
  std::stable_sort(runs.dim, runs.dim + runs.n,
                   [](const RunDim& a, const RunDim& b) { return std::abs(a.out_stride) < std::abs(b.out_stride); });
  repeat_element(number, runs.width);
  widen_runs(&runs);
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(copy_all_runs(stream, runs, number), "a copy of runs");
}

Status run_triangle(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, bool lower,
                    int64_t diagonal) {
  if (out.numel == 0 || diopi::in_dry_run()) return diopiSuccess;
  const int rows = out.ndim() - 2, columns = out.ndim() - 1;
  TriangleCall call{};
  for (int d = rows - 1; d >= 0; --d) call.matrices.push_back(out.shape[d], out.stride[d], in.stride[d]);
  call.lines = out.numel / out.shape[columns];
  call.rows = out.shape[rows];
  call.columns = out.shape[columns];
  call.row_stride[0] = out.stride[rows];
  call.row_stride[1] = in.stride[rows];
  call.column_stride[0] = out.stride[columns];
  call.column_stride[1] = in.stride[columns];
  call.lower = lower;
  call.diagonal = diagonal;
  call.width = out.itemsize();
  call.out = out.data;
  call.in = in.data;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  return checked(copy_triangles(stream, call), "a copy of triangles");
}

}  // namespace impl::cuda
