// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/nonzero.hpp"

#include <algorithm>

#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"

namespace impl::cpu {

using diopi::Dims;

namespace {

// Calls `visit(position)` for the true elements of a chunk. First it collects positions without a branch per element,
// because branches on a random mask would be mispredicted. It skips runs of zeros.
template <typename F>
void visit_true(const uint8_t* mask, int64_t begin, int64_t end, F visit) {
  constexpr int64_t kBatch = 64;
  int64_t found[kBatch];
  for (int64_t i = begin; i < end; i += kBatch) {
    const int64_t stop = std::min(i + kBatch, end);
    uint64_t any = stop - i < kBatch ? 1 : 0;
    for (int64_t j = i; any == 0 && j < stop; j += 8) {
      uint64_t eight;
      std::memcpy(&eight, mask + j, 8);
      any |= eight;
    }
    if (any == 0) continue;
    int64_t count = 0;
    for (int64_t j = i; j < stop; ++j) {
      found[count] = j;
      count += mask[j] != 0 ? 1 : 0;
    }
    for (int64_t k = 0; k < count; ++k) visit(found[k]);
  }
}

template <typename F>
void for_each_chunk(int64_t n, F f) {
  diopi::parallel_for(mask_chunks(n), 2, [&](int64_t begin, int64_t end) {
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      f(chunk, chunk * kMaskChunk, std::min(n, (chunk + 1) * kMaskChunk));
    }
  });
}

}  // namespace

int64_t count_mask(const uint8_t* mask, int64_t n, int64_t* starts) {
  for_each_chunk(n, [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t count = 0;
    for (int64_t i = begin; i < end;) {
      const int64_t stop = std::min(i + 128, end);  // the counter of one byte does not overflow
      uint8_t few = 0;
      for (; i < stop; ++i) few = static_cast<uint8_t>(few + (mask[i] != 0 ? 1 : 0));
      count += few;
    }
    starts[chunk] = count;
  });
  int64_t total = 0;
  for (int64_t i = 0; i < mask_chunks(n); ++i) {
    const int64_t count = starts[i];
    starts[i] = total;
    total += count;
  }
  starts[mask_chunks(n)] = total;
  return total;
}

void mask_offsets(const uint8_t* mask, const Dims& shape, const Dims& stride, const int64_t* starts, int64_t* table) {
  const auto nest = diopi::row_major_nest(shape, stride);
  const int64_t step = nest.inner_stride();
  for_each_chunk(shape.product(), [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* out = table + starts[chunk];
    int64_t first = 0, row_end = -1, base = 0;  // a position in the current innermost row, its end and its offset
    visit_true(mask, begin, end, [&](int64_t i) {
      if (i >= row_end) {
        const diopi::LoopCursor at(nest, i);
        first = i;
        row_end = i + at.left();
        base = at.offset();
      }
      *out++ = base + (i - first) * step;
    });
  });
}

void mask_coordinates(const uint8_t* mask, const Dims& shape, const int64_t* starts, int64_t* coordinates,
                      int64_t row_step, int64_t dim_step) {
  const int last = shape.n - 1;
  const auto nest = diopi::row_major_nest(shape, shape);
  for_each_chunk(shape.product(), [&](int64_t chunk, int64_t begin, int64_t end) {
    int64_t* out = coordinates + starts[chunk] * row_step;
    int64_t outer[diopi::kMaxDims];  // indices of the current innermost row
    int64_t row_start = 0, row_end = -1;
    visit_true(mask, begin, end, [&](int64_t i) {
      if (i >= row_end && last >= 0) {
        const diopi::LoopCursor at(nest, i);
        row_start = i - at.index(0);
        row_end = i + at.left();
        for (int d = 0; d < last; ++d) outer[d] = at.index(last - d);
      }
      for (int d = 0; d < last; ++d) out[d * dim_step] = outer[d];
      if (last >= 0) out[last * dim_step] = i - row_start;
      out += row_step;
    });
  });
}

}  // namespace impl::cpu
