// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/indices.hpp"

#include "impl/common/rules/shapes.hpp"

namespace diopi {

Status refuse_index(const TensorView& index, int64_t value, int64_t position, const TensorView& indexed, int dim,
                    bool wrap) {
  const auto size = static_cast<long long>(extent_along(indexed, dim));
  return fail(diopiErrorOccurred,
              "%s holds %lld at position %lld, which is out of range [%lld, %lld] for dimension %d of %s of shape %s",
              index.name, static_cast<long long>(value), static_cast<long long>(position), wrap ? -size : 0, size - 1,
              dim, indexed.name, Text(indexed.shape).c_str());
}

}  // namespace diopi
