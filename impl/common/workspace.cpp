// SPDX-License-Identifier: BSD-3-Clause
#include "workspace.hpp"

#include "checked.hpp"

namespace diopi {

Status Workspace::take_items(int64_t count, int64_t size, void** out) {
  constexpr int64_t kAlignment = 64;
  diopiTensorHandle_t buffer = nullptr;
  int64_t room = 0;
  DIOPI_REQUIRE(count >= 0 && mul_sizes(count, size, &room) && add_sizes(room, kAlignment, &room), diopiErrorOccurred,
                "a temporary of %lld elements of %lld bytes has more than 2^63 bytes", static_cast<long long>(count),
                static_cast<long long>(size));
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
