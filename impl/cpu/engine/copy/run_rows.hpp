// SPDX-License-Identifier: BSD-3-Clause
// The rows of a result that consists of runs of the input.
#ifndef IMPL_CPU_ENGINE_COPY_RUN_ROWS_HPP_
#define IMPL_CPU_ENGINE_COPY_RUN_ROWS_HPP_

#include <cstdint>

#include "impl/common/engine/runs.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"

namespace impl::cpu {

using diopi::DimRuns;
using diopi::Run;

// One dimension. Steps are in bytes. Without runs, the dimension is copied as a whole.
struct Line {
  int64_t extent, out_step, in_step;
  const DimRuns* runs;
};

// A packed row that consists of one run of the input and a few more elements, in elements.
struct Edges {
  static constexpr int kMost = 16;
  int count = -1;  // -1 if the row is another one
  Run middle{0, 0, 0, 1};
  int64_t to[kMost], from[kMost];
};

// The lines of a call, the outermost first. A row is the last line; its positions have `item` bytes.
struct RunRows {
  char* out = nullptr;
  const char* in = nullptr;
  int n = 0;
  Line line[diopi::kMaxDims];
  int64_t itemsize = 0, item = 0;
  bool packed = false, streams = false;
  bool is_short = false;  // the row is packed, and no run has more than kShortRowBytes
  DimRuns row, outside;   // the runs of a row, and those of a row outside the input
  DimRuns whole;          // the runs of a line without runs
  Edges edges;
  alignas(kMaxItemsize) char number[kShortRowBytes] = {};  // the number, repeated

  const Line& last() const { return line[n - 1]; }
  int64_t rows() const {
    int64_t count = 1;
    for (int i = 0; i + 1 < n; ++i) count *= line[i].extent;
    return count;
  }
};

using CopyRowsFn = void (*)(const RunRows& rows, int64_t begin, int64_t end);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_COPY_RUN_ROWS_HPP_
