// SPDX-License-Identifier: BSD-3-Clause
// What was computed on the host in place of the device, how often, why, and at what cost.
#ifndef ADAPTOR_ENTRY_FALLBACK_LEDGER_HPP_
#define ADAPTOR_ENTRY_FALLBACK_LEDGER_HPP_

#include <diopi_fallback.h>

#include <atomic>
#include <cstdint>

namespace diopi::fallback {

// Why a call went to the host.
enum Reason {
  kAbsent,       // the vendor does not have the operator
  kUnsupported,  // the vendor has declared the dtype or layout unsupported
  kConfigured,   // the vendor's configuration says so
  kAsked,        // the vendor's function returned diopiForceFallbackToCPU
  kReasons,
};

// One operator's row. Rows are static and join the ledger at their first call.
struct Row {
  explicit Row(const char* operator_name) : name(operator_name) {}

  // Adds a call that succeeded. True if it is the operator's first one.
  bool add(Reason reason, int64_t moved, int64_t duration);

  const char* const name;
  std::atomic<int64_t> calls[kReasons] = {};
  std::atomic<int64_t> bytes{0};
  std::atomic<int64_t> nanoseconds{0};
  std::atomic<bool> joined{false};
  Row* next = nullptr;
};

// The rows of the operators called so far, the latest first.
const Row* first_row();

// Stores rows and returns their number, as diopiGetFallbacks() does.
int64_t get_fallbacks(diopiFallbackRow_t* to, int64_t capacity);

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_LEDGER_HPP_
