// SPDX-License-Identifier: BSD-3-Clause
// libtorch as a peer: its tensors use the benchmark's memory, and it is called without autograd.
#ifndef DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_
#define DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_

#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <string>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

at::Tensor wrap(const Operands& operands, const std::string& name);  // undefined if the case has no such tensor
std::vector<at::Tensor> wrap_list(const Operands& operands, const std::string& name);
at::Scalar make_scalar(double value, diopiDtype_t dtype);
void store_result(const at::Tensor& result, const Tensor& output);

using PrepareTorch = Call (*)(const Operands&);
PrepareTorch find_torch_call(const std::string& op);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_
