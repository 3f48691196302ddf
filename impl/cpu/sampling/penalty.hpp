// SPDX-License-Identifier: BSD-3-Clause
// Penalties on rows of logits.
#ifndef IMPL_CPU_SAMPLING_PENALTY_HPP_
#define IMPL_CPU_SAMPLING_PENALTY_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

namespace impl::cpu {

// logits[i] = (logits[i] + bias[i]) * factor for i < n, and `rest` for n <= i < all. `bias` has the compute dtype;
// null: 0.
using TemperatureFn = void (*)(void* logits, const void* bias, double temperature, int64_t n, int64_t all, double rest);
TemperatureFn temperature_kernel(diopiDtype_t dtype);

// Some ids of a row of logits, of which some may be equal; `step` elements lie between neighbours.
struct LogitsOfIds {
  void* logits;
  int64_t step;
  const int64_t* ids;
  int64_t count;
};
// Penalises the logits of the ids, each once. `results` has room for so many elements of the compute dtype.
using RepetitionFn = void (*)(const LogitsOfIds& of, double penalty, bool divides, void* results);
RepetitionFn repetition_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_PENALTY_HPP_
