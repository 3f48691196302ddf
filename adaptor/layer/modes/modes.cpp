// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/modes.hpp"

#include <algorithm>
#include <iterator>

namespace diopi::layer {

namespace {

struct Row {
  const char* name;
  std::unique_ptr<Mode> (*make)();
};

// A mode that comes earlier sees the arguments earlier and the results later, so its times include the later modes'.
// The first mode that replaces a call wins, so contract refuses before fallback computes.
constexpr Row kRows[] = {
    {"trace", make_trace},     {"contract", make_contract}, {"fallback", make_fallback}, {"capture", make_capture},
    {"compare", make_compare}, {"time", make_time},         {"memory", make_memory},     {"values", make_values},
};
static_assert(std::size(kRows) <= kMostModes, "observe() keeps something of each mode");

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

std::vector<std::unique_ptr<Mode>> make_modes(const std::vector<std::string>& names) {
  std::vector<std::unique_ptr<Mode>> made;
  for (const Row& row : kRows) {
    if (std::find(names.begin(), names.end(), row.name) != names.end()) made.push_back(row.make());
  }
  return made;
}

}  // namespace diopi::layer
