// SPDX-License-Identifier: BSD-3-Clause
// Folds the elements of a planned reduction with the functions of its kernel.
#ifndef IMPL_CPU_ENGINE_REDUCE_FOLDER_HPP_
#define IMPL_CPU_ENGINE_REDUCE_FOLDER_HPP_

#include <algorithm>
#include <cstdint>

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/packed_nest.hpp"
#include "impl/cpu/engine/reduce/cascade.hpp"
#include "impl/cpu/engine/reduce/plan.hpp"

namespace impl::cpu::reduce_detail {

using Cursor = diopi::LoopCursor<Nest>;

inline constexpr int64_t kRuns = 256;  // runs folded together

class Folder {
 public:
  explicit Folder(const Plan& plan) : plan_(plan), kernel_(*plan.kernel) {}

  // Folds reduced elements [begin, end) of the output at `base` into one accumulator.
  void row(const char* base, int64_t begin, int64_t end, char* accumulator) {
    const bool direct = plan_.cast == nullptr && plan_.reduced.inner_stride() == plan_.itemsize;
    const int64_t run = kernel_.exact ? INT64_MAX : kernel_.run;
    const int64_t limit = direct ? run : std::min(run, kBlock);
    kernel_.init(accumulator, 1);
    if (begin == end) return;
    Cursor at(plan_.reduced, begin);
    if (direct && end - begin <= std::min(limit, at.left())) {
      kernel_.fold_row(accumulator, base + at.offset(), end - begin, begin, kernel_.params);
      return;
    }
    if (direct && folds_rows_apart() && end - begin <= at.left()) {
      return packed_row(base + at.offset(), end - begin, accumulator);
    }
    const bool apart = direct && folds_inner_rows();
    const int64_t inner = plan_.reduced.inner_extent();
    alignas(16) char levels[kLevels * kMaxAccumulator];
    alignas(16) char part[kMaxAccumulator];
    Cascade cascade(kernel_, levels, 1);
    for (int64_t i = begin; i < end;) {
      if (apart && at.index(0) == 0 && end - i >= inner) {
        i += inner_rows(base, (end - i) / inner, &at, &cascade) * inner;
        continue;
      }
      const int64_t n = std::min({end - i, limit, direct ? at.left() : INT64_MAX});
      const void* elements = direct ? base + at.offset() : load(base, &at, n);
      if (direct) at.advance(n);
      kernel_.init(part, 1);
      kernel_.fold_row(part, elements, n, i, kernel_.params);
      cascade.add(part);
      i += n;
    }
    cascade.finish(accumulator);
  }

  // Whether parts of a row can be folded by fold_each(), which knows no positions.
  bool folds_rows_apart() const { return kernel_.fold_each != nullptr && !kernel_.ordered; }

  // Folds n packed elements, in runs.
  void packed_row(const char* elements, int64_t n, char* accumulator) {
    const int64_t run = kernel_.run, runs = n / run, bytes = run * plan_.itemsize;
    alignas(16) char levels[kLevels * kMaxAccumulator];
    Cascade cascade(kernel_, levels, 1);
    for (int64_t i = 0; i < runs; i += kRuns) {
      const int64_t count = std::min(kRuns, runs - i);
      kernel_.fold_each(runs_, elements + i * bytes, bytes, count, run, kernel_.params);
      cascade.add(merged(runs_, count));
    }
    if (const int64_t rest = n - runs * run; rest > 0) {
      kernel_.fold_each(runs_, elements + runs * bytes, bytes, 1, rest, kernel_.params);
      cascade.add(runs_);
    }
    cascade.finish(accumulator);
  }

  // Whether packed_chunks() can fold chunks: they follow each other and consist of whole runs.
  bool folds_chunks() const {
    return folds_rows_apart() && !plan_.by_columns && plan_.cast == nullptr && plan_.reduced.n == 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && plan_.chunk % run_of_chunk() == 0 &&
           plan_.chunk / run_of_chunk() <= kRuns;
  }

  // Folds n whole chunks of one output into one accumulator each, as row() does.
  void packed_chunks(const char* elements, int64_t n, char* accumulators) {
    fold_in_runs(elements, n, plan_.chunk, run_of_chunk(), accumulators);
  }

