#include "elementwise.hpp"

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/kernels/block_io.hpp"
#include "impl/cpu/kernels/copy.hpp"
#include "impl/cpu/kernels/elementwise_plan.hpp"

namespace impl::cpu {

namespace {

using namespace elementwise;

// Where all operands together take more bytes, the results do not stay in a cache and are stored past it. Measured on a
// Xeon with 2 MiB of second-level cache: no gain up to 48 MiB, a third more bandwidth from 96 MiB on.
constexpr int64_t kStreamBytes = 64 << 20;
constexpr int64_t kStreamBlock = 256;     // elements between such stores
constexpr int64_t kPrefetchBytes = 2048;  // how far ahead of them inputs are fetched
// Transposed inputs of at least this many elements are packed first: a copy in tiles beats reading across rows.
constexpr int64_t kMinTransposed = 4096, kMinTransposedSide = 16;
// Rows shorter than this are gathered into blocks that span several rows.
constexpr int64_t kShortRow = 64;

// How the kernel gets at an operand, within rows that are long enough to be worked on one by one.
enum class Access {
  kDirect,   // in place
  kSplat,    // one element for the whole row
  kConvert,  // packed, of another dtype
  kGather,   // strided
  kStream,   // an output in place, through a block and past the cache
};

Access row_access(const Operand& op, int64_t stride) {
  if (stride == 0) return Access::kSplat;
  if (stride != op.itemsize) return Access::kGather;
  return op.cast != nullptr ? Access::kConvert : Access::kDirect;
}

// The memory of one thread: a block for each operand that cannot be used in place.
struct Blocks {
  alignas(64) char staging[kBlock * kMaxItemsize];  // in the operand's dtype, before or after a conversion
  alignas(64) char packed[kMaxOperands][kBlock * kMaxItemsize];
};

void load_splat(const Operand& op, const char* source, int64_t n, char* packed, char* staging) {
  if (op.cast != nullptr) {
    op.cast(staging, source, 1);
    source = staging;
  }
  splat(packed, source, op.kernel_size, n);
}

// Long rows: addresses are computed once a row, elements of a row that stays the same are spread once.
class RowRunner {
 public:
  RowRunner(const Plan& plan, Blocks* blocks) : plan_(plan), blocks_(blocks) {
    for (int k = 0; k < plan.count; ++k) {
      access_[k] = row_access(plan.op[k], plan.op[k].stride[plan.ndim - 1]);
      if (plan.streams && k < plan.kernel->num_outputs && access_[k] == Access::kDirect && !is_read(plan, k)) {
        access_[k] = Access::kStream;
        streams_ = true;
      }
      if (access_[k] != Access::kDirect) step_ = kBlock;
    }
    if (streams_) step_ = kStreamBlock;
  }

  void run(int64_t begin, int64_t end) {
    Walker walker(plan_, begin);
    for (int64_t i = begin; i < end;) {
      const int64_t n = std::min(end - i, walker.row_left());
      row(walker, n);
      walker.advance(n);
      i += n;
    }
    if (streams_) finish_streaming();
  }

 private:
  // Whether output k is an input too: its lines are in the cache then.
  static bool is_read(const Plan& plan, int k) {
    for (int i = plan.kernel->num_outputs; i < plan.count; ++i) {
      if (plan.op[i].data == plan.op[k].data) return true;
    }
    return false;
  }

