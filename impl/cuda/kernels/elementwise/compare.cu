// SPDX-License-Identifier: BSD-3-Clause
// Comparisons and logical connections, whose results are bool.
#include "impl/cuda/kernels/elementwise/binary.hpp"
#include "impl/cuda/kernels/elementwise/complex_functions.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"

namespace impl::cuda {

namespace {

template <typename T>
__device__ bool compare_value(BinaryOp op, T a, T b) {
  if constexpr (!is_complex_type<T>) {
    if (op == BinaryOp::kLt) return a < b;
    if (op == BinaryOp::kLe) return a <= b;
  }
  switch (op) {
    case BinaryOp::kEq:
      return a == b;
    case BinaryOp::kNe:
      return a != b;
    case BinaryOp::kLogicalAnd:
      return a != T(0) && b != T(0);
    default:
      return a != T(0) || b != T(0);
  }
}

// The truth value is a number of the type of the operands. A 0-d operand does not widen the computation, so it is
// rounded to the dtype `rounded[k]`, unless this is float32.
template <typename T>
struct Compare {
  static constexpr bool kGivesBool = true;
  BinaryOp op;
  diopiDtype_t rounded[2];

  __device__ T operand(T x, diopiDtype_t dtype) const {
    if constexpr (std::is_same_v<T, float>) {
      if (dtype == diopi_dtype_float16) return widen(narrow<float16>(x));
      if (dtype == diopi_dtype_bfloat16) return widen(narrow<bfloat16>(x));
    }
    return x;
  }
  __device__ T operator()(const T (&in)[2]) const {
    return T(compare_value(op, operand(in[0], rounded[0]), operand(in[1], rounded[1])) ? 1 : 0);
  }
};

}  // namespace

Status launch_compare(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const diopiDtype_t (&rounded)[2]) {
  return diopi::visit_dtype<AllNumbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Compare<T>, T, 2>(call, Compare<T>{op, {rounded[0], rounded[1]}});
  });
}

}  // namespace impl::cuda
