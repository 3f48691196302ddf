// SPDX-License-Identifier: BSD-3-Clause
// The environment variables of the layer, read when the layer is loaded. docs/layer.md explains them.
#ifndef ADAPTOR_LAYER_SETTINGS_HPP_
#define ADAPTOR_LAYER_SETTINGS_HPP_

#include <cstdint>
#include <string>
#include <vector>

namespace diopi::layer {

struct Settings {
  std::vector<std::string> modes;  // DIOPI_LAYER: names with commas
  std::string operators;           // DIOPI_LAYER_OPS: regular expressions with commas; empty: all operators
  std::string except;              // DIOPI_LAYER_EXCEPT: these are left out, whatever DIOPI_LAYER_OPS says
  int64_t every = 1;               // DIOPI_LAYER_EVERY: each n-th call of an operator
  int64_t first = INT64_MAX;       // DIOPI_LAYER_FIRST: no call of an operator after these
  std::string folder;              // DIOPI_LAYER_OUT: results are in <folder>/<process>
  int64_t memory = 4LL << 30;      // DIOPI_LAYER_MEMORY: bytes that the layer may hold for copies at a time
  int64_t disk = 16LL << 30;       // DIOPI_LAYER_DISK: bytes that the layer may write
  int64_t trace_level = 2;         // DIOPI_LAYER_TRACE_LEVEL: 1 names, 2 arguments, 3 some elements
  std::string fallback_operators;  // DIOPI_LAYER_FALLBACK_OPS: expressions as in DIOPI_LAYER_OPS; empty: all
  std::string reference;           // DIOPI_LAYER_REFERENCE: a library in place of diopi/libdiopi_host.so
  bool trace_json = true;          // DIOPI_LAYER_TRACE_FORMAT: text or json
  bool refuse = false;             // DIOPI_LAYER_REFUSE: 1 lets the mode contract return the error of a violation
  bool synchronise = false;        // DIOPI_LAYER_SYNC: 1 waits for the stream before and after a call
  std::string problem;             // why the variables cannot be used; the layer then observes nothing
};

// The settings of this process.
const Settings& settings();

// Reads the variables through `get`, which returns null for a variable that is not set.
Settings read_settings(const char* (*get)(const char* name));

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_SETTINGS_HPP_
