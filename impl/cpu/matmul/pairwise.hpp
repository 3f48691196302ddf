// SPDX-License-Identifier: BSD-3-Clause
// Products of long sums: the sums are divided into chunks whose results are added pairwise. So no library adds millions
// of terms one after another, and the error of an element hardly grows with the number of its terms.
#ifndef IMPL_CPU_MATMUL_PAIRWISE_HPP_
#define IMPL_CPU_MATMUL_PAIRWISE_HPP_

#include "impl/cpu/matmul/matmul.hpp"

namespace impl::cpu {

using RunMatmul = Status (*)(const MatmulProblem& product);

// Computes `product` with calls of `run`, whose products have at most kLongestSum terms. The division depends only on
// the shape.
Status run_in_chunks(const MatmulProblem& product, RunMatmul run);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_PAIRWISE_HPP_
