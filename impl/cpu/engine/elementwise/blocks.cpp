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
    // Blocks end with a plane, the two inner loops, if planes are long enough and an operand is packed in each of them.
    const bool is_long =
        plan.tile == plan.inner() && plan.nest.n > 1 && plan.inner() * plan.nest[1].extent >= kBlock / 2;
    for (int k = 0; k < plan.count; ++k) {
      const Operand& op = plan.op[k];
      if (op.scalar) load_broadcast(op, op.data, std::min(kBlock, plan.numel), blocks->packed[k], blocks->staging);
      if (is_constant(op) || is_in_place(op)) continue;
      walks_ = walks_ || !op.linear;
      packed_planes_[k] = has_packed_planes(k);
      ends_with_plane_ = ends_with_plane_ || (is_long && packed_planes_[k] && !op.linear);
    }
  }

  void run(int64_t begin, int64_t end) {
    Cursor at(plan_.nest, begin);
    const int64_t step = kBlock / plan_.tile * plan_.tile;
    for (int k = plan_.kernel->num_outputs; k < plan_.count; ++k) {
      if (is_constant(plan_.op[k]) && !plan_.op[k].scalar) load(k, at, nullptr, std::min(step, end - begin));
    }
    for (int64_t i = begin; i < end;) {
      int64_t n = std::min(step, end - i);
      if (ends_with_plane_) n = std::min(n, rows_left(at) * plan_.inner());
      block(at, i, n);
      if (walks_) for_planes(0, plan_, &at, n, [](char*, int64_t, int64_t) {});
      i += n;
    }
  }

 private:
  bool is_constant(const Operand& op) const { return op.scalar || (op.repeats && !is_in_place(op)); }
  bool is_in_place(const Operand& op) const { return op.linear && op.cast == nullptr; }
  bool has_packed_planes(int k) const {
    const Nest& nest = plan_.nest;
    return nest[0].stride[k] == plan_.op[k].itemsize &&
           (nest.n == 1 || nest[1].stride[k] == nest[0].extent * nest[0].stride[k]);
  }

  // The address of elements [first, first + n) of operand k if they follow each other in memory; otherwise null.
  char* packed_address(int k, const Cursor& at, int64_t first, int64_t n) const {
    const Operand& op = plan_.op[k];
    if (op.linear) return op.data + first * op.itemsize;
    return packed_planes_[k] && n <= rows_left(at) * plan_.inner() ? op.data + at.offset(k) : nullptr;
  }

  // Elements [first, first + n).
  void block(const Cursor& at, int64_t first, int64_t n) {
    const int num_outputs = plan_.kernel->num_outputs;
    char* target[kMaxOutputs];
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    for (int k = 0; k < num_outputs; ++k) {
      target[k] = packed_address(k, at, first, n);
      out[k] = target[k] != nullptr && plan_.op[k].cast == nullptr ? target[k] : blocks_->packed[k];
    }
    for (int k = num_outputs; k < plan_.count; ++k) {
      const Operand& op = plan_.op[k];
      const bool is_packed = is_constant(op);
      const char* source = is_packed ? blocks_->packed[k] : packed_address(k, at, first, n);
      if (!is_packed && (source == nullptr || op.cast != nullptr)) {
        load(k, at, source, n);
        source = blocks_->packed[k];
      }
      in[k - num_outputs] = source;
    }
    plan_.kernel->fn(out, in, n, plan_.kernel->params);
    for (int k = 0; k < num_outputs; ++k) {
      if (out[k] == blocks_->packed[k]) store(k, at, target[k], n);
    }
  }

  // Packs and converts the next n elements of operand k. If they follow each other in memory, `source` is their
  // address.
  void load(int k, Cursor at, const char* source, int64_t n) {
    const Operand& op = plan_.op[k];
    if (source == nullptr) {
      char* packed = op.cast != nullptr ? blocks_->staging : blocks_->packed[k];
      source = packed;
      for_planes(k, plan_, &at, n, [&](const char* p, int64_t row_stride, int64_t rows) {
        gather_rows(packed, p, plan_.inner_stride(k), op.itemsize, plan_.inner(), row_stride, rows);
        packed += rows * plan_.inner() * op.itemsize;
      });
    }
    if (op.cast != nullptr) op.cast(blocks_->packed[k], source, n);
  }

  // The reverse of load().
  void store(int k, Cursor at, char* target, int64_t n) {
    const Operand& op = plan_.op[k];
    const char* packed = blocks_->packed[k];
    if (op.cast != nullptr) {
      char* const converted = target != nullptr ? target : blocks_->staging;
      op.cast(converted, packed, n);
      packed = converted;
    }
    if (target != nullptr) return;
    for_planes(k, plan_, &at, n, [&](char* p, int64_t row_stride, int64_t rows) {
      scatter_rows(p, plan_.inner_stride(k), row_stride, packed, op.itemsize, plan_.inner(), rows);
      packed += rows * plan_.inner() * op.itemsize;
    });
  }

  const Plan& plan_;
  Blocks* blocks_;
  bool walks_ = false;  // an operand has an address that only the cursor knows
  bool ends_with_plane_ = false;
  bool packed_planes_[kMaxOperands] = {};
};

}  // namespace

bool prefers_blocks(const Plan& plan) {
  constexpr int64_t kRowOfVectors = 8;  // elements
  bool repeats = true;
  for (int k = 0; k < plan.count; ++k) {
    const Operand& op = plan.op[k];
    repeats = repeats && ((op.linear && op.cast == nullptr) || (op.repeats && k >= plan.kernel->num_outputs));
  }
  const bool is_short = plan.inner() < kShortRow;
  if (has_rows(plan) && !(is_short && repeats) && plan.inner() >= kRowOfVectors && !plan.streams && is_direct(plan)) {
    return false;
  }
  if (is_short) return true;
  if (plan.inner() > kBlock / 2 || plan.nest.n == 1) return false;
  return repeats || (!plan.streams && !is_direct(plan));
}

void run_blocks(const Plan& plan, int64_t begin, int64_t end) {
  Blocks blocks;
  BlockRunner(plan, &blocks).run(begin, end);
}

}  // namespace impl::cpu::elementwise
