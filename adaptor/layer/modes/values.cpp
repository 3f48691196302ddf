// SPDX-License-Identifier: BSD-3-Clause
// values: NaN, infinities, numbers beyond float16 and denormals in the arguments of calls.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include "adaptor/layer/tensors/elements.hpp"
#include "adaptor/layer/modes/modes.hpp"
#include "adaptor/layer/output.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

enum Special { kNan, kInfinite, kBeyondHalf, kDenormal, kSpecials };
constexpr const char* kNames[] = {"nan", "inf", "beyond_float16", "denormal"};
constexpr double kLargestHalf = 65504;
constexpr int64_t kChunk = 4 << 20;   // bytes that are copied at a time
constexpr int64_t kMostLines = 1000;  // of an operator and a special value

struct Seen {
  int64_t count = 0;
  std::vector<int64_t> first;  // the index of the first element
};
using Found = Seen[kSpecials];

struct Counts : Kept {
  bool in_inputs[kSpecials] = {};
};

struct Row {
  int64_t calls = 0, only_in_outputs = 0, elements = 0, lines = 0;
  int64_t first_call = 0;
  const char* argument = "";
  bool first_in_input = false;
  std::vector<int64_t> index;
};

template <typename T>
T load(const char* memory) {
  T value;
  std::memcpy(&value, memory, sizeof(value));
  return value;
}

// A number of a real part, and the least normal number of its dtype.
struct Number {
  double value, least_normal;
};

Number number_at(diopiDtype_t dtype, const char* memory) {
  switch (dtype) {
    case diopi_dtype_float16:
    case diopi_dtype_complex32:
      return {static_cast<double>(static_cast<float>(load<float16>(memory))), 0x1p-14};
    case diopi_dtype_bfloat16:
      return {static_cast<double>(static_cast<float>(load<bfloat16>(memory))), 0x1p-126};
    case diopi_dtype_float32:
    case diopi_dtype_complex64:
      return {static_cast<double>(load<float>(memory)), 0x1p-126};
    default:
      return {load<double>(memory), 0x1p-1022};
  }
}

int special_of(const Number& number) {
  const double size = std::fabs(number.value);
  if (std::isnan(number.value)) return kNan;
  if (std::isinf(number.value)) return kInfinite;
  if (size > kLargestHalf) return kBeyondHalf;
  return size != 0 && size < number.least_normal ? kDenormal : kSpecials;
}

void look(const TensorView& view, int64_t offset, const char* memory, int64_t bytes, Found* found) {
  const int64_t size = view.itemsize();
  const int64_t step = is_complex(view.dtype) ? size / 2 : size;
  for (int64_t i = 0; i < bytes; i += step) {
    const int special = special_of(number_at(view.dtype, memory + i));
    if (special == kSpecials) continue;
    Seen& seen = (*found)[special];
    if (seen.count++ == 0) seen.first = index_at(view, (offset + i) / size);
  }
}

class Values : public Mode {
 public:
  std::unique_ptr<Kept> before(const Call& call) override {
    auto counts = std::make_unique<Counts>();
    for (int i = 0; i < call.function.num_parameters; ++i) {
      const Direction direction = call.function.parameters[i].direction;
      if (direction == Direction::kIn || direction == Direction::kInOut) read(call, i, true, counts->in_inputs);
    }
    return counts;
  }

  void after(const Call& call, Kept* kept) override {
    if (call.status != diopiSuccess) return;
    for (int i = 0; i < call.function.num_parameters; ++i) {
      const Direction direction = call.function.parameters[i].direction;
      if (direction != Direction::kOut && direction != Direction::kInOut) continue;
      read(call, i, false, static_cast<Counts*>(kept)->in_inputs);
    }
  }

  void finish() override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (calls_ == 0) return;
    Json json;
    json.open().add("tensors", calls_).add("unread", unread_).open("operators", '[');
    for (const auto& [key, row] : rows_) {
      json.open().add("operator", key.first->name).add("value", kNames[key.second]);
      json.add("tensors", row.calls).add("only_in_outputs", row.only_in_outputs).add("elements", row.elements);
      json.add("first_call", row.first_call).add("first_argument", row.argument);
      json.add("first_in", row.first_in_input ? "input" : "output");
      add_index(&json, "first_index", row.index);
      json.close();
    }
    json.close().close();
    File("values.json").line(json.text());
  }

 private:
  static void add_index(Json* json, const char* key, const std::vector<int64_t>& index) {
    json->open(key, '[');
    for (const int64_t number : index) json->add(nullptr, number);
    json->close();
  }

  // Reads the tensors of a parameter. `in_inputs` says which special values the call's inputs have: an input sets it.
  void read(const Call& call, int parameter, bool input, bool (&in_inputs)[kSpecials]) {
    const Parameter& p = call.function.parameters[parameter];
    if (!p.holds_tensors() || call.value<const void*>(parameter) == nullptr) return;
    for (int64_t i = 0; i < call.count(parameter); ++i) {
      const diopiConstTensorHandle_t tensor = call.tensor(parameter, i);
      diopiDtype_t dtype = diopi_dtype_unsupported;
      if (tensor == nullptr || diopiGetTensorDtype(tensor, &dtype) != diopiSuccess) continue;
      if (!is_floating(dtype) && !is_complex(dtype)) continue;
      Found found;
      const int64_t chunk = std::max<int64_t>(std::min(kChunk, settings().memory / 16), 4096);
      const Status status = visit_elements(call.context(), tensor, chunk,
                                           [&](const TensorView& view, int64_t offset, const char* memory,
                                               int64_t bytes) { look(view, offset, memory, bytes, &found); });
      add(call, p.name, i, input, status.ok(), found, in_inputs);
    }
  }

  void add(const Call& call, const char* argument, int64_t number, bool input, bool was_read, const Found& found,
           bool (&in_inputs)[kSpecials]) {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++calls_;
    if (!was_read) {
      ++unread_;
      note("values: some tensors cannot be read: %s", last_error());
    }
    for (int special = 0; special < kSpecials; ++special) {
      const Seen& seen = found[special];
      if (seen.count == 0) continue;
      const bool arises = !input && !in_inputs[special];
      if (input) in_inputs[special] = true;
      Row& row = rows_[{&call.function, special}];
      if (row.calls++ == 0) {
        row.first_call = call.number;
        row.argument = argument;
        row.first_in_input = input;
        row.index = seen.first;
      }
      row.elements += seen.count;
      row.only_in_outputs += arises ? 1 : 0;
      if (row.lines++ < kMostLines) write(call, argument, number, input, arises, special, seen);
    }
  }

  void write(const Call& call, const char* argument, int64_t number, bool input, bool arises, int special,
             const Seen& seen) {
    Json json;
    json.open().add("call", call.number).add("operator", call.function.name).add("value", kNames[special]);
    json.add("in", input ? "input" : "output").add("only_in_outputs", arises).add("argument", argument);
    json.add("number", number).add("elements", seen.count);
    add_index(&json, "first_index", seen.first);
    file_.line(json.close().text());
  }

  std::mutex mutex_;
  std::map<std::pair<const Function*, int>, Row> rows_;
  int64_t calls_ = 0, unread_ = 0;
  File file_{"values.jsonl"};
};

}  // namespace

std::unique_ptr<Mode> make_values() { return std::make_unique<Values>(); }

}  // namespace diopi::layer
