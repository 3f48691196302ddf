// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/context.hpp"

#include <algorithm>
#include <new>

namespace diopirt {
namespace {

std::mutex contexts_mutex;

std::vector<diopiContext*>& contexts() {
  static auto* list = new std::vector<diopiContext*>;  // never destroyed, so static objects may hold contexts
  return *list;
}

// Releases the tensors of the context, which holds one reference to each. A tensor with other references leaves the
// context; the memory and the handle of any other are kept for reuse.
void clear_owned(diopiContext* ctx) {
  for (diopiTensor* tensor : ctx->owned) {
    if (tensor->references.load(std::memory_order_acquire) != 1) {
      link_tensor(tensor);
      release(tensor);
      continue;
    }
    Storage* const storage = tensor->storage;
    const bool reusable = ctx->caching && storage->capacity != 0 && storage->references.load() == 1;
    if (reusable) {
      tensor->storage = nullptr;
      ctx->idle[storage->device].put(storage);
    }
    reset_tensor(tensor);
    ctx->spare.push_back(tensor);  // has room: `owned` made it
  }
  ctx->owned.clear();
  if (ctx->caching) return;
  for (diopiTensor* tensor : ctx->spare) delete tensor;
  ctx->spare.clear();
}

void release_cached(diopiContext* ctx) {
  for (FreeList& list : ctx->idle) list.clear();
  for (diopiTensor* tensor : ctx->spare) delete tensor;
  ctx->spare.clear();
}

Status destroy_context(diopiContext* ctx) {
  {
    const std::lock_guard<std::mutex> lock(contexts_mutex);
    auto& list = contexts();
    const auto found = std::find(list.begin(), list.end(), ctx);
    DIOPI_REQUIRE(found != list.end(), diopiErrorOccurred, "the context is not alive");
    list.erase(found);
  }
  {
    const std::lock_guard<std::mutex> lock(ctx->mutex);
    clear_owned(ctx);
    release_cached(ctx);
  }
  const Status status = ctx->owns_stream ? ctx->vendor->stream_destroy(ctx->stream) : Status();
  ctx->vendor->users.fetch_sub(1);
  delete ctx;
  return status;
}

}  // namespace

Status context_stream(diopiContext* ctx, diopiStreamHandle_t* stream) {
  if (!ctx->has_stream.load(std::memory_order_acquire)) {
    const std::lock_guard<std::mutex> lock(ctx->mutex);
    if (!ctx->has_stream.load(std::memory_order_relaxed)) {
      DIOPI_TRY(ctx->vendor->stream_create(&ctx->stream));
      ctx->owns_stream = true;
      ctx->has_stream.store(true, std::memory_order_release);
    }
  }
  *stream = ctx->stream;
  return diopiSuccess;
}

void visit_contexts(void (*visit)(diopiContext*, void*), void* argument) {
  const std::lock_guard<std::mutex> lock(contexts_mutex);
  for (diopiContext* ctx : contexts()) {
    const std::lock_guard<std::mutex> context_lock(ctx->mutex);
    visit(ctx, argument);
  }
}

}  // namespace diopirt

using diopirt::OperatorScope;

diopiError_t diopiGetStream(diopiContextHandle_t ctx, diopiStreamHandle_t* stream) {
  const OperatorScope scope("diopiGetStream");
  DIOPI_REQUIRE(ctx != nullptr && stream != nullptr, diopiErrorOccurred, "%s is null",
                ctx == nullptr ? "ctx" : "stream");
  *stream = nullptr;
  return diopirt::context_stream(ctx, stream);
}

diopiError_t diopirtCreateContext(diopirtLibraryHandle_t library, diopiContextHandle_t* ctx) try {
  const OperatorScope scope("diopirtCreateContext");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  *ctx = nullptr;
  auto created = std::make_unique<diopiContext>();
  created->vendor = &diopirt::vendor_of(library);
  const std::lock_guard<std::mutex> lock(diopirt::contexts_mutex);
  diopirt::contexts().push_back(created.get());
  created->vendor->users.fetch_add(1);
  *ctx = created.release();
  return diopiSuccess;
} catch (const std::bad_alloc&) {
  return diopi::fail(diopiErrorOccurred, "diopirtCreateContext: out of memory");
}

diopiError_t diopirtDestroyContext(diopiContextHandle_t ctx) {
  const OperatorScope scope("diopirtDestroyContext");
  if (ctx == nullptr) return diopiSuccess;
  return diopirt::destroy_context(ctx);
}

diopiError_t diopirtClearTemporaries(diopiContextHandle_t ctx) {
  const OperatorScope scope("diopirtClearTemporaries");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  diopirt::clear_owned(ctx);
  return diopiSuccess;
}

diopiError_t diopirtReleaseCachedMemory(diopiContextHandle_t ctx) {
  const OperatorScope scope("diopirtReleaseCachedMemory");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  diopirt::release_cached(ctx);
  return diopiSuccess;
}

diopiError_t diopirtSetCaching(diopiContextHandle_t ctx, bool enabled) {
  const OperatorScope scope("diopirtSetCaching");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  ctx->caching = enabled;
  if (!enabled) diopirt::release_cached(ctx);
  return diopiSuccess;
}

diopiError_t diopirtSetStream(diopiContextHandle_t ctx, diopiStreamHandle_t stream) {
  const OperatorScope scope("diopirtSetStream");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  DIOPI_REQUIRE(!ctx->has_stream.load(), diopiErrorOccurred, "the context has a stream already");
  ctx->stream = stream;
  ctx->has_stream.store(true, std::memory_order_release);
  return diopiSuccess;
}

diopiError_t diopirtSynchronize(diopiContextHandle_t ctx) {
  const OperatorScope scope("diopirtSynchronize");
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  diopiStreamHandle_t stream = nullptr;
  DIOPI_TRY(diopirt::context_stream(ctx, &stream));
  return ctx->vendor->stream_synchronize(stream);
}
