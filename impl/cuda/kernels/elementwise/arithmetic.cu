// SPDX-License-Identifier: BSD-3-Clause
// Sums, differences, products, extremes and bitwise operations.
#include "impl/cuda/kernels/elementwise/binary.hpp"

#include "impl/common/rules/dtypes.hpp"
#include "impl/cuda/kernels/elementwise/complex_functions.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"

namespace impl::cuda {

namespace {

// Integers wrap around: sums, differences and products are computed in an unsigned type, and keep their low bits.
template <typename T>
using Wrap = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, T>;

__device__ inline bool logic_value(BinaryOp op, bool a, bool b) {
  switch (op) {
    case BinaryOp::kAdd:
    case BinaryOp::kMaximum:
    case BinaryOp::kBitwiseOr:
      return a || b;
    case BinaryOp::kBitwiseXor:
      return a != b;
    default:  // kMul, kMinimum, kBitwiseAnd
      return a && b;
  }
}

// NaN if an operand is NaN.
template <typename T>
__device__ T larger(T a, T b) {
  return a != a || a > b ? a : b;
}
template <typename T>
__device__ T smaller(T a, T b) {
  return a != a || a < b ? a : b;
}

template <typename T>
__device__ T arithmetic_value(BinaryOp op, T a, T b, T alpha) {
  using W = Wrap<T>;
  const W x = static_cast<W>(a), y = static_cast<W>(b);
  if (op == BinaryOp::kAdd) return static_cast<T>(x + y);
  if (op == BinaryOp::kSub) return static_cast<T>(x - y);
  if (op == BinaryOp::kMul) return static_cast<T>(x * y);
  if (op == BinaryOp::kAddScaled) return static_cast<T>(x + static_cast<W>(alpha) * y);
  if constexpr (!is_complex_type<T>) {
    if (op == BinaryOp::kMaximum) return larger(a, b);
    if (op == BinaryOp::kMinimum) return smaller(a, b);
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == BinaryOp::kBitwiseAnd) return static_cast<T>(a & b);
    if (op == BinaryOp::kBitwiseOr) return static_cast<T>(a | b);
    return static_cast<T>(a ^ b);
  }
  return a;
}

template <typename T>
struct Arithmetic {
  static constexpr bool kGivesBool = false;
  Immediate alpha;
  BinaryOp op;
  uint32_t unused[3];  // no byte of a parameter holds what was on the stack
  __device__ T operator()(const T (&in)[2]) const {
    if constexpr (std::is_same_v<T, bool>) {
      return logic_value(op, in[0], in[1]);
    } else {
      return arithmetic_value(op, in[0], in[1], alpha.template as<T>());
    }
  }
};

bool has_arithmetic(BinaryOp op, diopiDtype_t dtype) {
  if (op >= BinaryOp::kBitwiseAnd) return diopi::is_exact(dtype);
  if (dtype == diopi_dtype_bool) return op != BinaryOp::kAddScaled && op != BinaryOp::kSub;
  return !diopi::is_complex(dtype) || (op != BinaryOp::kMaximum && op != BinaryOp::kMinimum);
}

}  // namespace

bool has_binary(BinaryOp op, diopiDtype_t dtype) {
  const bool is_complex = diopi::is_complex(dtype);
  switch (op) {
    case BinaryOp::kDiv:
      return !diopi::is_exact(dtype);
    case BinaryOp::kDivTrunc:
    case BinaryOp::kDivFloor:
    case BinaryOp::kRemainder:
      return !is_complex && dtype != diopi_dtype_bool;
    case BinaryOp::kPow:
      return dtype != diopi_dtype_bool;
    case BinaryOp::kLt:
    case BinaryOp::kLe:
      return !is_complex;
    case BinaryOp::kEq:
    case BinaryOp::kNe:
    case BinaryOp::kLogicalAnd:
    case BinaryOp::kLogicalOr:
      return true;
    default:
      return has_arithmetic(op, dtype);
  }
}

Status launch_arithmetic(const MapCall& call, BinaryOp op, diopiDtype_t dtype, const void* params) {
  return diopi::visit_dtype<AllNumbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    Arithmetic<T> f{};
    f.op = op;
    if (params != nullptr) std::memcpy(f.alpha.bytes, params, sizeof(T));
    return launch_map<Arithmetic<T>, T, 2>(call, f);
  });
}

}  // namespace impl::cuda
