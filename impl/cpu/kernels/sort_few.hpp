// SPDX-License-Identifier: BSD-3-Clause
// Selecting very few elements of short rows: as many times as wanted, the first of the least keys is looked for.
#pragma once

#include <cstdint>

#include "impl/common/dtype.hpp"

namespace impl::cpu {

inline constexpr int64_t kFewWanted = 8;       // passes over a row that still cost less than sorting
inline constexpr int64_t kFewElements = 2048;  // whose keys stay in the first-level cache

// The positions of the `k` least keys (of SortKey, inverted where `descending`) of a row, sorted; of equal keys the
// first comes first. `stride` counts elements; k <= kFewWanted, k <= n <= kFewElements.
using FewFn = void (*)(const void* row, int64_t n, int64_t stride, bool descending, int64_t k, int64_t* positions);
FewFn few_function(diopiDtype_t dtype);

}  // namespace impl::cpu
