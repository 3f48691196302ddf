// SPDX-License-Identifier: BSD-3-Clause
// oneDNN as a peer: the speed for a user who calls it directly, with primitives built once for a shape.
#ifndef DIOPI_TEST_BENCHMARK_PEERS_ONEDNN_PROGRAM_HPP_
#define DIOPI_TEST_BENCHMARK_PEERS_ONEDNN_PROGRAM_HPP_

#include <map>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "impl/cpu/onednn/compat.hpp"
#include "peer.hpp"

namespace diopi_bench {

using dnnl::memory;
using impl::cpu::onednn::make_backward_desc;
using impl::cpu::onednn::make_desc;

// Primitives in order. They use the memory of a case's tensors and their own memory.
class Program {
 public:
  explicit Program(bool free_layouts)
      : free_layouts_(free_layouts), engine_(dnnl::engine::kind::cpu, 0), stream_(engine_) {}

  const dnnl::engine& engine() const { return engine_; }
  // Returns the layout of a tensor for a primitive: the tensor's own, or any layout that the primitive prefers.
  memory::desc wanted(const memory::desc& plain) const;
  // Returns the memory of a case's tensor with the layout `plain`.
  memory tensor(const std::string& name, const memory::desc& plain);
  // Returns the memory of a case's tensor in the layout `wanted`, after a reorder if that layout differs from `plain`.
  memory input(const std::string& name, const memory::desc& plain, const memory::desc& wanted);
  // Returns the memory that a primitive writes. deliver() then copies it to the case's tensor.
  memory output(const std::string& name, const memory::desc& plain, const memory::desc& wanted);
  void deliver(const std::string& name, const memory& from);
  memory own(const memory::desc& desc) { return memory(desc, engine_); }
  void add(const dnnl::primitive& primitive, std::unordered_map<int, memory> arguments);

  void bind(const Operands& operands);
  void run(int64_t times);

 private:
  struct Step {
    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
  };
  bool free_layouts_;
  dnnl::engine engine_;
  dnnl::stream stream_;
  std::map<std::string, memory> tensors_;
  std::vector<Step> steps_;
};

memory::data_type data_type(diopiDtype_t dtype);
// The layout of a tensor with its strides.
memory::desc plain_desc(const Tensor& tensor);
memory::desc row_major_desc(const std::vector<int64_t>& dims, diopiDtype_t dtype);

// Adds the primitives of an operator. Throws dnnl::error if oneDNN lacks them.
using Builder = void (*)(Program& program, const Operands& operands);
const std::map<std::string, Builder>& product_builders();  // matrix products and convolutions
const std::map<std::string, Builder>& layer_builders();    // pooling, softmax, layer normalisation

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_PEERS_ONEDNN_PROGRAM_HPP_