  // Whether packed_rows() can fold outputs: their rows follow each other and consist of whole runs.
  bool folds_runs() const {
    const int64_t run = kernel_.run;
    return folds_rows_apart() && !kernel_.exact && plan_.cast == nullptr && plan_.reduced.n == 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && plan_.count > run && plan_.count % run == 0 &&
           plan_.count / run <= kRuns && plan_.kept.n == 1 && plan_.kept.inner_stride() == plan_.count * plan_.itemsize;
  }

  // Folds outputs [first, first + n), as packed_row() does.
  void packed_rows(int64_t first, int64_t n, char* accumulators) {
    const char* const elements = plan_.input + first * plan_.count * plan_.itemsize;
    fold_in_runs(elements, n, plan_.count, kernel_.run, accumulators);
  }

  // Whether rows() can fold outputs: their elements are packed and few enough for one call of the kernel. Elements that
  // are converted must fit into a block.
  bool folds_each() const {
    return kernel_.fold_each != nullptr && plan_.count > 0 && plan_.reduced.n == 1 &&
           plan_.reduced.inner_stride() == plan_.itemsize && (kernel_.exact || plan_.count <= kernel_.run) &&
           (plan_.cast == nullptr || plan_.count <= kBlock);
  }

  // Folds outputs [first, first + n) into one accumulator each.
  void rows(int64_t first, int64_t n, char* accumulators) {
    Cursor at(plan_.kept, first);
    at.for_runs(n, [&](int64_t run) {
      const char* elements = plan_.input + at.offset();
      if (plan_.cast != nullptr) {
        converted_rows(elements, run, accumulators);
      } else {
        kernel_.fold_each(accumulators, elements, plan_.kept.inner_stride(), run, plan_.count, kernel_.params);
      }
      accumulators += run * kernel_.accumulator_size;
    });
  }

  // Folds rows [begin, end) of `width` adjacent outputs, which begin at `base`.
  void columns(const char* base, int64_t width, int64_t begin, int64_t end, char* accumulators) {
    if (plan_.joined > 1 && end - begin >= plan_.joined) {
      joined_columns(base, width, begin, end, accumulators);
    } else {
      columns_of(plan_.reduced, base, width, begin, end, accumulators);
    }
  }

  // Writes the results of `n` accumulators to outputs [first, first + n).
  void store(int64_t first, const char* accumulators, int64_t n) {
    void* results[2] = {results_[0], results_[1]};
    for (int k = 0; k < kernel_.num_outputs; ++k) {
      if (writes_in_place(k)) results[k] = plan_.output[k] + first * plan_.out_itemsize[k];
    }
    kernel_.finish(results, accumulators, n, plan_.count, kernel_.params);
    for (int k = 0; k < kernel_.num_outputs; ++k) {
      if (plan_.output[k] == nullptr || writes_in_place(k)) continue;
      const char* packed = results_[k];
      if (plan_.out_cast[k] != nullptr) {
        plan_.out_cast[k](block_, results_[k], n);
        packed = block_;
      }
      Cursor at(plan_.out[k], first);
      scatter_nest(plan_.output[k], plan_.out[k], &at, packed, plan_.out_itemsize[k], n);
    }
  }

 private:
  // Whether the kernel writes output k itself: it is packed, and its results are not converted.
  bool writes_in_place(int k) const {
    const Nest& out = plan_.out[k];
    return plan_.output[k] != nullptr && plan_.out_cast[k] == nullptr &&
           (out.n == 0 || (out.n == 1 && out.inner_stride() == plan_.out_itemsize[k]));
  }

  // columns() of rows that follow each other in memory: as many as are joined are folded as one wide row. Then the
  // parts of the wide row are merged.
  void joined_columns(const char* base, int64_t width, int64_t begin, int64_t end, char* accumulators) {
    const int64_t joined = plan_.joined, pitch = plan_.reduced.inner_stride(), wide = (end - begin) / joined;
    const int64_t bytes = width * kernel_.accumulator_size, rest = begin + wide * joined;
    Nest wide_rows;
    wide_rows.push_back(wide, joined * pitch);
    columns_of(wide_rows, base + begin * pitch, joined * width, 0, wide, joined_);
    if (kernel_.place != nullptr) kernel_.place(joined_, width, joined, begin);
    for (int64_t half = joined / 2; half > 0; half /= 2) kernel_.merge(joined_, joined_ + half * bytes, half * width);
    std::memcpy(accumulators, joined_, static_cast<size_t>(bytes));
    if (rest == end) return;
    columns_of(plan_.reduced, base, width, rest, end, joined_);
    kernel_.merge(accumulators, joined_, width);
  }

