// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/modes.hpp"

namespace diopi::layer {

namespace {

struct Row {
  const char* name;
  std::unique_ptr<Mode> (*make)();
};

// A mode that comes earlier sees the arguments earlier and the results later, so its times include the later modes'.
constexpr Row kRows[] = {
    {"trace", make_trace}, {"fallback", make_fallback}, {"capture", make_capture}, {"compare", make_compare},
    {"time", make_time},   {"memory", make_memory},     {"values", make_values},
};

}  // namespace

bool is_mode(const std::string& name) {
  for (const Row& row : kRows) {
    if (name == row.name) return true;
  }
  return false;
}

std::string mode_names() {
  std::string names;
  for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.name);
  return names;
}

std::unique_ptr<Mode> make_mode(const std::string& name) {
  for (const Row& row : kRows) {
    if (name == row.name) return row.make();
  }
  return nullptr;
}

}  // namespace diopi::layer
