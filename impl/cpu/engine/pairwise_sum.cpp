// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/pairwise_sum.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {
namespace {

template <typename T>
void add_packed(const TensorView& into, const TensorView& from, int64_t count) {
  T* to = into.ptr<T>();
  const T* term = from.ptr<T>();
  diopi::parallel_for(into.numel * count, 32768, [to, term](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) to[i] += term[i];
  });
}

}  // namespace

Status PairwiseSum::next(TensorView* tensor) {
  if (used_ == made_) {
    DIOPI_TRY(make_temporary(ctx_, shape_, dtype_, &partial_[made_]));
    ++made_;
  }
  *tensor = partial_[used_];
  return diopiSuccess;
}

void PairwiseSum::add() {
  ++used_;
  ++count_;
  for (uint64_t pairs = count_; pairs % 2 == 0; pairs /= 2) join();
}

void PairwiseSum::finish(const TensorView& out) {
  while (used_ > 1) join();
  copy_view(out, partial_[0]);
}

void PairwiseSum::join() {
  if (diopi::in_dry_run()) {
    --used_;
    return;
  }
  const TensorView &into = partial_[used_ - 2], &from = partial_[used_ - 1];
  switch (dtype_) {
    case diopi_dtype_float32:
      add_packed<float>(into, from, 1);
      break;
    case diopi_dtype_complex64:
      add_packed<float>(into, from, 2);
      break;
    case diopi_dtype_complex128:
      add_packed<double>(into, from, 2);
      break;
    default:
      add_packed<double>(into, from, 1);
  }
  --used_;
}

}  // namespace impl::cpu
