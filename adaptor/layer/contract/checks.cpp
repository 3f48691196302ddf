// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/contract/checks.hpp"

#include <cstdlib>

#include "impl/common/alignment.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/rules/dtypes.hpp"
#include "impl/common/workspace.hpp"

namespace diopi {

namespace layer {

namespace {

thread_local CheckMemory* current = nullptr;

}  // namespace

Status check_elements(const diopiConstTensorHandle_t* tensors, int64_t count, const char* name, uint32_t dtypes,
                      const char* expected) {
  for (int64_t i = 0; tensors != nullptr && i < count; ++i) {
    if (tensors[i] == nullptr) continue;
    TensorView view;
    DIOPI_TRY(read_tensor(tensors[i], name, &view));
    DIOPI_TRY(require_dtype_in(view, DtypeSet{dtypes}, expected));
  }
  return diopiSuccess;
}

CheckMemory::CheckMemory() : outer_(current) { current = this; }

CheckMemory::~CheckMemory() {
  current = outer_;
  while (pieces_ != nullptr) {
    Piece* const next = pieces_->next;
    std::free(pieces_);
    pieces_ = next;
  }
}

void* CheckMemory::take(int64_t bytes) {
  static_assert(sizeof(Piece) <= kAlignment, "the memory begins behind its Piece");
  int64_t room = 0;
  if (current == nullptr) return nullptr;
  const bool fits = bytes >= 0 && add_sizes(bytes, 2 * kAlignment, &room);
  void* const memory =
      fits ? std::aligned_alloc(kAlignment, static_cast<size_t>(room / kAlignment * kAlignment)) : nullptr;
  if (memory == nullptr) {
    current->exhausted_ = true;
    return nullptr;
  }
  auto* const piece = static_cast<Piece*>(memory);
  piece->next = current->pieces_;
  current->pieces_ = piece;
  return static_cast<char*>(memory) + kAlignment;
}

}  // namespace layer

// In the layer, temporaries are no memory of the caller's context: this function replaces that of diopi_common.
Status Workspace::take_items(int64_t count, int64_t size, void** out) {
  int64_t bytes = 0;
  *out = count >= 0 && mul_sizes(count, size, &bytes) ? layer::CheckMemory::take(bytes) : nullptr;
  DIOPI_REQUIRE(*out != nullptr, diopiErrorOccurred, "there is no memory for %lld elements of %lld bytes",
                static_cast<long long>(count), static_cast<long long>(size));
  return diopiSuccess;
}

}  // namespace diopi
