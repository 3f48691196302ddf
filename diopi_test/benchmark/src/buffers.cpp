// SPDX-License-Identifier: BSD-3-Clause
#include "buffers.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "numbers.hpp"

namespace diopi_bench {
namespace {

constexpr size_t kLine = 64;
// The gap between tensors. It prevents large tensors from beginning at the same offset in a page.
constexpr size_t kGap = 5 * kLine;
constexpr size_t kMostSets = 1024;
// A pattern of this many random numbers is repeated, so that filling does not take longer than measuring.
constexpr int64_t kPattern = int64_t{1} << 20;
constexpr int64_t kMostCompared = int64_t{1} << 20;

// Repeats the first bytes of a tensor's memory to its end.
void repeat_pattern(const Tensor& tensor, int64_t bytes) {
  for (int64_t done = bytes; done < tensor.storage_bytes; done += bytes) {
    std::memcpy(tensor.storage + done, tensor.storage, std::min(bytes, tensor.storage_bytes - done));
  }
}

// Whether the elements lie one after another.
bool is_dense(const Tensor& tensor) {
  int64_t step = 1;
  for (size_t d = tensor.shape.size(); d-- > 0; step *= tensor.shape[d]) {
    if (tensor.strides[d] != step) return false;
  }
  return true;
}

size_t align(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Fills rows whose columns have different ranges. Numbers of integers are rounded down.
void fill_columns(const std::vector<Column>& columns, const Tensor& tensor, int64_t elements, Random* random) {
  const auto width = static_cast<int64_t>(columns.size());
  std::vector<double> row(columns.size());
  for (int64_t i = 0; i < elements; ++i) {
    const Column& column = columns[i % width];
    const double base = column.base < 0 ? 0 : row[column.base];
    row[i % width] = base + column.low + (column.high - column.low) * random->uniform();
    store_number(tensor.storage + i * element_size(tensor.dtype), tensor.dtype, row[i % width]);
  }
}

}  // namespace

Buffers::Buffers(const Case& a_case, const RotationRule& rule, Memory& memory) : case_(a_case), memory_(memory) {
  for (const TensorPlan& plan : case_.tensors) {
    set_bytes_ += align(plan.storage_elements * element_size(plan.tensor.dtype)) + kGap;
  }
  size_t count = 1;
  if (set_bytes_ > rule.in_cache_bytes) {
    count = std::clamp<size_t>((rule.rotated_bytes + set_bytes_ - 1) / set_bytes_, 1, kMostSets);
  }
  char* place = memory_.get(count * set_bytes_);
  for (size_t i = 0; i < count; ++i) {
    sets_.push_back(case_.operands);
    for (const TensorPlan& plan : case_.tensors) {
      Tensor tensor = plan.tensor;
      tensor.on_device = memory_.is_device();
      tensor.storage = place;
      tensor.storage_bytes = plan.storage_elements * element_size(tensor.dtype);
      tensor.data = place + plan.offset * element_size(tensor.dtype);
      place += align(tensor.storage_bytes) + kGap;
      sets_.back().tensors.push_back(tensor);
    }
    fill_set(static_cast<int>(i));
  }
  memory_.copied();
  if (!case_.restored) return;
  for (const Tensor& tensor : sets_[0].tensors) {
    const bool overwritten = tensor.is_input && tensor.is_output;
    kept_.emplace_back(overwritten ? tensor.storage_bytes : 0);
    memory_.read(kept_.back().data(), tensor.storage, kept_.back().size());
  }
}

void Buffers::make(const Tensor& tensor, const std::function<void(const Tensor&)>& make) {
  if (!tensor.on_device) return make(tensor);
  staged_.resize(tensor.storage_bytes);
  Tensor staged = tensor;
  staged.storage = staged_.data();
  staged.data = staged.storage + (tensor.data - tensor.storage);
  make(staged);
  memory_.write(tensor.storage, staged.storage, tensor.storage_bytes);
}

void Buffers::fill(const TensorPlan& plan, const Tensor& tensor) const {
  const int64_t size = element_size(tensor.dtype), elements = plan.storage_elements;
  if (plan.fill == Fill::kZeros) {
    std::memset(tensor.storage, 0, tensor.storage_bytes);
    return;
  }
  Random random(std::hash<std::string>()(tensor.name));
  if (plan.fill == Fill::kColumns) return fill_columns(plan.columns, tensor, elements, &random);
  const int64_t high = static_cast<int64_t>(plan.high), low = static_cast<int64_t>(plan.low);
  if (plan.fill == Fill::kPermutation) {  // each run of `high` numbers is a permutation
    std::vector<int64_t> order(high);
    for (int64_t begin = 0; begin < elements; begin += high) {
      std::iota(order.begin(), order.end(), int64_t{0});
      for (int64_t i = high - 1; i > 0; --i) std::swap(order[i], order[random.next() % (i + 1)]);
      for (int64_t i = begin; i < std::min(begin + high, elements); ++i) {
        store_number(tensor.storage + i * size, tensor.dtype, static_cast<double>(order[i - begin]));
      }
    }
    return;
  }
  if (plan.fill == Fill::kHalf) {
    int64_t ones = elements - elements / 2;
    for (int64_t i = 0; i < elements; ++i) {
      const bool one = random.uniform() * static_cast<double>(elements - i) < static_cast<double>(ones);
      store_number(tensor.storage + i * size, tensor.dtype, one);
      ones -= one;
    }
    return;
  }
  const int64_t distinct = std::min(elements, kPattern);
  if (plan.fill == Fill::kUniform && tensor.dtype == diopi_dtype_float32) {  // the frequent case, faster
    auto* const numbers = reinterpret_cast<float*>(tensor.storage);
    for (int64_t i = 0; i < distinct; ++i) {
      numbers[i] = static_cast<float>(plan.low + (plan.high - plan.low) * random.uniform());
    }
    return repeat_pattern(tensor, distinct * size);
  }
  for (int64_t i = 0; i < distinct; ++i) {
    const double value = plan.fill == Fill::kUniform
                             ? plan.low + (plan.high - plan.low) * random.uniform()
                             : static_cast<double>(low + static_cast<int64_t>(random.next() % (high - low)));
    store_number(tensor.storage + i * size, tensor.dtype, value);
  }
  repeat_pattern(tensor, distinct * size);
}

void Buffers::fill_set(int set) {
  for (size_t i = 0; i < case_.tensors.size(); ++i) {
    const Tensor& tensor = sets_[set].tensors[i];
    if (set > 0 && tensor.is_input) {
      memory_.prepare_copy(tensor.storage, sets_[0].tensors[i].storage, tensor.storage_bytes)();
    } else if (tensor.is_input) {
      make(tensor, [&](const Tensor& memory) { fill(case_.tensors[i], memory); });
    } else if (!tensor.on_device) {
      std::memset(tensor.storage, 0, tensor.storage_bytes);  // touches the pages
    }
  }
}

void Buffers::refill(int set) {
  for (size_t i = 0; i < case_.tensors.size(); ++i) {
    const Tensor& tensor = sets_[set].tensors[i];
    if (!tensor.is_input || !tensor.is_output) continue;
    make(tensor, [&](const Tensor& memory) { fill(case_.tensors[i], memory); });
  }
}

void Buffers::restore(int set) {
  for (size_t i = 0; i < kept_.size(); ++i) {
    memory_.write(sets_[set].tensors[i].storage, kept_[i].data(), kept_[i].size());
  }
}

void Buffers::poison_outputs() {
  for (const Tensor& tensor : sets_[0].tensors) {
    if (!tensor.is_output || tensor.is_input) continue;
    make(tensor, [](const Tensor& memory) { std::memset(memory.storage, 0x7B, memory.storage_bytes); });
  }
}

std::vector<double> Buffers::read(const std::string& name) {
  const Tensor& tensor = sets_[0].tensor(name);
  const char* first = tensor.data;
  if (tensor.on_device) {
    staged_.resize(tensor.storage_bytes);
    memory_.read(staged_.data(), tensor.storage, staged_.size());
    first = staged_.data() + (tensor.data - tensor.storage);
  }
  const int64_t numel = tensor.numel(), size = element_size(tensor.dtype);
  const int64_t step = std::max<int64_t>(1, numel / kMostCompared) | 1;  // odd, so it meets every column of a matrix
  std::vector<double> values;
  values.reserve(numel / step + 1);
  const bool dense = is_dense(tensor);
  for (int64_t i = 0; i < numel; i += step) {
    int64_t rest = i, position = dense ? i : 0;
    for (size_t d = tensor.shape.size(); d-- > 0 && !dense; rest /= tensor.shape[d]) {
      position += rest % tensor.shape[d] * tensor.strides[d];
    }
    values.push_back(load_number(first + position * size, tensor.dtype));
  }
  return values;
}

}  // namespace diopi_bench
