// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/workspace.hpp"

#include "impl/common/alignment.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/runtime_call.hpp"
#include "impl/common/step_memory.hpp"

namespace diopi {

namespace {

constexpr const char* kSubject = "memory for a temporary";

// Requests `bytes` and room for the alignment.
Status require(diopiContextHandle_t ctx, diopiDevice_t device, int64_t bytes, void** out) {
  const int64_t room = bytes + kAlignment;
  diopiTensorHandle_t buffer = nullptr;
  if (diopiRequireBuffer != nullptr) {
    DIOPI_TRY_RUNTIME(kSubject, diopiRequireBuffer, ctx, &buffer, room, device);
  } else {
    const diopiSize_t size{&room, 1};
    DIOPI_TRY_RUNTIME(kSubject, diopiRequireTensor, ctx, &buffer, &size, nullptr, diopi_dtype_uint8, device);
  }
  void* memory = nullptr;
  DIOPI_TRY_RUNTIME(kSubject, diopiGetTensorData, buffer, &memory);
  DIOPI_REQUIRE(memory != nullptr, diopiErrorOccurred, "the runtime gave no memory for a temporary of %lld bytes",
                static_cast<long long>(room));
  const auto address = reinterpret_cast<uintptr_t>(memory);
  *out = reinterpret_cast<void*>(aligned(static_cast<int64_t>(address)));
  return diopiSuccess;
}

}  // namespace

Status Workspace::take_items(int64_t count, int64_t size, void** out) {
  int64_t bytes = 0, room = 0;
  DIOPI_REQUIRE(count >= 0 && mul_sizes(count, size, &bytes) && add_sizes(bytes, kAlignment, &room), diopiErrorOccurred,
                "a temporary of %lld elements of %lld bytes has more than 2^63 bytes", static_cast<long long>(count),
                static_cast<long long>(size));
  if (memory_ == diopi_host) return require(ctx_, memory_, bytes, out);
  const StepMemory* const owner = StepMemory::find(bytes, out);
  if (owner == nullptr) DIOPI_TRY(require(ctx_, memory_, bytes, out));
  return StepMemory::keep(owner, *out, bytes);
}

}  // namespace diopi