  void row(const Walker& at, int64_t n) {
    const int num_outputs = plan_.kernel->num_outputs;
    char* address[kMaxOperands];
    for (int k = 0; k < plan_.count; ++k) {
      address[k] = at.address(plan_.op[k]);
      if (access_[k] == Access::kSplat && splat_of_[k] != address[k]) {
        load_splat(plan_.op[k], address[k], std::min(kBlock, plan_.inner()), blocks_->packed[k], blocks_->staging);
        splat_of_[k] = address[k];
      }
    }
    for (int64_t offset = 0; offset < n; offset += step_) {
      const int64_t part = std::min(step_, n - offset);
      void* out[kMaxOutputs];
      const void* in[kMaxInputs];
      for (int k = 0; k < num_outputs; ++k) {
        out[k] = access_[k] == Access::kDirect ? address[k] + offset * plan_.op[k].itemsize : blocks_->packed[k];
      }
      for (int k = num_outputs; k < plan_.count; ++k) in[k - num_outputs] = load(k, address[k], offset, part);
      if (streams_) prefetch(in, part);
      plan_.kernel->fn(out, in, part, plan_.kernel->params);
      for (int k = 0; k < num_outputs; ++k) {
        if (access_[k] != Access::kDirect) store(k, address[k], offset, part);
      }
    }
  }

  // Asks for what comes after the next n elements of each input.
  void prefetch(const void* const* in, int64_t n) const {
    constexpr int64_t kLine = 64;
    for (int k = plan_.kernel->num_outputs; k < plan_.count; ++k) {
      if (access_[k] != Access::kDirect) continue;
      const char* p = static_cast<const char*>(in[k - plan_.kernel->num_outputs]) + kPrefetchBytes;
      for (int64_t i = 0; i < n * plan_.op[k].itemsize; i += kLine) hwy::Prefetch(p + i);
    }
  }