  // Folds rows [begin, end) of a nest of rows of `width` elements.
  void columns_of(const Nest& rows, const char* base, int64_t width, int64_t begin, int64_t end, char* accumulators) {
    const bool direct = plan_.cast == nullptr && plan_.kept.inner_stride() == plan_.itemsize;
    kernel_.init(accumulators, width);
    Cursor at(rows, begin);
    if (kernel_.fold_rows == nullptr) {
      if (!kernel_.exact) return cascade_columns(base, &at, width, begin, end, accumulators);
      for (int64_t i = begin; i < end; ++i, at.advance(1)) {
        kernel_.fold_column(accumulators, row_of_tile(base + at.offset(), width), width, i, kernel_.params);
      }
      return;
    }
    for (int64_t i = begin; i < end;) {
      const char* first = base + at.offset();
      int64_t some = std::min(end - i, at.left()), pitch = rows.inner_stride();
      if (!direct) {
        some = std::min(some, elements_of_block(plan_) / width);
        load_rows(first, pitch, width, some);
        first = block_;
        pitch = width * diopi::dtype_size(kernel_.in);
      }
      kernel_.fold_rows(accumulators, first, pitch, some, width, i, kernel_.params);
      at.advance(some);
      i += some;
    }
  }

  // Folds rows [begin, end) into accumulators that are set, row by row. Two levels of partial results are enough: runs
  // of 64 rows, then runs of 64 such runs, then the sum of all.
  void cascade_columns(const char* base, Cursor* at, int64_t width, int64_t begin, int64_t end, char* accumulators) {
    char *run = columns_[0], *middle = columns_[1];
    kernel_.init(run, width);
    kernel_.init(middle, width);
    for (int64_t i = begin; i < end; ++i) {
      kernel_.fold_column(run, row_of_tile(base + at->offset(), width), width, i, kernel_.params);
      at->advance(1);
      const int64_t done = i + 1 - begin;
      if (done % kColumnRun == 0 || i + 1 == end) {
        kernel_.merge(middle, run, width);
        kernel_.init(run, width);
      }
      if (done % (kColumnRun * kColumnRun) == 0 || i + 1 == end) {
        kernel_.merge(accumulators, middle, width);
        kernel_.init(middle, width);
      }
    }
  }

  // The elements of a chunk that are folded in one call.
  int64_t run_of_chunk() const { return kernel_.exact ? plan_.chunk : kernel_.run; }

  // Merges n > 0 accumulators pairwise into the first, which is returned.
  const char* merged(char* accumulators, int64_t n) const {
    for (; n > 1; n = (n + 1) / 2)
      kernel_.merge(accumulators, accumulators + (n + 1) / 2 * kernel_.accumulator_size, n / 2);
    return accumulators;
  }

  // Folds `rows` rows of `length` packed elements, which follow each other, into one accumulator each. A row has at
  // most kRuns runs, all of them whole.
  void fold_in_runs(const char* elements, int64_t rows, int64_t length, int64_t run, char* accumulators) {
    const int64_t runs = length / run, bytes = run * plan_.itemsize, size = kernel_.accumulator_size;
    while (rows > 0) {
      const int64_t together = std::min(kRuns / runs, rows);
      kernel_.fold_each(runs_, elements, bytes, together * runs, run, kernel_.params);
      for (int64_t r = 0; r < together; ++r) {
        std::memcpy(accumulators + r * size, merged(runs_ + r * runs * size, runs), static_cast<size_t>(size));
      }
      elements += together * runs * bytes;
      accumulators += together * size;
      rows -= together;
    }
  }

  // The number of calls of the kernel that fold a row of the innermost loop.
  int64_t runs_of_inner() const {
    return kernel_.exact ? 1 : (plan_.reduced.inner_extent() + kernel_.run - 1) / kernel_.run;
  }

  // Whether inner_rows() can fold rows of the innermost loop, which are packed.
  bool folds_inner_rows() const {
    return folds_rows_apart() && plan_.reduced.n > 1 && runs_of_inner() <= kRuns / kRowsTogether;
  }

