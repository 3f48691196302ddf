// SPDX-License-Identifier: BSD-3-Clause
// The interface between the benchmark and a side (our library or a peer). Each peer is a separate module that the
// benchmark opens with dlopen, so that the symbols of its libraries do not conflict with those of ours.
#ifndef DIOPI_TEST_BENCHMARK_SRC_PEER_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_PEER_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace diopi_bench {

// A tensor in memory that all sides share. The layout may differ between sides.
struct Tensor {
  std::string name;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  std::vector<int64_t> shape, strides;
  char* data = nullptr;     // the first element
  char* storage = nullptr;  // begin of the memory; its size is storage_bytes
  int64_t storage_bytes = 0;
  bool is_output = false, is_input = false;
  bool on_device = false;  // the memory is that of the vendor's device

  int64_t numel() const {
    int64_t product = 1;
    for (int64_t size : shape) product *= size;
    return product;
  }
};

struct Operands {
  std::string op;
  std::vector<Tensor> tensors;
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<int64_t>> sizes;
  std::map<std::string, std::string> texts;

  const Tensor* find(const std::string& name) const {
    for (const Tensor& tensor : tensors) {
      if (tensor.name == name) return &tensor;
    }
    return nullptr;
  }

  // A copy of a tensor that some cases do not have.
  std::optional<Tensor> optional(const std::string& name) const {
    const Tensor* found = find(name);
    return found == nullptr ? std::nullopt : std::optional<Tensor>(*found);
  }

  const Tensor& tensor(const std::string& name) const {
    const Tensor* found = find(name);
    if (found == nullptr) throw std::runtime_error(op + " needs the tensor " + name);
    return *found;
  }

  // The tensors of a list: name.0, name.1, ...
  std::vector<Tensor> list_of_tensors(const std::string& name) const {
    std::vector<Tensor> all;
    while (const Tensor* tensor = find(name + "." + std::to_string(all.size()))) all.push_back(*tensor);
    return all;
  }

  template <class Map>
  static const typename Map::mapped_type& value(const Map& map, const std::string& op, const std::string& name) {
    const auto found = map.find(name);
    if (found == map.end()) throw std::runtime_error(op + " needs the attribute " + name);
    return found->second;
  }
  double number(const std::string& name) const { return value(numbers, op, name); }
  const std::vector<int64_t>& list(const std::string& name) const { return value(sizes, op, name); }
  const std::string& text(const std::string& name) const { return value(texts, op, name); }
};

// Calls the operator `times` times; calls on a device need not have finished until synchronize() returns. With `store`,
// it also copies outputs that the side has allocated to the shared memory of the output, so that results can be
// compared. Throws if the side reports a failure.
using Call = std::function<void(int64_t times, bool store)>;

class Peer {
 public:
  virtual ~Peer() = default;
  virtual std::string version() = 0;
  // Called once, before all other functions.
  virtual void set_threads(int threads) = 0;
  // Called once, before calls are prepared, if the tensors are on the device. Throws if the side cannot compute there.
  virtual void use_device() { throw std::runtime_error("this side computes on the host only"); }
  // Waits until all calls made so far have finished.
  virtual void synchronize() {}
  // Returns an empty call if the side lacks the operator.
  virtual Call prepare(const Operands& operands) = 0;
  // Frees the calls prepared so far; they are not used any more.
  virtual void release() {}
};

inline int64_t element_size(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
    case diopi_dtype_uint8:
    case diopi_dtype_bool:
      return 1;
    case diopi_dtype_int16:
    case diopi_dtype_uint16:
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
      return 2;
    case diopi_dtype_int32:
    case diopi_dtype_uint32:
    case diopi_dtype_float32:
      return 4;
    case diopi_dtype_int64:
    case diopi_dtype_uint64:
    case diopi_dtype_float64:
    case diopi_dtype_complex64:
      return 8;
    default:
      throw std::runtime_error("the bench does not know this dtype");
  }
}

}  // namespace diopi_bench

// A peer's module exports only this function. The peer lives as long as the process.
#define DIOPI_BENCH_PEER(Type)                                                                \
  extern "C" __attribute__((visibility("default"))) ::diopi_bench::Peer* diopi_bench_peer() { \
    static Type peer;                                                                         \
    return &peer;                                                                             \
  }

#endif  // DIOPI_TEST_BENCHMARK_SRC_PEER_HPP_
