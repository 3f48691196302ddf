#include "elementwise.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/kernels/block_io.hpp"
#include "impl/cpu/kernels/elementwise_plan.hpp"

namespace impl::cpu {

namespace {

using namespace elementwise;

// Rows shorter than this are gathered into blocks that span several rows.
constexpr int64_t kShortRow = 64;

// How the kernel gets at an operand, within rows that are long enough to be worked on one by one.
enum class Access {
  kDirect,   // in place
  kSplat,    // one element for the whole row
  kConvert,  // packed, of another dtype
  kGather,   // strided
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
      if (access_[k] != Access::kDirect) step_ = kBlock;
    }
  }

  void run(int64_t begin, int64_t end) {
    Walker walker(plan_, begin);
    for (int64_t i = begin; i < end;) {
      const int64_t n = std::min(end - i, walker.row_left());
      row(walker, n);
      walker.advance(n);
      i += n;
    }
  }

 private:
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
      plan_.kernel->fn(out, in, part, plan_.kernel->params);
      for (int k = 0; k < num_outputs; ++k) {
        if (access_[k] != Access::kDirect) store(k, address[k], offset, part);
      }
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
  int64_t step_ = INT64_MAX;
};

// Short rows: blocks of elements that span rows.
class BlockRunner {
 public:
  BlockRunner(const Plan& plan, Blocks* blocks) : plan_(plan), blocks_(blocks) {
    for (int k = 0; k < plan.count; ++k) {
      const Operand& op = plan.op[k];
      if (op.scalar) load_splat(op, op.data, std::min(kBlock, plan.numel), blocks->packed[k], blocks->staging);
    }
  }

  void run(int64_t begin, int64_t end) {
    Walker walker(plan_, begin);
    for (int64_t i = begin; i < end; i += kBlock) block(&walker, i, std::min(kBlock, end - i));
  }

 private:
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
        if (!is_direct(op) && !op.scalar) load(k, *walker, n);
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

void run_planned(const ElementwiseKernel& kernel, const TensorView* outputs, const TensorView* inputs) {
  Plan plan;
  make_plan(kernel, outputs, inputs, &plan);
  diopi::parallel_for(plan.numel, kernel.grain, [&](int64_t begin, int64_t end) {
    Blocks blocks;
    if (plan.inner() >= kShortRow) {
      RowRunner(plan, &blocks).run(begin, end);
    } else {
      BlockRunner(plan, &blocks).run(begin, end);
    }
  });
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
  if (all_packed(kernel, outputs, sources)) {
    run_packed(kernel, outputs, sources);
  } else {
    run_planned(kernel, outputs, sources);
  }
  return diopiSuccess;
}

Status separate_from(diopiContextHandle_t ctx, const TensorView& output, TensorView* view) {
  if (!diopi::may_overlap(output, *view)) return diopiSuccess;
  const TensorView original = *view;
  return materialize(ctx, original, view);
}

}  // namespace impl::cpu
