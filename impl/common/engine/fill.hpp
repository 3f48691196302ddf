// SPDX-License-Identifier: BSD-3-Clause
// What a vendor implements to fill tensors.
#ifndef IMPL_COMMON_ENGINE_FILL_HPP_
#define IMPL_COMMON_ENGINE_FILL_HPP_

#include "impl/common/scalar.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// The error for a number that is none of the classes of a one-hot encoding.
inline Status refuse_class_number(int64_t number, int64_t classes) {
  DIOPI_REQUIRE(number >= 0, diopiErrorOccurred, "input has the negative class %lld", static_cast<long long>(number));
  return fail(diopiErrorOccurred, "input has class %lld, but num_classes = %lld", static_cast<long long>(number),
              static_cast<long long>(classes));
}

}  // namespace diopi

namespace impl::DIOPI_VENDOR {

using diopi::Status;
using diopi::TensorView;

// Sets every element to `value`, converted to the dtype of `out`. In a dry run (see step_memory.hpp) it writes nothing.
Status fill(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& value);

// out[i] = start + i * step, computed in float64 if `out` is floating point, otherwise in int64, which wraps around. i
// counts the elements of `out` in row-major order.
Status fill_arange(diopiContextHandle_t ctx, const TensorView& out, const diopiScalar_t& start,
                   const diopiScalar_t& step);

// Element i of n is start + i * step in the first half and end - (n - 1 - i) * step in the second, computed in float64,
// where step = (end - start) / (n - 1). A single element is `start`.
Status fill_linspace(diopiContextHandle_t ctx, const TensorView& out, double start, double end);

// Requires that all integers, of which there is at least one, are in [0, classes). A vendor returns
// refuse_class_number() for one that is not, or reports it at synchronisation.
Status check_classes(diopiContextHandle_t ctx, const TensorView& in, int64_t classes);

// out[..., c] = 1 if in[...] == c, else 0. The two do not overlap.
Status fill_one_hot(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in);

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_ENGINE_FILL_HPP_
