// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/ledger.hpp"

#include <cstdio>
#include <cstdlib>

namespace diopi::fallback {

namespace {

std::atomic<Row*> rows{nullptr};

// Writes the ledger to the file that DIOPI_FALLBACK_REPORT names, at the end of the process.
void write_report() {
  const char* const path = std::getenv("DIOPI_FALLBACK_REPORT");
  std::FILE* const file = path != nullptr && *path != '\0' ? std::fopen(path, "w") : nullptr;
  if (file == nullptr) return;
  std::fputs("operator,absent,unsupported,configured,asked,bytes,nanoseconds\n", file);
  for (const Row* row = first_row(); row != nullptr; row = row->next) {
    std::fputs(row->name, file);
    for (const auto& count : row->calls) std::fprintf(file, ",%lld", static_cast<long long>(count.load()));
    std::fprintf(file, ",%lld,%lld\n", static_cast<long long>(row->bytes.load()),
                 static_cast<long long>(row->nanoseconds.load()));
  }
  std::fclose(file);
}

}  // namespace

void Row::add(Reason reason, int64_t moved, int64_t duration) {
  calls[reason].fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(moved, std::memory_order_relaxed);
  nanoseconds.fetch_add(duration, std::memory_order_relaxed);
  if (joined.exchange(true)) return;
  static const int registered = std::atexit(write_report);
  static_cast<void>(registered);
  next = rows.load();
  while (!rows.compare_exchange_weak(next, this)) {
  }
}

const Row* first_row() { return rows.load(); }

}  // namespace diopi::fallback
