// SPDX-License-Identifier: BSD-3-Clause
// Blocks of elements that span several rows, for short rows and for operands that have the same row everywhere.
#include <algorithm>

#include "impl/cpu/engine/elementwise/loops.hpp"

namespace impl::cpu::elementwise {

namespace {

// Runs the kernel block by block. A block consists of whole tiles, so an operand whose tiles are all equal is packed
// once.
class BlockRunner {
 public:
  BlockRunner(const Plan& plan, Blocks* blocks) : plan_(plan), blocks_(blocks) {
    for (int k = 0; k < plan.count; ++k) {
      const Operand& op = plan.op[k];
      if (op.scalar) load_broadcast(op, op.data, std::min(kBlock, plan.numel), blocks->packed[k], blocks->staging);
    }
  }

  void run(int64_t begin, int64_t end) {
    Cursor at(plan_.nest, begin);
    const int64_t step = kBlock / plan_.tile * plan_.tile;
    for (int k = plan_.kernel->num_outputs; k < plan_.count; ++k) {
      if (is_constant(plan_.op[k]) && !plan_.op[k].scalar) load(k, at, std::min(step, end - begin));
    }
    for (int64_t i = begin; i < end; i += step) block(&at, i, std::min(step, end - i));
  }

 private:
  bool is_constant(const Operand& op) const { return op.scalar || (op.repeats && !is_in_place(op)); }
  bool is_in_place(const Operand& op) const { return op.linear && op.cast == nullptr; }

  void block(Cursor* at, int64_t first, int64_t n) {
    const int num_outputs = plan_.kernel->num_outputs;
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    bool walks = false;
    for (int k = 0; k < plan_.count; ++k) {
      const Operand& op = plan_.op[k];
      char* p = is_in_place(op) ? op.data + first * op.itemsize : blocks_->packed[k];
      walks = walks || !(is_in_place(op) || is_constant(op));
      if (k < num_outputs) {
        out[k] = p;
      } else {
        if (!is_in_place(op) && !is_constant(op)) load(k, *at, n);
        in[k - num_outputs] = p;
      }
    }
    plan_.kernel->fn(out, in, n, plan_.kernel->params);
    if (!walks) return;
    for (int k = 0; k < num_outputs; ++k) {
      if (!is_in_place(plan_.op[k])) store(k, *at, n);
    }
    for_planes(0, plan_, at, n, [](char*, int64_t, int64_t) {});
  }

  void load(int k, Cursor at, int64_t n) {
    const Operand& op = plan_.op[k];
    char* packed = op.cast != nullptr ? blocks_->staging : blocks_->packed[k];
    for_planes(k, plan_, &at, n, [&](const char* p, int64_t row_stride, int64_t rows) {
      gather_rows(packed, p, plan_.inner_stride(k), op.itemsize, plan_.inner(), row_stride, rows);
      packed += rows * plan_.inner() * op.itemsize;
    });
    if (op.cast != nullptr) op.cast(blocks_->packed[k], blocks_->staging, n);
  }

  void store(int k, Cursor at, int64_t n) {
    const Operand& op = plan_.op[k];
    const char* packed = blocks_->packed[k];
    if (op.cast != nullptr) {
      op.cast(blocks_->staging, packed, n);
      packed = blocks_->staging;
    }
    const int64_t bytes = plan_.inner() * op.itemsize;
    for_planes(k, plan_, &at, n, [&](char* p, int64_t row_stride, int64_t rows) {
      for (int64_t r = 0; r < rows; ++r, p += row_stride, packed += bytes) {
        scatter(p, plan_.inner_stride(k), packed, op.itemsize, plan_.inner());
      }
    });
  }

  const Plan& plan_;
  Blocks* blocks_;
};

}  // namespace

bool prefers_blocks(const Plan& plan) {
  if (plan.inner() < kShortRow) return true;
  if (plan.inner() > kBlock / 2 || is_direct(plan)) return false;
  for (int k = 0; k < plan.count; ++k) {
    const Operand& op = plan.op[k];
    if (!(op.linear && op.cast == nullptr) && !(op.repeats && k >= plan.kernel->num_outputs)) return false;
  }
  return true;
}

void run_blocks(const Plan& plan, int64_t begin, int64_t end) {
  Blocks blocks;
  BlockRunner(plan, &blocks).run(begin, end);
}

}  // namespace impl::cpu::elementwise
