// SPDX-License-Identifier: BSD-3-Clause
// The judge's tolerances: for each output and dtype, the loosest that its cases declare.
#ifndef ADAPTOR_LAYER_REFERENCE_TOLERANCE_HPP_
#define ADAPTOR_LAYER_REFERENCE_TOLERANCE_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace diopi::layer {

// The allowed difference is the sum of the four parts.
struct Tolerance {
  double ulp;       // in ULP of the dtype at the expected value
  double acc_ulp;   // in ULP of the accumulation dtype at the largest expected value
  double absolute;  // infinite if the contract leaves the elements open
  double relative;
};

struct ToleranceRow {
  const char* function;
  const char* output;
  uint32_t dtypes;  // a bit for each value of diopiDtype_t
  Tolerance tolerance;
};

extern const ToleranceRow kToleranceRows[];
extern const int kNumToleranceRows;

// Without a row, integers and bool are exact, and other numbers are allowed what a sum is.
Tolerance tolerance_of(const char* function, const char* output, diopiDtype_t dtype);

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_REFERENCE_TOLERANCE_HPP_
