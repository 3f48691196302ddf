// SPDX-License-Identifier: BSD-3-Clause
// Long rows whose operands pass through blocks: strided, converted, broadcast, or written with non-temporal stores.
#include <algorithm>

#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/elementwise/loops.hpp"

namespace impl::cpu::elementwise {

namespace {

// How the kernel accesses an operand in one row. Rows are long enough to be processed one by one.
enum class Access {
  kDirect,     // in place
  kBroadcast,  // one element, broadcast to the whole row
  kConvert,    // packed, of another dtype
  kGather,     // strided
  kStream,     // output in place, through a block and with non-temporal stores
};

Access row_access(const Operand& op, int64_t stride) {
  if (stride == 0) return Access::kBroadcast;
  if (stride != op.itemsize) return Access::kGather;
  return op.cast != nullptr ? Access::kConvert : Access::kDirect;
}

// Runs the kernel on long rows. Software prefetches of the inputs do not pay: between non-temporal stores they cost up
// to half of the bandwidth on a Zen 5. It computes addresses once per row, and keeps a broadcast element while it stays
// the same.
class RowRunner {
 public:
  RowRunner(const Plan& plan, Blocks* blocks) : plan_(plan), blocks_(blocks) {
    for (int k = 0; k < plan.count; ++k) {
      access_[k] = row_access(plan.op[k], plan.inner_stride(k));
      if (plan.streams && k < plan.kernel->num_outputs && access_[k] == Access::kDirect && !is_read(plan, k)) {
        access_[k] = Access::kStream;
        streamed_ = k;
      }
      if (access_[k] != Access::kDirect) step_ = kBlock;
    }
  }

  void run(int64_t begin, int64_t end) {
    Cursor at(plan_.nest, begin);
    at.for_runs(end - begin, [&](int64_t n) { row(at, n); });
    if (streamed_ >= 0) finish_stores();
  }

 private:
  // Whether output k is also an input: then its lines are already in the cache.
  static bool is_read(const Plan& plan, int k) {
    for (int i = plan.kernel->num_outputs; i < plan.count; ++i) {
      if (plan.op[i].data == plan.op[k].data) return true;
    }
    return false;
  }

  void row(const Cursor& at, int64_t n) {
    char* address[kMaxOperands];
    for (int k = 0; k < plan_.count; ++k) {
      address[k] = plan_.op[k].data + at.offset(k);
      if (access_[k] == Access::kBroadcast && broadcast_of_[k] != address[k]) {
        load_broadcast(plan_.op[k], address[k], std::min(kBlock, plan_.inner()), blocks_->packed[k], blocks_->staging);
        broadcast_of_[k] = address[k];
      }
    }
    if (streamed_ >= 0) {
      const Operand& op = plan_.op[streamed_];
      for_stream_blocks(address[streamed_], op.itemsize, n,
                        [&](int64_t offset, int64_t part) { block(address, offset, part); });
      return;
    }
    for (int64_t offset = 0; offset < n; offset += step_) block(address, offset, std::min(step_, n - offset));
  }

  // Elements [offset, offset + n) of the row at these addresses.
  void block(char* const* address, int64_t offset, int64_t n) {
    const int num_outputs = plan_.kernel->num_outputs;
    void* out[kMaxOutputs] = {};
    const void* in[kMaxInputs] = {};
    for (int k = 0; k < num_outputs; ++k) {
      out[k] = access_[k] == Access::kDirect ? address[k] + offset * plan_.op[k].itemsize : blocks_->packed[k];
    }
    for (int k = num_outputs; k < plan_.count; ++k) in[k - num_outputs] = load(k, address[k], offset, n);
    plan_.kernel->fn(out, in, n, plan_.kernel->params);
    for (int k = 0; k < num_outputs; ++k) {
      if (access_[k] == Access::kStream) {
        const int64_t size = plan_.op[k].itemsize;
        stream_rows(address[k] + offset * size, 0, blocks_->packed[k], 0, n * size, 1);
      } else if (access_[k] != Access::kDirect) {
        store(k, address[k], offset, n);
      }
    }
  }

  const void* load(int k, const char* row, int64_t offset, int64_t n) {
    const Operand& op = plan_.op[k];
    char* const packed = blocks_->packed[k];
    const int64_t stride = plan_.inner_stride(k);
    const char* source = row + offset * stride;
    switch (access_[k]) {
      case Access::kDirect:
        return source;
      case Access::kBroadcast:
        return packed;
      case Access::kConvert:
        op.cast(packed, source, n);
        return packed;
      case Access::kGather:
      case Access::kStream:
        break;
    }
    gather(op.cast != nullptr ? blocks_->staging : packed, source, stride, op.itemsize, n);
    if (op.cast != nullptr) op.cast(packed, blocks_->staging, n);
    return packed;
  }

  void store(int k, char* row, int64_t offset, int64_t n) {
    const Operand& op = plan_.op[k];
    const int64_t stride = plan_.inner_stride(k);
    char* const target = row + offset * stride;
    if (op.cast != nullptr && stride == op.itemsize) {
      op.cast(target, blocks_->packed[k], n);
      return;
    }
    if (op.cast != nullptr) op.cast(blocks_->staging, blocks_->packed[k], n);
    scatter(target, stride, op.cast != nullptr ? blocks_->staging : blocks_->packed[k], op.itemsize, n);
  }

  const Plan& plan_;
  Blocks* blocks_;
  Access access_[kMaxOperands];
  const char* broadcast_of_[kMaxOperands] = {};
  int streamed_ = -1;  // an output that is written with non-temporal stores
  int64_t step_ = INT64_MAX;
};

}  // namespace

void load_broadcast(const Operand& op, const char* source, int64_t n, char* packed, char* staging) {
  if (op.cast != nullptr) {
    op.cast(staging, source, 1);
    source = staging;
  }
  broadcast_element(packed, source, op.kernel_size, n);
}

void run_rows(const Plan& plan, int64_t begin, int64_t end) {
  Blocks blocks;
  RowRunner(plan, &blocks).run(begin, end);
}

}  // namespace impl::cpu::elementwise
