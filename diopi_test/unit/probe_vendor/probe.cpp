// SPDX-License-Identifier: BSD-3-Clause
// A vendor that misbehaves on request and records its calls. Its version string is the log of all events since it was
// last read.
#include <diopi/diopi_register.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "impl/common/dtype.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::probe {

using diopi::Status;
using diopi::TensorView;

namespace {

std::string events, delivered;

void log(const std::string& event) { events += events.empty() ? event : "; " + event; }

std::string describe(diopiConstTensorHandle_t tensor) {
  if (tensor == nullptr) return "null";
  TensorView view;
  if (!diopi::read_tensor(tensor, "tensor", &view).ok()) return "unreadable";
  return std::string(diopi::dtype_name(view.dtype)) + diopi::Text(view.stride).c_str();
}

// Calls `f` for each element in row-major order, for any strides. Four dimensions are enough here.
template <typename F>
void each(const TensorView& view, F&& f) {
  for (int64_t i = 0; i < view.numel; ++i) {
    int64_t rest = i, offset = 0;
    for (int dim = view.ndim() - 1; dim >= 0; --dim) {
      offset += rest % view.shape[dim] * view.stride[dim];
      rest /= view.shape[dim];
    }
    f(i, offset);
  }
}

using Types = diopi::TypeList<float, double, int32_t, int64_t, bool>;

Status copy_elements(const TensorView& out, const TensorView& input) {
  return diopi::visit_dtype<Types>(out.dtype, [&](auto to) {
    return diopi::visit_dtype<Types>(input.dtype, [&](auto from) -> Status {
      using To = typename decltype(to)::type;
      using From = typename decltype(from)::type;
      std::vector<To> values(input.numel);
      each(input, [&](int64_t i, int64_t at) { values[i] = static_cast<To>(input.ptr<From>()[at]); });
      each(out, [&](int64_t i, int64_t at) { out.ptr<To>()[at] = values[i]; });
      return diopiSuccess;
    });
  });
}

Status fill(diopiTensorHandle_t tensor, double value) {
  TensorView view;
  DIOPI_TRY(diopi::read_tensor(tensor, "tensor", &view));
  return diopi::visit_dtype<Types>(view.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    each(view, [&](int64_t, int64_t at) { view.ptr<T>()[at] = static_cast<T>(value); });
    return diopiSuccess;
  });
}

Status require_like(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, diopiTensorHandle_t* out) {
  const diopiSize_t size{view.shape.v, view.shape.n};
  return diopiRequireTensor(ctx, out, &size, nullptr, dtype, diopi_device);
}

void* allocate(uint64_t bytes) { return std::malloc(bytes + 1); }
int32_t copy(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  if (bytes != 0) std::memmove(dst, src, bytes);
  return 0;
}
int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = &events;
  return 0;
}
int32_t ignore_stream(diopiStreamHandle_t) { return 0; }

}  // namespace

int32_t init_library() {
  diopiRegisterDeviceMallocFunc(allocate);
  diopiRegisterDevMemFreeFunc([](void* memory) { std::free(memory); });
  diopiRegisterMemcpyD2DAsyncFunc(copy);
  diopiRegisterMemcpyD2HAsyncFunc(copy);
  diopiRegisterMemcpyH2DAsyncFunc(copy);
  diopiRegisterStreamCreateFunc(create_stream);
  diopiRegisterStreamDestroyFunc(ignore_stream);
  diopiRegisterSynchronizeStreamFunc(ignore_stream);
  diopiRegisterGetLastErrorFunc(diopi::last_error);
  return 0;
}

diopiError_t copy_to_host(diopiContextHandle_t, void* host, const void* device, int64_t bytes) {
  std::memcpy(host, device, bytes);
  return diopiSuccess;
}

const char* diopiGetLastErrorString() { return diopi::last_error(); }

const char* diopiGetImplVersion() {
  delivered.swap(events);
  events.clear();
  return delivered.c_str();
}

// An exception must not cross the C boundary, even from this function.
const char* diopiGetVendorName() { throw std::runtime_error("deliberate"); }

diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  TensorView o, x;
  DIOPI_TRY(diopi::read_tensor(out, "out", &o));
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  log(std::string("cast ") + diopi::dtype_name(x.dtype) + " " + diopi::dtype_name(o.dtype));
  return copy_elements(o, x);
}

