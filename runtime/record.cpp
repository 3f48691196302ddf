// SPDX-License-Identifier: BSD-3-Clause
// Records: a framework can be notified at the begin and the end of operator calls. Without a hook they cost one read.
#include <diopirt_host.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

#include "impl/common/error.hpp"

namespace diopirt {
namespace {

struct Hook {
  diopirtRecordStart_t start;
  diopirtRecordEnd_t end;
  void* user_data;
};

struct Record {
  const Hook* hook;
  void* token;
};

std::atomic<const Hook*> current_hook{nullptr};

// Open records refer to the hook with which they began, so old hooks are kept.
void keep_hook(std::unique_ptr<Hook> hook) {
  static std::mutex mutex;
  static auto* kept = new std::vector<std::unique_ptr<Hook>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const Hook* const raw = hook.get();
  kept->push_back(std::move(hook));
  current_hook.store(raw, std::memory_order_release);
}

}  // namespace
}  // namespace diopirt

diopiError_t diopirtSetRecordHook(diopirtRecordStart_t start, diopirtRecordEnd_t end, void* user_data) try {
  if (start == nullptr && end == nullptr) {
    diopirt::current_hook.store(nullptr, std::memory_order_release);
    return diopiSuccess;
  }
  DIOPI_REQUIRE(start != nullptr && end != nullptr, diopiErrorOccurred, "diopirtSetRecordHook: %s is null",
                start == nullptr ? "start" : "end");
  diopirt::keep_hook(std::make_unique<diopirt::Hook>(diopirt::Hook{start, end, user_data}));
  return diopiSuccess;
} catch (const std::bad_alloc&) {
  return diopi::fail(diopiErrorOccurred, "diopirtSetRecordHook: out of memory");
}

diopiError_t diopiRecordStart(const char* record_name, void** record) {
  DIOPI_REQUIRE(record != nullptr, diopiErrorOccurred, "diopiRecordStart: record is null");
  *record = nullptr;
  const diopirt::Hook* const hook = diopirt::current_hook.load(std::memory_order_acquire);
  if (__builtin_expect(hook == nullptr, 1)) return diopiSuccess;
  auto* opened = new (std::nothrow) diopirt::Record{hook, nullptr};
  DIOPI_REQUIRE(opened != nullptr, diopiErrorOccurred, "diopiRecordStart: out of memory");
  opened->token = hook->start(record_name, hook->user_data);
  *record = opened;
  return diopiSuccess;
}

diopiError_t diopiRecordEnd(void** record) {
  DIOPI_REQUIRE(record != nullptr, diopiErrorOccurred, "diopiRecordEnd: record is null");
  if (__builtin_expect(*record == nullptr, 1)) return diopiSuccess;
  auto* const opened = static_cast<diopirt::Record*>(*record);
  *record = nullptr;
  opened->hook->end(opened->token, opened->hook->user_data);
  delete opened;
  return diopiSuccess;
}