  // Adds at most `rows` rows of the innermost loop to a cascade, advances `at`, and returns their number.
  int64_t inner_rows(const char* base, int64_t rows, Cursor* at, Cascade* cascade) {
    const int64_t inner = plan_.reduced.inner_extent(), runs = runs_of_inner(), run = runs == 1 ? inner : kernel_.run;
    const char* const first = base + at->offset();
    rows = std::min({rows, at->left(1), kRuns / runs});
    const int64_t bytes = rows * kernel_.accumulator_size;
    for (int64_t k = 0; k < runs; ++k) {
      kernel_.fold_each(runs_ + k * bytes, first + k * run * plan_.itemsize, plan_.reduced[1].stride[0], rows,
                        std::min(run, inner - k * run), kernel_.params);
    }
    cascade->add(merged(runs_, rows * runs));
    at->advance(rows, 1);
    return rows;
  }

  // Folds `n` evenly spaced rows, which are converted in blocks.
  void converted_rows(const char* row, int64_t n, char* accumulators) {
    const int64_t pitch = plan_.kept.inner_stride(), bytes = plan_.count * diopi::dtype_size(kernel_.in);
    const bool packed = pitch == plan_.count * plan_.itemsize;
    for (int64_t i = 0; i < n;) {
      const int64_t rows = std::min(n - i, kBlock / plan_.count);
      if (packed) {
        plan_.cast(block_, row, rows * plan_.count);
      } else {
        for (int64_t r = 0; r < rows; ++r) plan_.cast(block_ + r * bytes, row + r * pitch, plan_.count);
      }
      kernel_.fold_each(accumulators, block_, bytes, rows, plan_.count, kernel_.params);
      i += rows;
      row += rows * pitch;
      accumulators += rows * kernel_.accumulator_size;
    }
  }

  const void* load(const char* base, Cursor* at, int64_t n) {
    if (plan_.cast == nullptr) {
      gather_nest(block_, base, plan_.reduced, at, plan_.itemsize, n);
      return block_;
    }
    if (plan_.reduced.inner_stride() == plan_.itemsize && n <= at->left()) {
      plan_.cast(block_, base + at->offset(), n);
      at->advance(n);
    } else {
      gather_nest(staging_, base, plan_.reduced, at, plan_.itemsize, n);
      plan_.cast(block_, staging_, n);
    }
    return block_;
  }

  // A row of `width` adjacent outputs, packed and converted.
  const void* row_of_tile(const char* p, int64_t width) {
    if (plan_.cast == nullptr && plan_.kept.inner_stride() == plan_.itemsize) return p;
    load_rows(p, 0, width, 1);
    return block_;
  }

  // Packs and converts `rows` rows of `width` adjacent outputs, which begin `pitch` bytes apart.
  void load_rows(const char* p, int64_t pitch, int64_t width, int64_t rows) {
    const int64_t stride = plan_.kept.inner_stride(), bytes = width * diopi::dtype_size(kernel_.in);
    const bool packed = stride == plan_.itemsize;
    if (packed && pitch == width * stride) {
      width *= rows;
      rows = 1;
    }
    char* to = block_;
    for (int64_t r = 0; r < rows; ++r, p += pitch, to += bytes) {
      if (plan_.cast == nullptr) {
        gather(to, p, stride, plan_.itemsize, width);
      } else if (packed) {
        plan_.cast(to, p, width);
      } else {
        gather(staging_, p, stride, plan_.itemsize, width);
        plan_.cast(to, staging_, width);
      }
    }
  }

  const Plan& plan_;
  const ReduceKernel& kernel_;
  alignas(64) char block_[kBlock * kMaxItemsize];
  alignas(64) char staging_[kBlock * kMaxItemsize];
  alignas(64) char columns_[2][kBlock * kMaxAccumulator];
  alignas(64) char joined_[kJoined * kMaxAccumulator];
  alignas(64) char results_[2][kBlock * kMaxItemsize];
  alignas(64) char runs_[kRuns * kMaxAccumulator];
};

}  // namespace impl::cpu::reduce_detail

#endif  // IMPL_CPU_ENGINE_REDUCE_FOLDER_HPP_
