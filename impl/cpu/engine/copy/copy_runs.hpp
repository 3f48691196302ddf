// SPDX-License-Identifier: BSD-3-Clause
// Results that consist of runs of the input, written row by row in the order of memory.
#ifndef IMPL_CPU_ENGINE_COPY_COPY_RUNS_HPP_
#define IMPL_CPU_ENGINE_COPY_COPY_RUNS_HPP_

#include "impl/common/engine/runs.hpp"

namespace impl::cpu {

// Returns false, and writes nothing, if the dtypes differ, or if the result has a few long rows, which the threads
// could not share.
bool copy_rows_of_runs(const diopi::RunCopy& call);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_COPY_RUNS_HPP_
