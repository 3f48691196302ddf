// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/reference/tolerance.hpp"

#include <cstring>

#include "impl/common/dtype.hpp"

namespace diopi::layer {

Tolerance tolerance_of(const char* function, const char* output, diopiDtype_t dtype) {
  for (int i = 0; i < kNumToleranceRows; ++i) {
    const ToleranceRow& row = kToleranceRows[i];
    if ((row.dtypes >> static_cast<unsigned>(dtype) & 1) == 0 || std::strcmp(row.function, function) != 0) continue;
    if (std::strcmp(row.output, output) == 0) return row.tolerance;
  }
  return is_floating(dtype) || is_complex(dtype) ? Tolerance{1, 4, 0, 0} : Tolerance{0, 0, 0, 0};
}

}  // namespace diopi::layer
