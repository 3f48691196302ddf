// SPDX-License-Identifier: BSD-3-Clause
// The begin and the end of the layer in a process.
#include "adaptor/layer/dispatch.hpp"
#include "adaptor/layer/library.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/selection.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

// Runs before the program's main(), and before the constructors of the program's own variables.
__attribute__((constructor)) void start() {
  std::string problem = settings().problem;
  if (problem.empty()) problem = pattern_problem(settings().operators);
  if (problem.empty()) problem = pattern_problem(settings().except);
  if (!problem.empty()) {
    note("%s; no call is observed", problem.c_str());
  } else {
    for (const std::string& name : settings().modes) modes().push_back(make_mode(name));
  }
  connect();
  find_library();
}

__attribute__((destructor)) void stop() {
  if (library_path()[0] == '\0') return;
  for (const auto& mode : modes()) mode->finish();
}

}  // namespace

}  // namespace diopi::layer
