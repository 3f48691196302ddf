// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/rotary/rotary.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

namespace {

// The operands, and the distances from the first number of a pair to the second one.
struct Pairs {
  char *out, *x;
  const char *cos, *sin;
  diopiDtype_t cos_dtype, sin_dtype;
  int64_t out_step, x_step, cos_step, sin_step;
  int64_t backwards;
};

// Each thread rotates one pair, so `out` may be `x`.
template <typename T, typename Number>
__global__ void __launch_bounds__(kBlock) rotate(Strided<4> nest, Pairs p) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[4];
  nest.offsets(static_cast<uint32_t>(item), offset);
  const T* const x = reinterpret_cast<const T*>(p.x) + offset[1];
  const auto a = convert<Number>(x[0]), b = convert<Number>(x[p.x_step]);
  const auto cos = [&](int64_t step) { return load_as<Number>(p.cos, offset[2] + step, p.cos_dtype); };
  const auto sin = [&](int64_t step) {
    const auto value = load_as<Number>(p.sin, offset[3] + step, p.sin_dtype);
    return p.backwards != 0 ? -value : value;
  };
  T* const out = reinterpret_cast<T*>(p.out) + offset[0];
  out[0] = convert<T>(a * cos(0) - b * sin(0));
  out[p.out_step] = convert<T>(b * cos(p.cos_step) + a * sin(p.sin_step));
}

// The pairs of all rows; strides are those of their first numbers.
diopi::LoopNest<4> pairs_of(const RotaryProblem& p) {
  const int last = p.x.ndim() - 1;
  const int64_t apart = p.interleaved ? 2 : 1;
  diopi::LoopNest<4> nest{};
  nest.push_back(p.x.shape[last] / 2, apart * p.out.stride[last], apart * p.x.stride[last], p.cos.stride[last],
                 p.sin.stride[last]);
  for (int d = last - 1; d >= 0; --d) {
    nest.push_back(p.x.shape[d], p.out.stride[d], p.x.stride[d], p.cos.stride[d], p.sin.stride[d]);
  }
  nest.drop_ones();
  nest.merge();
  return nest;
}

}  // namespace

Status rotate_pairs(cudaStream_t stream, const RotaryProblem& p) {
  const int last = p.x.ndim() - 1;
  const int64_t half = p.x.shape[last] / 2, apart = p.interleaved ? 1 : half;
  const int64_t second = p.cos.shape[last] == half ? 0 : half;
  Pairs pairs{};
  pairs.cos_dtype = p.cos.dtype;
  pairs.sin_dtype = p.sin.dtype;
  pairs.out_step = apart * p.out.stride[last];
  pairs.x_step = apart * p.x.stride[last];
  pairs.cos_step = second * p.cos.stride[last];
  pairs.sin_step = second * p.sin.stride[last];
  pairs.backwards = p.backwards ? 1 : 0;
  return for_each_piece(pairs_of(p), [&](const Piece<4>& piece) -> Status {
    pairs.out = p.out.data + piece.base[0] * p.out.itemsize();
    pairs.x = p.x.data + piece.base[1] * p.x.itemsize();
    pairs.cos = p.cos.data + piece.base[2] * p.cos.itemsize();
    pairs.sin = p.sin.data + piece.base[3] * p.sin.itemsize();
    return diopi::visit_dtype<diopi::FloatingTypes>(p.x.dtype, [&](auto tag) {
      using T = diopi::tagged<decltype(tag)>;
      using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(launch(rotate<T, Number>, grid, dim3(kBlock), 0, stream, piece.nest, pairs), "a kernel");
    });
  });
}

}  // namespace impl::cuda
