// SPDX-License-Identifier: BSD-3-Clause
// A vendor that computes a part of its operators and leaves the rest to the host, for each of the reasons that there
// are. Its version string is the log of its copies since it was last read.
#include <diopi/diopi_register.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "impl/common/scalar.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::partial {

using diopi::Status;
using diopi::TensorView;

namespace {

std::string events, delivered;
int64_t until_failure = 0;  // the copy or synchronisation that fails, counted from now on; 0: none

int32_t act(const std::string& event, void* dst, const void* src, uint64_t bytes) {
  events += events.empty() ? event : "; " + event;
  if (until_failure > 0 && --until_failure == 0) return 7;
  if (bytes > 0) std::memmove(dst, src, bytes);
  return 0;
}

int32_t copy_in(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return act("in " + std::to_string(bytes), dst, src, bytes);
}
int32_t copy_out(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return act("out " + std::to_string(bytes), dst, src, bytes);
}
int32_t copy_on_device(diopiStreamHandle_t, void* dst, const void* src, uint64_t bytes) {
  return act("on device " + std::to_string(bytes), dst, src, bytes);
}
int32_t wait(diopiStreamHandle_t) {
  const int32_t code = act("wait", nullptr, nullptr, 0);
  if (code != 0) static_cast<void>(diopi::fail(diopiErrorOccurred, "the device is lost"));
  return code;
}
int32_t create_stream(diopiStreamHandle_t* stream) {
  *stream = &events;
  return 0;
}

// Calls `f(from, to)` for each pair of elements of two contiguous tensors.
template <typename F>
Status each(diopiConstTensorHandle_t input, diopiTensorHandle_t out, F&& f) {
  TensorView from, to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_REQUIRE(from.dtype == to.dtype && from.is_contiguous() && to.is_contiguous(), diopiErrorOccurred,
                "this vendor expects contiguous tensors of one dtype");
  if (from.dtype == diopi_dtype_float32) {
    for (int64_t i = 0; i < from.numel; ++i) to.ptr<float>()[i] = f(from.ptr<float>()[i]);
    return diopiSuccess;
  }
  return diopi::fail(diopiDtypeNotSupported, "input has dtype %s", diopi::dtype_name(from.dtype));
}

}  // namespace

int32_t init_library() {
  diopiRegisterDeviceMallocFunc([](uint64_t bytes) { return std::malloc(bytes + 1); });
  diopiRegisterDevMemFreeFunc([](void* memory) { std::free(memory); });
  diopiRegisterMemcpyH2DAsyncFunc(copy_in);
  diopiRegisterMemcpyD2HAsyncFunc(copy_out);
  diopiRegisterMemcpyD2DAsyncFunc(copy_on_device);
  diopiRegisterStreamCreateFunc(create_stream);
  diopiRegisterStreamDestroyFunc([](diopiStreamHandle_t) -> int32_t { return 0; });
  diopiRegisterSynchronizeStreamFunc(wait);
  diopiRegisterGetLastErrorFunc(diopi::last_error);
  return 0;
}

const char* diopiGetLastErrorString() { return diopi::last_error(); }

const char* diopiGetImplVersion() {
  delivered.swap(events);
  events.clear();
  return delivered.c_str();
}

const char* diopiGetVendorName() { return "partial"; }

// Not a fill: lets the copy or synchronisation number `value` from now on fail.
diopiError_t diopiFill(diopiContextHandle_t ctx, diopiTensorHandle_t input, const diopiScalar_t* value) {
  until_failure = value->ival;
  return diopiSuccess;
}

diopiError_t diopiAdd(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other, const diopiScalar_t* alpha) {
  return each(input, out, [](float) { return 100.0f; });
}

// The configuration sends every call to the host.
diopiError_t diopiMul(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                      diopiConstTensorHandle_t other) {
  return diopi::fail(diopiErrorOccurred, "this function must not be called");
}

diopiError_t diopiNeg(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return each(input, out, [](float) { return 100.0f; });
}

diopiError_t diopiAbs(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return each(input, out, [](float) { return 100.0f; });
}

// Asks for the host unless the tensor has exactly two elements.
diopiError_t diopiRelu(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  TensorView x;
  DIOPI_TRY(diopi::read_tensor(input, "input", &x));
  if (x.numel != 2) return diopiForceFallbackToCPU;
  return each(input, out, [](float) { return 100.0f; });
}

// Asks for the host although the configuration does not allow it.
diopiError_t diopiTanh(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  return diopiForceFallbackToCPU;
}

// The conversion of diopiRelu calls these three.
diopiError_t diopiCastDtype(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input) {
  TensorView from, to;
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  for (int64_t i = 0; i < from.numel; ++i) {
    if (from.dtype == diopi_dtype_float64) {
      to.ptr<float>()[i] = static_cast<float>(from.ptr<double>()[i]);
    } else {
      to.ptr<double>()[i] = from.ptr<float>()[i];
    }
  }
  return diopiSuccess;
}

diopiError_t diopiCopyInp(diopiContextHandle_t ctx, diopiConstTensorHandle_t src, diopiTensorHandle_t dest) {
  return diopiForceFallbackToCPU;
}

diopiError_t diopiContiguous(diopiContextHandle_t ctx, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t memoryFormat) {
  return diopi::fail(diopiNoImplement, "no layout is converted");
}

}  // namespace impl::partial
