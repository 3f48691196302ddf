// SPDX-License-Identifier: BSD-3-Clause
// Finds the largest logits of a row.
#ifndef IMPL_CPU_SAMPLING_LARGEST_HPP_
#define IMPL_CPU_SAMPLING_LARGEST_HPP_

#include <diopi/diopirt.h>

#include <cstdint>

#include "impl/cpu/sampling/draw.hpp"

namespace impl::cpu {

// For packed logits of a dtype. NaN counts as minus infinity.
struct LogitKernels {
  // maxima[i] = the largest of the logits [i * block, (i + 1) * block).
  void (*maxima)(const void* logits, int64_t n, int64_t block, double* maxima);
  // Writes the logits [begin, end) that are at least `least`, and returns their number.
  int64_t (*collect)(const void* logits, int64_t begin, int64_t end, double least, Candidate* found);
};
LogitKernels logit_kernels(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_SAMPLING_LARGEST_HPP_
