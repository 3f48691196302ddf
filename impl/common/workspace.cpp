// SPDX-License-Identifier: BSD-3-Clause
#include "workspace.hpp"

namespace diopi {

Status Workspace::take_bytes(int64_t bytes, void** out) {
  constexpr int64_t kAlignment = 64;
  diopiTensorHandle_t buffer = nullptr;
  const int64_t room = bytes + kAlignment;
  if (diopiRequireBuffer != nullptr) {
    DIOPI_TRY(diopiRequireBuffer(ctx_, &buffer, room, diopi_device));
  } else {
    const diopiSize_t size{&room, 1};
    DIOPI_TRY(diopiRequireTensor(ctx_, &buffer, &size, nullptr, diopi_dtype_uint8, diopi_device));
  }
  void* memory = nullptr;
  DIOPI_TRY(diopiGetTensorData(buffer, &memory));
  DIOPI_REQUIRE(memory != nullptr, diopiErrorOccurred, "the runtime gave no memory for a temporary of %lld bytes",
                static_cast<long long>(room));
  const auto address = reinterpret_cast<uintptr_t>(memory);
  *out = reinterpret_cast<void*>((address + kAlignment - 1) / kAlignment * kAlignment);
  return diopiSuccess;
}

}  // namespace diopi
