// SPDX-License-Identifier: BSD-3-Clause
// A vendor with three faults. docs/layer.md shows how the layer finds them:
//
//   - diopiIndexSelect reads a strided input as if it were contiguous;
//   - the second call of diopiThresholdBackward, and each call after it, returns without writing its result;
//   - diopiArgmax leaks the memory that it takes for itself.
//
// Memory of the device is memory of the host, and calls end before they return.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "impl/common/host/callbacks.hpp"
#include "impl/common/tensor_view.hpp"

namespace impl::faulty {

using diopi::TensorView;

namespace {

constexpr int64_t kLeak = 4096;

}  // namespace

int32_t init_library() { return diopi::register_host_callbacks(); }

diopiError_t diopiIndexSelect(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                              int64_t dim, diopiConstTensorHandle_t index) {
  TensorView to, from, rows;
  DIOPI_TRY(diopi::read_tensor(out, "out", &to));
  DIOPI_TRY(diopi::read_tensor(input, "input", &from));
  DIOPI_TRY(diopi::read_tensor(index, "index", &rows));
  if (dim != 0 || rows.dtype != diopi_dtype_int64 || !to.is_contiguous() || from.ndim() == 0 || from.shape[0] == 0) {
    return diopiForceFallbackToCPU;
  }
  const int64_t bytes = from.numel / from.shape[0] * from.itemsize();
  for (int64_t i = 0; i < rows.numel; ++i) {
    const int64_t row = rows.ptr<int64_t>()[i * rows.stride[0]];
    DIOPI_REQUIRE(row >= 0 && row < from.shape[0], diopiErrorOccurred, "index %lld is out of range",
                  static_cast<long long>(row));
    std::memcpy(to.data + i * bytes, from.data + row * bytes, bytes);  // the fault: strides are ignored
  }
  return diopiSuccess;
}

diopiError_t diopiThresholdBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                    diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                    const diopiScalar_t* threshold) {
  static std::atomic<int> calls{0};
  return ++calls >= 2 ? diopiSuccess : diopiForceFallbackToCPU;  // the fault: a result that is not written
}

diopiError_t diopiArgmax(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t input,
                         const int64_t* dim, bool keepdim) {
  static std::atomic<void*> last{nullptr};
  last = std::malloc(kLeak);  // the fault: the memory of the call before is lost
  return diopiForceFallbackToCPU;
}

}  // namespace impl::faulty
