// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernel row by row on operands in place.
#include <algorithm>

#include "impl/cpu/engine/elementwise/loops.hpp"

namespace impl::cpu::elementwise {

namespace {

class DirectRunner {
 public:
  explicit DirectRunner(const Plan& plan)
      : plan_(plan), fn_(plan.kernel->fn), num_outputs_(plan.kernel->num_outputs), count_(plan.count) {
    if (plan.one >= 0) fn_ = plan.kernel->with_one[plan.one - num_outputs_];
  }

  void run(int64_t begin, int64_t end) {
    const int64_t inner = plan_.inner();
    Cursor at(plan_.nest, begin);
    for (int64_t i = begin; i < end;) {
      for (int k = 0; k < count_; ++k) address_[k] = plan_.op[k].data + at.offset(k);
      if (plan_.nest.n == 1 || at.left() < inner || end - i < inner) {
        const int64_t n = std::min(at.left(), end - i);
        row(n);
        at.advance(n);
        i += n;
      } else {
        const int64_t rows = std::min((end - i) / inner, rows_left(at));
        switch (count_) {
          case 2:
            whole_rows<2>(rows);
            break;
          case 3:
            whole_rows<3>(rows);
            break;
          default:
            whole_rows<0>(rows);
        }
        advance_rows(plan_, &at, rows);
        i += rows * inner;
      }
    }
  }

 private:
  // kCount is the number of operands as a constant: a loop over a variable number would take as long as a short row.
  template <int kCount>
  void whole_rows(int64_t rows) {
    const int count = kCount > 0 ? kCount : count_;
    int64_t step[kMaxOperands];
    for (int k = 0; k < count; ++k) step[k] = plan_.nest[1].stride[k];
    const int64_t inner = plan_.inner();
    if (has_rows(plan_))
      return plan_.kernel->rows(address_, step, plan_.one < 0 ? -1 : plan_.one - num_outputs_, inner, rows);
    for (int64_t r = 0; r < rows; ++r) {
      row(inner);
      for (int k = 0; k < count; ++k) address_[k] = static_cast<char*>(address_[k]) + step[k];
    }
  }

  void row(int64_t n) { fn_(address_, address_ + num_outputs_, n, plan_.kernel->params); }

  const Plan& plan_;
  BlockFn fn_;
  const int num_outputs_, count_;
  void* address_[kMaxOperands];
};

}  // namespace

bool has_rows(const Plan& plan) {
  constexpr int64_t kLongRow = 256;  // of which each is worth a call of its own
  return plan.kernel->rows != nullptr && plan.nest.n > 1 && plan.inner() <= kLongRow;
}

bool is_direct(const Plan& plan) {
  for (int k = 0; k < plan.count; ++k) {
    const Operand& op = plan.op[k];
    const bool in_place = op.cast == nullptr && plan.inner_stride(k) == op.itemsize;
    if (!in_place && k != plan.one) return false;
  }
  return true;
}

void run_direct(const Plan& plan, int64_t begin, int64_t end) { DirectRunner(plan).run(begin, end); }

}  // namespace impl::cpu::elementwise
