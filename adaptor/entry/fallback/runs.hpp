// SPDX-License-Identifier: BSD-3-Clause
// The pieces of memory that the elements of a tensor occupy.
#ifndef ADAPTOR_ENTRY_FALLBACK_RUNS_HPP_
#define ADAPTOR_ENTRY_FALLBACK_RUNS_HPP_

#include <cstdint>

#include "impl/common/tensor_view.hpp"

namespace diopi::fallback {

// Loops over the runs of a tensor: contiguous pieces of memory, all of `bytes` bytes. Elements that share memory
// because a stride is 0 are visited once.
class Runs {
 public:
  explicit Runs(const TensorView& view);

  int64_t bytes() const { return bytes_; }
  int64_t count() const { return extents_.product(); }
  // The bytes from the first element to the end of the last one.
  int64_t span() const;
  // Calls visit(offset, bytes) for pieces that contain all runs, with the offset in bytes from the first element. A gap
  // of up to `join` bytes between two runs becomes a part of one piece. `visit` returns a Status; a failure ends the
  // loop.
  template <typename Visit>
  Status visit(int64_t join, Visit&& visit) const;

 private:
  // Moves to the next run; false after the last one.
  bool next(Dims* index, int64_t* offset) const;

  Dims extents_, steps_;  // of the loops, the outermost first; steps in bytes
  int64_t bytes_;
};

template <typename Visit>
Status Runs::visit(int64_t join, Visit&& visit) const {
  if (count() == 0 || bytes_ == 0) return diopiSuccess;
  Dims index;
  for (int i = 0; i < extents_.n; ++i) index.push_back(0);
  int64_t begin = 0, end = bytes_, offset = 0;
  while (next(&index, &offset)) {
    if (offset >= begin && offset - end <= join) {
      if (offset + bytes_ > end) end = offset + bytes_;
      continue;
    }
    DIOPI_TRY(visit(begin, end - begin));
    begin = offset;
    end = offset + bytes_;
  }
  return visit(begin, end - begin);
}

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_RUNS_HPP_