  const void* load(int k, const char* row, int64_t offset, int64_t n) {
    const Operand& op = plan_.op[k];
    char* const packed = blocks_->packed[k];
    const int64_t stride = op.stride[plan_.ndim - 1];
    const char* source = row + offset * stride;
    switch (access_[k]) {
      case Access::kDirect:
        return source;
      case Access::kSplat:
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
    const int64_t stride = op.stride[plan_.ndim - 1];
    char* const target = row + offset * stride;
    if (access_[k] == Access::kStream) return stream_copy(target, blocks_->packed[k], n * op.itemsize);
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
  const char* splat_of_[kMaxOperands] = {};
  bool streams_ = false;
  int64_t step_ = INT64_MAX;
};

// Short rows: blocks of elements that span rows. Blocks are whole rows, so that an operand whose rows are all the same
// is packed once.
class BlockRunner {
 public:
  BlockRunner(const Plan& plan, Blocks* blocks) : plan_(plan), blocks_(blocks) {
    for (int k = 0; k < plan.count; ++k) {
      const Operand& op = plan.op[k];
      if (op.scalar) load_splat(op, op.data, std::min(kBlock, plan.numel), blocks->packed[k], blocks->staging);
    }
  }

  // Elements [begin, end), where rows begin and end.
  void run(int64_t begin, int64_t end) {
    Walker walker(plan_, begin);
    const int64_t step = kBlock / plan_.inner() * plan_.inner();
    for (int k = plan_.kernel->num_outputs; k < plan_.count; ++k) {
      if (is_constant(plan_.op[k]) && !plan_.op[k].scalar) load(k, walker, std::min(step, end - begin));
    }
    for (int64_t i = begin; i < end; i += step) block(&walker, i, std::min(step, end - i));
  }

 private:
  bool is_constant(const Operand& op) const { return op.scalar || (op.repeats && !is_direct(op)); }
  bool is_direct(const Operand& op) const { return op.linear && op.cast == nullptr; }

  void block(Walker* walker, int64_t first, int64_t n) {
    const int num_outputs = plan_.kernel->num_outputs;
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    for (int k = 0; k < plan_.count; ++k) {
      const Operand& op = plan_.op[k];
      char* p = is_direct(op) ? op.data + first * op.itemsize : blocks_->packed[k];
      if (k < num_outputs) {
        out[k] = p;
      } else {
        if (!is_direct(op) && !is_constant(op)) load(k, *walker, n);
        in[k - num_outputs] = p;
      }
    }
    plan_.kernel->fn(out, in, n, plan_.kernel->params);
    for (int k = 0; k < num_outputs; ++k) {
      if (!is_direct(plan_.op[k])) store(k, *walker, n);
    }
    for_segments(plan_.op[0], plan_, walker, n, [](char*, int64_t, int64_t, int64_t) {});
  }

  void load(int k, Walker at, int64_t n) {
    const Operand& op = plan_.op[k];
    char* const packed = op.cast != nullptr ? blocks_->staging : blocks_->packed[k];
    for_segments(op, plan_, &at, n, [&](const char* p, int64_t stride, int64_t offset, int64_t count) {
      gather(packed + offset * op.itemsize, p, stride, op.itemsize, count);
    });
    if (op.cast != nullptr) op.cast(blocks_->packed[k], blocks_->staging, n);
  }

  void store(int k, Walker at, int64_t n) {
    const Operand& op = plan_.op[k];
    const char* packed = blocks_->packed[k];
    if (op.cast != nullptr) {
      op.cast(blocks_->staging, packed, n);
      packed = blocks_->staging;
    }
    for_segments(op, plan_, &at, n, [&](char* p, int64_t stride, int64_t offset, int64_t count) {
      scatter(p, stride, packed + offset * op.itemsize, op.itemsize, count);
    });
  }

  const Plan& plan_;
  Blocks* blocks_;
};

void copy_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  std::memcpy(out[0], in[0], static_cast<size_t>(n) * *static_cast<const int*>(params));
}

// A packed copy of `input`, in a temporary.
Status materialize(diopiContextHandle_t ctx, const TensorView& input, TensorView* copy) {
  *copy = input;
  copy->stride = diopi::contiguous_strides(input.shape);
  void* memory = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take_bytes(input.numel * input.itemsize(), &memory));
  copy->data = static_cast<char*>(memory);
  const int size = input.itemsize();
  return run_elementwise(ctx, uniform_kernel(copy_block, input.dtype, 1, &size), copy, &input);
}

// Whether writing `output` could change elements of `input` that are still to be read.
bool conflicts(const TensorView& output, const TensorView& input) {
  return diopi::may_overlap(output, input) && !diopi::is_same_view(output, input);
}

bool all_packed(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  for (int k = 0; k < kernel.num_outputs; ++k) {
    if (outputs[k].dtype != kernel.out[k] || !outputs[k].is_contiguous()) return false;
  }
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (inputs[k].dtype != kernel.in[k] || inputs[k].shape != outputs[0].shape || !inputs[k].is_contiguous()) {
      return false;
    }
  }
  return true;
}

void run_packed(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  diopi::parallel_for(outputs[0].numel, kernel.grain, [&](int64_t begin, int64_t end) {
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    for (int k = 0; k < kernel.num_outputs; ++k) out[k] = outputs[k].data + begin * outputs[k].itemsize();
    for (int k = 0; k < kernel.num_inputs; ++k) in[k] = inputs[k].data + begin * inputs[k].itemsize();
    kernel.fn(out, in, end - begin, kernel.params);
  });
}

// Whether rows of input k lie across memory, and another dimension along it.
bool is_transposed(const Plan& plan, int k) {
  const Operand& op = plan.op[k];
  const int64_t stride = op.stride[plan.ndim - 1];
  if (stride == 0 || stride == op.itemsize || plan.inner() < kMinTransposedSide) return false;
  int64_t covered = plan.inner();
  bool packed = false;
  for (int i = 0; i < plan.ndim - 1; ++i) {
    if (op.stride[i] != 0) covered *= plan.shape[i];
    packed = packed || (op.stride[i] == op.itemsize && plan.shape[i] >= kMinTransposedSide);
  }
  return packed && covered == plan.numel && covered >= kMinTransposed;
}

Status pack_transposed(diopiContextHandle_t ctx, const TensorView* outputs, const TensorView** inputs,
                       TensorView (&packed)[kMaxInputs], Plan* plan) {
  const ElementwiseKernel& kernel = *plan->kernel;
  bool any = false;
  for (int k = 0; k < kernel.num_inputs; ++k) {
    if (!is_transposed(*plan, kernel.num_outputs + k)) continue;
    if (!any && *inputs != packed) std::copy_n(*inputs, kernel.num_inputs, packed);
    any = true;
    const TensorView source = packed[k];
    DIOPI_TRY(packed_copy(ctx, source, &packed[k]));
  }
  if (!any) return diopiSuccess;
  *inputs = packed;
  *plan = Plan();
  make_plan(kernel, outputs, *inputs, plan);
  return diopiSuccess;
}

void run_planned(const Plan& plan) {
  const int64_t inner = plan.inner();
  if (inner >= kShortRow) {
    diopi::parallel_for(plan.numel, plan.kernel->grain, [&](int64_t begin, int64_t end) {
      Blocks blocks;
      RowRunner(plan, &blocks).run(begin, end);
    });
  } else {
    diopi::parallel_for(plan.numel / inner, plan.kernel->grain / inner, [&](int64_t begin, int64_t end) {
      Blocks blocks;
      BlockRunner(plan, &blocks).run(begin * inner, end * inner);
    });
  }
}

// Whether the operands are too large for any cache.
bool exceeds_caches(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  int64_t bytes = 0;
  for (int k = 0; k < kernel.num_outputs; ++k) bytes += outputs[k].numel * outputs[k].itemsize();
  for (int k = 0; k < kernel.num_inputs; ++k) bytes += inputs[k].numel * inputs[k].itemsize();
  return bytes > kStreamBytes;
}

}  // namespace

