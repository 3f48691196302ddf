// SPDX-License-Identifier: BSD-3-Clause
// trace: one line for each call.
#include <cstdio>
#include <string>

#include "adaptor/layer/clock.hpp"
#include "adaptor/layer/dispatch.hpp"
#include "adaptor/layer/library/library.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/modes/trace_text.hpp"
#include "adaptor/layer/settings.hpp"
#include "adaptor/layer/tensors/describe.hpp"
#include "impl/common/error.hpp"

namespace diopi::layer {

namespace {

// The arguments before the call, because an operator overwrites some of them.
struct Arguments : Kept {
  Json json;
  std::string text;
};

// Why the library below, or a mode in its place, refused the call.
const char* failure() {
  if (failed_in_layer()) return last_error();
  const auto function = reinterpret_cast<const char* (*)()>(library_symbol("diopiGetLastErrorString"));
  const char* const text = function != nullptr ? function() : nullptr;
  return text != nullptr ? text : "";
}

// The first elements of the tensors that `chosen` selects, by parameter; of a list, a text for each tensor.
void add_elements(Json* json, const char* key, const Call& call, bool (*chosen)(const Parameter&)) {
  json->open(key);
  for (int i = 0; i < call.function.num_parameters; ++i) {
    const Parameter& p = call.function.parameters[i];
    if (!chosen(p) || call.value<const void*>(i) == nullptr) continue;
    if (p.kind == Kind::kTensor) {
      json->add(p.name, elements_text(call, call.tensor(i, 0)));
      continue;
    }
    json->open(p.name, '[');
    for (int64_t j = 0; j < call.count(i); ++j) {
      const diopiConstTensorHandle_t tensor = call.tensor(i, j);
      if (tensor != nullptr) json->add(nullptr, elements_text(call, tensor));
      if (tensor == nullptr) json->add_null(nullptr);
    }
    json->close();
  }
  json->close();
}

class Trace : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    auto arguments = std::make_unique<Arguments>();
    if (settings().trace_json) {
      begin_json(&arguments->json, call);
    } else if (settings().trace_level >= 2) {
      arguments->text = "(" + arguments_text(call, settings().trace_level >= 3) + ")";
    }
    return arguments;
  }

  void after(const Call& call, Kept* kept) override {
    auto* const arguments = static_cast<Arguments*>(kept);
    if (settings().trace_json) {
      end_json(&arguments->json, call);
      json_.line(arguments->json.text());
    } else {
      text_.line(line(arguments->text, call));
    }
  }

 private:
  static void begin_json(Json* json, const Call& call) {
    json->open().add("call", call.number).add("operator", call.function.name).add("inside", call.depth > 0);
    if (settings().trace_level < 2) return;
    json->open("arguments");
    for (int i = 0; i < call.function.num_parameters; ++i) add_argument(json, call, i);
    json->close();
    if (settings().trace_level >= 3) add_elements(json, "inputs", call, has_inputs);
  }

  static void end_json(Json* json, const Call& call) {
    if (settings().trace_level >= 3 && call.status == diopiSuccess) add_elements(json, "outputs", call, has_outputs);
    json->add("status", static_cast<int64_t>(call.status));
    if (call.status != diopiSuccess) json->add("message", failure());
    json->add("nanoseconds", TickLength().duration(call.end - call.begin)).close();
  }

  static std::string line(const std::string& arguments, const Call& call) {
    char text[96];
    std::snprintf(text, sizeof(text), "%8lld %s", static_cast<long long>(call.number), call.depth > 0 ? "  " : "");
    std::string line = text + std::string(call.function.name) + arguments;
    if (settings().trace_level >= 3) line += results_text(call);
    std::snprintf(text, sizeof(text), " = %d, %.3f us", static_cast<int>(call.status),
                  static_cast<double>(TickLength().duration(call.end - call.begin)) / 1000);
    line += text;
    if (call.status != diopiSuccess) line += ": " + std::string(failure());
    return line;
  }

  File json_{"trace.jsonl"};
  File text_{"trace.txt"};
};

}  // namespace

std::unique_ptr<Mode> make_trace() { return std::make_unique<Trace>(); }

}  // namespace diopi::layer
