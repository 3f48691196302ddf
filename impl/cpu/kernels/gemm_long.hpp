// SPDX-License-Identifier: BSD-3-Clause
// Products of long sums: the sums are cut into pieces, whose results are added pairwise. No library is left to add
// millions of terms one after another, and no element loses digits for its length.
#pragma once

#include "gemm.hpp"

namespace impl::cpu {

using RunProduct = Status (*)(const Product& product);

// Computes `product` by `run`, which gets products of at most kLongestSum terms. What it is asked depends on the shape
// alone.
Status run_in_pieces(const Product& product, RunProduct run);

}  // namespace impl::cpu