diopiError_t diopiCopyInp(diopiContextHandle_t ctx, diopiConstTensorHandle_t src, diopiTensorHandle_t dest) {
  TensorView from, to;
  DIOPI_TRY(diopi::read_tensor(src, "src", &from));
  DIOPI_TRY(diopi::read_tensor(dest, "dest", &to));
  log("copy");
  return copy_elements(to, from);
}

diopiError_t diopiContiguous(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t memoryFormat) {
  TensorView x, o;
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  log("contiguous " + std::to_string(memoryFormat));
  diopi::Dims stride = diopi::contiguous_strides(x.shape);
  if (memoryFormat == ChannelsLast) {
    const int64_t c = x.shape[1], w = x.shape[3];
    stride[0] = x.shape[2] * w * c, stride[1] = 1, stride[2] = w * c, stride[3] = c;
  }
  const diopiSize_t size{x.shape.v, x.shape.n}, strides{stride.v, stride.n};
  DIOPI_TRY(diopiRequireTensor(ctx, out, &size, &strides, x.dtype, diopi_device));
  DIOPI_TRY(diopi::read_tensor(*out, "out", &o));
  return copy_elements(o, x);
}

diopiError_t diopiSigmoid(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  throw std::runtime_error("deliberate");
}

diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  throw std::bad_alloc();
}

// Fails without a message.
diopiError_t diopiCos(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return diopiNoImplement;
}

diopiError_t diopiSilu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) { throw 42; }

// Writes the whole output, then fails.
diopiError_t diopiSin(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  DIOPI_TRY(fill(out, -1));
  return diopi::fail(diopiErrorOccurred, "deliberate");
}

diopiError_t diopiSinInp(diopiContextHandle_t ctx, diopiTensorHandle_t input) {
  DIOPI_TRY(fill(input, -1));
  throw std::runtime_error("deliberate");
}

// Returns a tensor, then fails.
diopiError_t diopiNonzero(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input) {
  TensorView x;
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  DIOPI_TRY(require_like(ctx, x, diopi_dtype_int32, out));
  return diopi::fail(diopiErrorOccurred, "deliberate");
}

diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  log("relu " + describe(out) + " " + describe(input));
  return diopiSuccess;
}

diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  log("neg " + describe(out) + " " + describe(input));
  return fill(out, 7);
}

diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  log("mul " + describe(out) + " " + describe(input) + " " + describe(other));
  return fill(out, 7);
}

// Logs which arguments are the same tensor.
diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  log(std::string("add") + (input == other ? " input=other" : "") + (out == input ? " out=input" : ""));
  TensorView o, x;
  DIOPI_TRY(diopi::read_tensor(out, "out", &o));
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  return copy_elements(o, x);
}

diopiError_t diopiIndex(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                        diopiConstTensorHandle_t* indices, int64_t nums) {
  std::string seen = "index " + describe(input);
  for (int64_t i = 0; i < nums; ++i) seen += " " + describe(indices[i]);
  log(seen);
  TensorView x, o;
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  DIOPI_TRY(require_like(ctx, x, x.dtype, out));
  DIOPI_TRY(diopi::read_tensor(*out, "out", &o));
  return copy_elements(o, x);
}

diopiError_t diopiSplitWithSizes(diopiContextHandle_t ctx, diopiTensorHandle_t* outs, int64_t num_outs,
                                 diopiConstTensorHandle_t input, const diopiSize_t splitSizes, int64_t dim) {
  std::string seen = "split";
  for (int64_t i = 0; i < num_outs; ++i) {
    seen += " " + describe(outs[i]);
    DIOPI_TRY(fill(outs[i], static_cast<double>(i) + 10));
  }
  log(seen);
  return diopiSuccess;
}

// Writes the statistics in training alone.
diopiError_t diopiBatchNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t save_mean,
                            diopiTensorHandle_t save_invstd, diopiConstTensorHandle_t input, diopiConstTensorHandle_t,
                            diopiConstTensorHandle_t, diopiTensorHandle_t, diopiTensorHandle_t, bool training, double,
                            double) {
  log("norm " + describe(save_mean) + " " + describe(save_invstd));
  if (training) {
    DIOPI_TRY(fill(save_mean, 7));
    DIOPI_TRY(fill(save_invstd, 7));
  }
  return fill(out, 7);
}

}  // namespace impl::probe
