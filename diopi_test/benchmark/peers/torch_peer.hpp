// SPDX-License-Identifier: BSD-3-Clause
// libtorch as a peer: its tensors use the benchmark's memory, and it is called without autograd.
#ifndef DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_
#define DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_

#include <ATen/ScalarOps.h>
#include <ATen/core/Reduction.h>
#include <ATen/core/Tensor.h>
#include <c10/core/Scalar.h>

#include <string>
#include <tuple>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

at::Tensor wrap(const Operands& operands, const std::string& name);  // undefined if the case has no such tensor
std::vector<at::Tensor> wrap_list(const Operands& operands, const std::string& name);
at::Scalar make_scalar(double value, diopiDtype_t dtype);
void store_result(const at::Tensor& result, const Tensor& output);

// Gradients of [batch, heads, rows, size] as [batch, rows, heads, size].
inline std::tuple<at::Tensor, at::Tensor, at::Tensor> rows_first(
    const std::tuple<at::Tensor, at::Tensor, at::Tensor>& x) {
  return {std::get<0>(x).transpose(1, 2), std::get<1>(x).transpose(1, 2), std::get<2>(x).transpose(1, 2)};
}
// Calls that libtorch makes for an operator of ours, but only through autograd or from Python.
void linear_backward(at::Tensor& grad_input, at::Tensor& grad_weight, at::Tensor& grad_bias,
                     const at::Tensor& grad_output, const at::Tensor& input, const at::Tensor& weight);
// `logarithms`: those of the probabilities, which the forward call has saved.
void cross_entropy_backward(at::Tensor& grad_input, const at::Tensor& grad_output, const at::Tensor& logarithms,
                            const at::Tensor& target, const at::Tensor& total_weight, int64_t ignore_index);
void fused_adam(const at::Tensor& param, const at::Tensor& grad, const at::Tensor& exp_avg,
                const at::Tensor& exp_avg_sq, const at::Tensor& max_exp_avg_sq, const at::Tensor& step, double lr,
                double beta1, double beta2, double eps, double weight_decay, bool amsgrad);

using PrepareTorch = Call (*)(const Operands&);
PrepareTorch find_torch_call(const std::string& op);

// Draws an id of each row from the smallest set of ids whose probabilities add up to top_p, as programs of PyTorch do.
// `sorted` has the probabilities in falling order, and their ids.
at::Tensor take_top_p(const std::tuple<at::Tensor, at::Tensor>& sorted, const at::Tensor& top_p);

// Attention layers of a decoder, as programs of PyTorch write them: projection, rotation of neighbouring pairs, storing
// keys and values in the caches [1, batch, key heads, places, size], attention. The result replaces x.
struct AttentionHeads {
  int64_t queries, keys, size;
};
// x has the rows of one prompt, [length, width].
void attend_prompt(at::Tensor& x, const at::Tensor& weight, at::Tensor& key_cache, at::Tensor& value_cache,
                   const AttentionHeads& heads);
// x has one new token of each sequence, [batch, width]; `length` tokens are in the caches.
void attend_next(at::Tensor& x, const at::Tensor& weight, at::Tensor& key_cache, at::Tensor& value_cache,
                 const AttentionHeads& heads, int64_t length);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_PEERS_TORCH_PEER_HPP_
