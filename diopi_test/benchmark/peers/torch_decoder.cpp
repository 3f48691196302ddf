// SPDX-License-Identifier: BSD-3-Clause
// Attention layers of a decoder in PyTorch.
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/stack.h>

#include <cmath>

#include "torch_peer.hpp"

namespace diopi_bench {
namespace {

constexpr double kTheta = 10000;

// The cosines and sines [rows, 1, size / 2] of the positions from `first` on.
std::pair<at::Tensor, at::Tensor> angles(int64_t first, int64_t rows, int64_t size, const at::TensorOptions& options) {
  const at::Tensor positions = at::arange(first, first + rows, options);
  const at::Tensor frequencies = at::pow(kTheta, at::arange(0, size, 2, options).div(-static_cast<double>(size)));
  const at::Tensor angle = at::outer(positions, frequencies).unsqueeze(1);
  return {angle.cos(), angle.sin()};
}

// Rotates pairs of neighbours of [rows, heads, size].
at::Tensor rotated(const at::Tensor& x, const std::pair<at::Tensor, at::Tensor>& by) {
  const at::Tensor even = x.slice(2, 0, {}, 2), odd = x.slice(2, 1, {}, 2);
  const at::Tensor cos = by.first.to(x.scalar_type()), sin = by.second.to(x.scalar_type());
  return at::stack({even.mul(cos).sub(odd.mul(sin)), odd.mul(cos).add(even.mul(sin))}, 3).flatten(2);
}

struct Projected {
  at::Tensor queries, keys, values;  // [rows, heads, size]
};

// The positions of the rows are `rows` numbers from `first` on, or `first` for all.
Projected project(const at::Tensor& x, const at::Tensor& weight, const AttentionHeads& heads, int64_t first,
                  int64_t rows) {
  const at::Tensor all = at::mm(x, weight).view({x.size(0), heads.queries + 2 * heads.keys, heads.size});
  const auto by = angles(first, rows, heads.size, x.options().dtype(at::kFloat));
  return {rotated(all.narrow(1, 0, heads.queries), by), rotated(all.narrow(1, heads.queries, heads.keys), by),
          all.narrow(1, heads.queries + heads.keys, heads.keys)};
}

// Each head of keys or values [batch, heads, rows, size] for each of the query heads that read it.
at::Tensor for_each_query(const at::Tensor& x, const AttentionHeads& heads) {
  return heads.keys == heads.queries ? x : x.repeat_interleave(heads.queries / heads.keys, 1);
}

}  // namespace

void attend_prompt(at::Tensor& x, const at::Tensor& weight, at::Tensor& key_cache, at::Tensor& value_cache,
                   const AttentionHeads& heads) {
  const int64_t length = x.size(0);
  const Projected made = project(x, weight, heads, 0, length);
  const at::Tensor keys = made.keys.transpose(0, 1), values = made.values.transpose(0, 1);
  key_cache.select(0, 0).select(0, 0).narrow(1, 0, length).copy_(keys);
  value_cache.select(0, 0).select(0, 0).narrow(1, 0, length).copy_(values);
  const at::Tensor result = std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
      made.queries.transpose(0, 1).unsqueeze(0), for_each_query(keys.unsqueeze(0), heads),
      for_each_query(values.unsqueeze(0), heads), 0.0, true, {}, 1 / std::sqrt(static_cast<double>(heads.size))));
  x.copy_(result.transpose(1, 2).reshape(x.sizes()));
}

void attend_next(at::Tensor& x, const at::Tensor& weight, at::Tensor& key_cache, at::Tensor& value_cache,
                 const AttentionHeads& heads, int64_t length) {
  const Projected made = project(x, weight, heads, length, 1);
  const at::Tensor keys = key_cache.select(0, 0), values = value_cache.select(0, 0);
  keys.select(2, length).copy_(made.keys);
  values.select(2, length).copy_(made.values);
  const at::Tensor result = std::get<0>(at::_scaled_dot_product_flash_attention_for_cpu(
      made.queries.unsqueeze(2), for_each_query(keys.narrow(2, 0, length + 1), heads),
      for_each_query(values.narrow(2, 0, length + 1), heads), 0.0, false, {},
      1 / std::sqrt(static_cast<double>(heads.size))));
  x.copy_(result.reshape(x.sizes()));
}

}  // namespace diopi_bench
