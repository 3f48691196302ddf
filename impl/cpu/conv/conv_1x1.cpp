// SPDX-License-Identifier: BSD-3-Clause
// Convolutions with kernels of one element and stride 1 as matrix products of the tensors in place: for each image dst
// [O, positions] = weight [O, C] @ src [C, positions], and similar products for the gradients. No operand is copied.
// Gradients of bfloat16 are one product of the positions of all images, whose channels are adjacent.
#include <algorithm>

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/conv/conv.hpp"
#include "impl/cpu/conv/image_sum.hpp"
#include "impl/cpu/conv/matrices.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/matmul/pairwise.hpp"

namespace impl::cpu {
namespace {

// Views [O, C, 1...] as [O, C].
TensorView as_matrix(const TensorView& weight) {
  TensorView result = weight;
  result.shape.n = result.stride.n = 2;
  return result;
}

constexpr int64_t kFewChannels = 32;

const char* unsuited(const ConvProblem& p) {
  const ConvGeometry& g = p.geometry;
  const bool gradient = p.kind != ConvKind::kForward && p.src.dtype == diopi_dtype_bfloat16;
  const bool float64 = p.kind == ConvKind::kForward && p.src.dtype == diopi_dtype_float64;
  if (p.src.dtype != diopi_dtype_float32 && !float64 && !gradient) {
    return "only float32, results of float64, and gradients of bfloat16 are computed as products";
  }
  if (g.groups != 1) return "the channels are in groups";
  if (gradient && std::min(p.weight.shape[0], p.weight.shape[1]) < kFewChannels) {
    return "oneDNN's own kernels are faster for few channels of bfloat16";
  }
  for (int i = 0; i < g.spatial; ++i) {
    // If there is one result in a dimension, the stride is 1, but the source may have more elements.
    const bool same_extent = p.src.shape[i + 2] == p.dst.shape[i + 2];
    if (p.weight.shape[i + 2] != 1 || g.stride[i] != 1 || g.padding[i] != 0 || !same_extent) {
      return "the kernel has more than one element, or there is a stride or padding";
    }
  }
  return nullptr;
}

struct Matrices {
  TensorView src, weight, dst;
};

Status multiply_short(const MatmulProblem& product) {
  constexpr int64_t kFewOutputs = 4;
  Status status;
  const bool few = product.out.shape[product.out.ndim() - 2] <= kFewOutputs;
  const SkipReason reason = few ? matmul_few_rows(product, &status) : matmul_goto(product, &status);
  DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
  return status;
}

Status multiply(const MatmulProblem& product) { return run_in_chunks(product, multiply_short); }

Status forward(const ConvProblem& p, const Matrices& m) {
  MatmulProblem product;
  product.ctx = p.ctx;
  product.a = for_each_image(m.weight, m.src.shape[0]);
  product.b = m.src;
  product.out = m.dst;
  if (p.bias == nullptr) return multiply(product);
  TensorView bias = p.bias->unsqueeze(1);
  bias.name = p.bias->name;
  product.accumulate = true;
  const auto fill = [&]() -> Status {
    copy_view(m.dst, bias.expand(m.dst.shape));
    return diopiSuccess;
  };
  return diopi::run_steps(fill, [&] { return multiply(product); });
}

Status backward_data(const ConvProblem& p, const Matrices& m) {
  MatmulProblem product;
  product.ctx = p.ctx;
  product.a = for_each_image(m.weight.transposed(0, 1), m.src.shape[0]);
  product.b = m.dst;
  product.out = m.src;
  return multiply(product);
}

// Adds the gradients of all images.
Status backward_weights(const ConvProblem& p, const Matrices& m) {
  return sum_images(p.ctx, {m.src.shape[0], m.src.shape[2]}, m.weight,
                    [&](int64_t n, const TensorView& sum, bool accumulate) {
                      MatmulProblem product;
                      product.ctx = p.ctx;
                      product.out = sum;
                      product.a = m.dst.select(0, n);
                      product.b = m.src.select(0, n).transposed(0, 1);
                      product.accumulate = accumulate;
                      return multiply(product);
                    });
}

// Each image has one position: the channels of an image are a row of a matrix.
bool has_one_position(const ConvProblem& p) { return p.src.numel == p.src.shape[0] * p.src.shape[1]; }

Status multiply_rows(const ConvProblem& p) {
  const TensorView src = as_matrix(p.src), weight = as_matrix(p.weight), dst = as_matrix(p.dst);
  if (p.kind == ConvKind::kBackwardData) return run_matmul(p.ctx, src, dst, weight);
  if (p.kind == ConvKind::kBackwardWeights) return run_matmul(p.ctx, weight, dst.transposed(0, 1), src);
  MatmulOptions options;
  options.c = p.bias;
  return run_matmul(p.ctx, dst, src, weight.transposed(0, 1), options);
}

// Views [N, C, spatial...] with adjacent channels as [N * positions, C].
TensorView as_rows(const TensorView& view) {
  TensorView result = view;
  result.shape = result.stride = {};
  result.shape.push_back(view.numel / view.shape[1]);
  result.shape.push_back(view.shape[1]);
  result.stride = diopi::contiguous_strides(result.shape);
  return result;
}

Status gradient_of_rows(const ConvProblem& p) {
  const bool of_data = p.kind == ConvKind::kBackwardData;
  const TensorView weight = as_matrix(p.weight);
  TensorView src, dst;
  DIOPI_TRY(arrange(p.ctx, p.src, true, p.src.dtype, !of_data, &src));
  DIOPI_TRY(arrange(p.ctx, p.dst, true, p.dst.dtype, true, &dst));
  if (!of_data) return run_matmul(p.ctx, weight, as_rows(dst).transposed(0, 1), as_rows(src));
  DIOPI_TRY(run_matmul(p.ctx, as_rows(src), as_rows(dst), weight));
  put_back(p.src, src);
  return diopiSuccess;
}

}  // namespace

SkipReason conv_1x1(const ConvProblem& p, Status* status) {
  const char* reason = unsuited(p);
  if (reason != nullptr) return reason;
  if (p.src.dtype == diopi_dtype_bfloat16) {
    *status = gradient_of_rows(p);
    return nullptr;
  }
  if (has_one_position(p)) {
    *status = multiply_rows(p);
    return nullptr;
  }
  Matrices m;
  m.weight = as_matrix(p.weight);
  BlasLayout layout;
  if (!as_matrices(p.src, &m.src) || !as_matrices(p.dst, &m.dst) || !blas_layout(m.weight, &layout)) {
    return "the positions of a channel, or the channels of a weight, are not evenly spaced";
  }
  switch (p.kind) {
    case ConvKind::kForward:
      *status = forward(p, m);
      return nullptr;
    case ConvKind::kBackwardData:
      *status = backward_data(p, m);
      return nullptr;
    default:
      *status = backward_weights(p, m);
      return nullptr;
  }
}

}  // namespace impl::cpu
