// SPDX-License-Identifier: BSD-3-Clause
// Compares the elements of two tensors on the host.
#ifndef ADAPTOR_LAYER_MODES_COMPARE_ELEMENTS_HPP_
#define ADAPTOR_LAYER_MODES_COMPARE_ELEMENTS_HPP_

#include <string>

#include "adaptor/layer/reference/tolerance.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi::layer {

struct Difference {
  int64_t wrong = 0;
  int64_t numel = 0;
  Dims index;  // of the first wrong element
  std::string expected, got;
  double max_ulp = 0;  // of all elements; infinite if one is a number and its expected value is not, or the reverse
};

// Compares tensors of one shape and dtype. `coarse` is the dtype whose ULP counts: that of the output, or of the inputs
// if theirs is coarser. NaN equals NaN. With `bits`, only equal bytes are equal.
Difference compare_elements(const TensorView& expected, const TensorView& got, const Tolerance& tolerance,
                            diopiDtype_t coarse, bool bits);

// Of two floating or complex dtypes the one with the shorter significand.
diopiDtype_t coarser(diopiDtype_t a, diopiDtype_t b);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_COMPARE_ELEMENTS_HPP_
