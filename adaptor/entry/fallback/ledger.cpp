// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/ledger.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace diopi::fallback {

namespace {

std::atomic<Row*> rows{nullptr};

void report_failure(const char* path) {
  std::fprintf(stderr, "DIOPI_FALLBACK_REPORT = %s cannot be written: %s\n", path, std::strerror(errno));
}

// Writes the ledger to the file that DIOPI_FALLBACK_REPORT names, at the end of the process.
void write_report() {
  const char* const path = std::getenv("DIOPI_FALLBACK_REPORT");
  if (path == nullptr || *path == '\0') return;
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) return report_failure(path);
  std::fputs("operator,absent,unsupported,configured,asked,bytes,nanoseconds\n", file);
  for (const Row* row = first_row(); row != nullptr; row = row->next) {
    std::fputs(row->name, file);
    for (const auto& count : row->calls) std::fprintf(file, ",%lld", static_cast<long long>(count.load()));
    std::fprintf(file, ",%lld,%lld\n", static_cast<long long>(row->bytes.load()),
                 static_cast<long long>(row->nanoseconds.load()));
  }
  const bool incomplete = std::ferror(file) != 0;
  if (std::fclose(file) != 0 || incomplete) report_failure(path);
}

}  // namespace

bool Row::add(Reason reason, int64_t moved, int64_t duration) {
  calls[reason].fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(moved, std::memory_order_relaxed);
  nanoseconds.fetch_add(duration, std::memory_order_relaxed);
  if (joined.exchange(true)) return false;
  static const int registered = std::atexit(write_report);
  static_cast<void>(registered);
  next = rows.load();
  while (!rows.compare_exchange_weak(next, this)) {
  }
  return true;
}

const Row* first_row() { return rows.load(); }

int64_t get_fallbacks(diopiFallbackRow_t* to, int64_t capacity) {
  int64_t count = 0;
  for (const Row* row = first_row(); row != nullptr; row = row->next, ++count) {
    if (to == nullptr || count >= capacity) continue;
    to[count] = {row->name,
                 row->calls[kAbsent].load(),
                 row->calls[kUnsupported].load(),
                 row->calls[kConfigured].load(),
                 row->calls[kAsked].load(),
                 row->bytes.load(),
                 row->nanoseconds.load()};
  }
  return count;
}

}  // namespace diopi::fallback
