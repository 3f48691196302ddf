// SPDX-License-Identifier: BSD-3-Clause
// Counts and lists live tensors and memory.
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "impl/common/dtype.hpp"
#include "runtime/context.hpp"
#include "runtime/generator.hpp"

namespace diopirt {
namespace {

void add_context(diopiContext* ctx, void* argument) {
  auto* statistics = static_cast<diopirtStatistics_t*>(argument);
  ++statistics->live_contexts;
  statistics->live_tensors += static_cast<int64_t>(ctx->owned.size());
  for (const FreeList& list : ctx->idle) statistics->cached_bytes += list.bytes();
}

class Report {
 public:
  Report(char* text, size_t capacity) : text_(text), capacity_(capacity) {
    if (capacity_ != 0) text_[0] = '\0';
  }

  void add(const diopiTensor* tensor, const char* holder) {
    ++count_;
    write("%s [", diopi::dtype_name(tensor->dtype));
    for (int64_t i = 0; i < tensor->shape.len; ++i) write("%s%" PRId64, i == 0 ? "" : ", ", tensor->shape.data[i]);
    const diopiTensor* const placed = tensor->sparse ? tensor->values : tensor;
    const char* const device = placed->storage->device == diopi_device ? "device" : "host";
    write("]%s on %s, %zu bytes, %d references, held by %s\n", tensor->sparse ? " sparse" : "", device,
          placed->storage->bytes, static_cast<int>(tensor->references.load()), holder);
  }

  int64_t count() const { return count_; }

 private:
  __attribute__((format(printf, 2, 3))) void write(const char* format, ...) {
    if (used_ + 1 >= capacity_) return;
    std::va_list arguments;
    va_start(arguments, format);
    const int written = std::vsnprintf(text_ + used_, capacity_ - used_, format, arguments);
    va_end(arguments);
    used_ += written > 0 ? static_cast<size_t>(written) : 0;
  }

  char* text_;
  size_t capacity_;
  size_t used_ = 0;
  int64_t count_ = 0;
};

void report_context(diopiContext* ctx, void* argument) {
  for (const diopiTensor* tensor : ctx->owned) static_cast<Report*>(argument)->add(tensor, "a context");
}

void report_linked(const diopiTensor* tensor, void* argument) {
  static_cast<Report*>(argument)->add(tensor, "the framework");
}

}  // namespace
}  // namespace diopirt

using diopirt::OperatorScope;

diopiError_t diopirtGetStatistics(diopirtStatistics_t* statistics) {
  const OperatorScope scope("diopirtGetStatistics");
  DIOPI_REQUIRE(statistics != nullptr, diopiErrorOccurred, "statistics is null");
  *statistics = {};
  diopirt::visit_contexts(diopirt::add_context, statistics);
  const diopirt::MemoryCounters& memory = diopirt::memory_counters();
  statistics->live_tensors += diopirt::count_linked_tensors();
  statistics->live_generators = diopirt::count_generators();
  statistics->live_bytes = memory.obtained_bytes.load() - statistics->cached_bytes;
  statistics->peak_bytes = memory.peak_bytes.load();
  statistics->allocations = memory.allocations.load();
  return diopiSuccess;
}

diopiError_t diopirtGetContextStatistics(diopiContextHandle_t ctx, diopirtContextStatistics_t* statistics) {
  const OperatorScope scope("diopirtGetContextStatistics");
  DIOPI_REQUIRE(ctx != nullptr && statistics != nullptr, diopiErrorOccurred, "%s is null",
                ctx == nullptr ? "ctx" : "statistics");
  const std::lock_guard<std::mutex> lock(ctx->mutex);
  *statistics = ctx->counts;
  statistics->live_temporaries = static_cast<int64_t>(ctx->owned.size());
  for (const diopirt::FreeList& list : ctx->idle) statistics->cached_bytes += list.bytes();
  return diopiSuccess;
}

diopiError_t diopirtReportLiveTensors(char* text, size_t capacity, int64_t* count) {
  const OperatorScope scope("diopirtReportLiveTensors");
  DIOPI_REQUIRE(count != nullptr && (text != nullptr || capacity == 0), diopiErrorOccurred, "%s is null",
                count == nullptr ? "count" : "text");
  diopirt::Report report(text, capacity);
  diopirt::visit_linked_tensors(diopirt::report_linked, &report);
  diopirt::visit_contexts(diopirt::report_context, &report);
  *count = report.count();
  return diopiSuccess;
}
