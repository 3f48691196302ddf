// SPDX-License-Identifier: BSD-3-Clause
#ifndef RUNTIME_GENERATOR_HPP_
#define RUNTIME_GENERATOR_HPP_

#include <cstdint>

namespace diopirt {

// The layout of the state tensor.
struct GeneratorState {
  uint64_t seed = 0;
  uint64_t offset = 0;
};
static_assert(sizeof(GeneratorState) == 16);

int64_t count_generators();

}  // namespace diopirt

#endif  // RUNTIME_GENERATOR_HPP_
