// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/kernel_table.hpp"
#include "impl/cpu/pointwise/binary.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/pointwise/binary_compare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/block_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using diopi::complex128;
using diopi::complex64;

struct EqOp {
  template <typename T>
  static bool apply(T a, T b) {
    return a == b;
  }
};
struct NeOp {
  template <typename T>
  static bool apply(T a, T b) {
    return a != b;
  }
};
struct LtOp {
  template <typename T>
  static bool apply(T a, T b) {
    return a < b;
  }
};
struct LeOp {
  template <typename T>
  static bool apply(T a, T b) {
    return a <= b;
  }
};
struct LogicalAndOp {
  template <typename T>
  static bool apply(T a, T b) {
    return int{a != T(0)} & int{b != T(0)};
  }
};
struct LogicalOrOp {
  template <typename T>
  static bool apply(T a, T b) {
    return int{a != T(0)} | int{b != T(0)};
  }
};

template <class Op>
BlockFn real_loop(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return loop2<Op, uint8_t, uint8_t>;
  return diopi::kernel_for<diopi::RealTypes>(dtype, [](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return loop2<Op, T, uint8_t>;
  });
}

// Comparisons for equality. They also exist for complex numbers, and share one loop for both signs of an integer type.
template <class Op>
BlockFn unordered_loop(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_complex64) return loop2<Op, complex64, uint8_t>;
  if (dtype == diopi_dtype_complex128) return loop2<Op, complex128, uint8_t>;
  return real_loop<Op>(diopi::is_integral(dtype) ? static_cast<diopiDtype_t>(dtype | 1) : dtype);
}

BlockFn GetCompare(BinaryOp op, diopiDtype_t dtype) {
  switch (op) {
    case BinaryOp::kEq:
      return unordered_loop<EqOp>(dtype);
    case BinaryOp::kNe:
      return unordered_loop<NeOp>(dtype);
    case BinaryOp::kLt:
      return real_loop<LtOp>(dtype);
    case BinaryOp::kLe:
      return real_loop<LeOp>(dtype);
    case BinaryOp::kLogicalAnd:
      return unordered_loop<LogicalAndOp>(dtype);
    case BinaryOp::kLogicalOr:
      return unordered_loop<LogicalOrOp>(dtype);
    default:
      return nullptr;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCompare);

BlockFn compare_kernel(BinaryOp op, diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetCompare)(op, dtype); }

BlockFn binary_kernel(BinaryOp op, diopiDtype_t dtype) {
  if (op == BinaryOp::kPow) return pow_kernel(dtype);
  if (op >= BinaryOp::kEq) return compare_kernel(op, dtype);
  if (op >= BinaryOp::kDiv && op <= BinaryOp::kRemainder) return division_kernel(op, dtype);
  return arithmetic_kernel(op, dtype);
}
}  // namespace impl::cpu
#endif