ElementwiseKernel uniform_kernel(BlockFn fn, diopiDtype_t dtype, int num_inputs, const void* params, int num_outputs) {
  ElementwiseKernel kernel;
  kernel.fn = fn;
  kernel.params = params;
  kernel.num_inputs = num_inputs;
  kernel.num_outputs = num_outputs;
  std::fill_n(kernel.in, num_inputs, dtype);
  std::fill_n(kernel.out, num_outputs, dtype);
  return kernel;
}

ElementwiseKernel mixed_kernel(BlockFn fn, diopiDtype_t in, int num_inputs, diopiDtype_t out, const void* params) {
  ElementwiseKernel kernel = uniform_kernel(fn, in, num_inputs, params);
  kernel.out[0] = out;
  return kernel;
}

Status run_elementwise(diopiContextHandle_t ctx, const ElementwiseKernel& kernel, const TensorView* outputs,
                       const TensorView* inputs) {
  for (int k = 0; k < kernel.num_outputs; ++k) DIOPI_TRY(diopi::require_writable(outputs[k]));
  if (outputs[0].numel == 0) return diopiSuccess;
  TensorView safe[kMaxInputs];
  const TensorView* sources = inputs;
  for (int i = 0; i < kernel.num_inputs; ++i) {
    for (int o = 0; o < kernel.num_outputs; ++o) {
      if (!conflicts(outputs[o], inputs[i])) continue;
      if (sources == inputs) {
        std::copy_n(inputs, kernel.num_inputs, safe);
        sources = safe;
      }
      DIOPI_TRY(materialize(ctx, inputs[i], &safe[i]));
      break;
    }
  }
  const bool streams = exceeds_caches(kernel, outputs, sources);
  if (!streams && all_packed(kernel, outputs, sources)) {
    run_packed(kernel, outputs, sources);
    return diopiSuccess;
  }
  Plan plan;
  make_plan(kernel, outputs, sources, &plan);
  DIOPI_TRY(pack_transposed(ctx, outputs, &sources, safe, &plan));
  plan.streams = streams;
  run_planned(plan);
  return diopiSuccess;
}

Status separate_from(diopiContextHandle_t ctx, const TensorView& output, TensorView* view) {
  if (!diopi::may_overlap(output, *view)) return diopiSuccess;
  const TensorView original = *view;
  return materialize(ctx, original, view);
}

}  // namespace impl::cpu
