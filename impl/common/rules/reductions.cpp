// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/reductions.hpp"

namespace diopi {

Status read_last_axes(const diopiSize_t& extents, const TensorView& view, const char* name, uint32_t* mask) {
  bool fits = extents.len <= view.ndim();
  const int first = fits ? view.ndim() - static_cast<int>(extents.len) : 0;
  for (int i = first; fits && i < view.ndim(); ++i) fits = extents.data[i - first] == view.shape[i];
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "%s = %s is not the end of the shape of %s, %s", name, Text(extents).c_str(),
                view.name, Text(view.shape).c_str());
  *mask = all_axes(view) & ~((1u << first) - 1);
  return diopiSuccess;
}

Status require_nonempty_reduction(const TensorView& view, uint32_t mask) {
  for (int i = 0; i < view.ndim(); ++i) {
    DIOPI_REQUIRE((mask >> i & 1) == 0 || view.shape[i] > 0, diopiErrorOccurred,
                  "%s of shape %s has no elements in dimension %d, which is reduced", view.name,
                  Text(view.shape).c_str(), i);
  }
  return diopiSuccess;
}

}  // namespace diopi
