// SPDX-License-Identifier: BSD-3-Clause
// trace: one line for each call.
#include "adaptor/layer/describe.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

// The arguments before the call, because an operator overwrites some of them.
struct Arguments : Kept {
  Json json;
};

class Trace : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    auto arguments = std::make_unique<Arguments>();
    Json& json = arguments->json;
    json.open().add("call", call.number).add("operator", call.function.name).add("inside", call.depth > 0);
    if (settings().trace_level >= 2) {
      json.open("arguments");
      for (int i = 0; i < call.function.num_parameters; ++i) add_argument(&json, call, i);
      json.close();
    }
    return arguments;
  }

  void after(const Call& call, Kept* kept) override {
    Json& json = static_cast<Arguments*>(kept)->json;
    json.add("status", static_cast<int64_t>(call.status)).add("nanoseconds", call.end - call.begin).close();
    file_.line(json.text());
  }

 private:
  File file_{"trace.jsonl"};
};

}  // namespace

std::unique_ptr<Mode> make_trace() { return std::make_unique<Trace>(); }

}  // namespace diopi::layer
