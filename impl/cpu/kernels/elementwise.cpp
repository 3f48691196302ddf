#include "elementwise.hpp"

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "block_io.hpp"

namespace impl::cpu {

namespace {

using diopi::kMaxDims;
constexpr int kMaxOperands = kMaxInputs + kMaxOutputs;
// Rows shorter than this are gathered into blocks that span several rows.
constexpr int64_t kShortRow = 64;

// One operand of the collapsed loop nest; strides in bytes, innermost dimension last.
struct Operand {
  char* data = nullptr;
  int itemsize = 0;
  bool linear = false;  // packed over the whole nest
  bool scalar = false;  // one element for the whole nest
  int64_t stride[kMaxDims];
  CastFn cast = nullptr;  // to (inputs) or from (outputs) the kernel's dtype; null where equal
  int kernel_size = 0;    // bytes per element as the kernel sees it
};

struct Plan {
  const ElementwiseKernel* kernel = nullptr;
  int ndim = 0;
  int64_t shape[kMaxDims];
  int64_t numel = 0;
  int count = 0;  // outputs first, then inputs
  Operand op[kMaxOperands];

  int64_t inner() const { return shape[ndim - 1]; }
};

void add_operand(Plan* plan, const TensorView& view, const Dims& shape, diopiDtype_t kernel_dtype, bool is_output) {
  Operand& op = plan->op[plan->count++];
  op.data = view.data;
  op.itemsize = view.itemsize();
  op.kernel_size = diopi::dtype_size(kernel_dtype);
  if (view.dtype != kernel_dtype) {
    op.cast = is_output ? cast_function(kernel_dtype, view.dtype) : cast_function(view.dtype, kernel_dtype);
  }
  const int lead = shape.n - view.ndim();
  for (int i = 0; i < shape.n; ++i) {
    const bool varies = i >= lead && view.shape[i - lead] == shape[i] && shape[i] != 1;
    op.stride[i] = varies ? view.stride[i - lead] * op.itemsize : 0;
  }
}

// Outermost first: larger strides outside, judged by the first operand that tells the two dimensions apart.
bool goes_outside(const Plan& plan, int a, int b) {
  for (int k = 0; k < plan.count; ++k) {
    const int64_t x = plan.op[k].stride[a], y = plan.op[k].stride[b];
    if (x == 0 || y == 0 || x == y) continue;
    return x > y;
  }
  return a < b;
}

void move_dim(Plan* plan, int from, int to) {
  plan->shape[to] = plan->shape[from];
  for (int k = 0; k < plan->count; ++k) plan->op[k].stride[to] = plan->op[k].stride[from];
}

void sort_dims(Plan* plan) {
  for (int i = 1; i < plan->ndim; ++i) {
    for (int j = i; j > 0 && goes_outside(*plan, j, j - 1); --j) {
      std::swap(plan->shape[j], plan->shape[j - 1]);
      for (int k = 0; k < plan->count; ++k) std::swap(plan->op[k].stride[j], plan->op[k].stride[j - 1]);
    }
  }
}

// Drops dimensions of extent 1 and merges neighbours that every operand walks as one.
void collapse(Plan* plan) {
  int n = 0;
  for (int i = 0; i < plan->ndim; ++i) {
    if (plan->shape[i] != 1) move_dim(plan, i, n++);
  }
  plan->ndim = n;
  sort_dims(plan);
  int last = 0;
  for (int i = 1; i < plan->ndim; ++i) {
    bool mergeable = true;
    for (int k = 0; k < plan->count && mergeable; ++k) {
      mergeable = plan->op[k].stride[last] == plan->op[k].stride[i] * plan->shape[i];
    }
    if (mergeable) {
      plan->shape[i] *= plan->shape[last];
      move_dim(plan, i, last);
    } else {
      move_dim(plan, i, ++last);
    }
  }
  plan->ndim = plan->ndim == 0 ? 0 : last + 1;
  if (plan->ndim == 0) {
    plan->ndim = 1;
    plan->shape[0] = 1;
    for (int k = 0; k < plan->count; ++k) plan->op[k].stride[0] = plan->op[k].itemsize;
  }
}

void classify(Plan* plan) {
  for (int k = 0; k < plan->count; ++k) {
    Operand& op = plan->op[k];
    int64_t packed = op.itemsize;
    op.linear = true;
    op.scalar = plan->numel > 1;
    for (int i = plan->ndim - 1; i >= 0; --i) {
      op.linear = op.linear && op.stride[i] == packed;
      op.scalar = op.scalar && op.stride[i] == 0;
      packed *= plan->shape[i];
    }
  }
}

// Walks a range of the nest in row-major order, for one thread.
class Walker {
 public:
  Walker(const Plan& plan, int64_t begin) : plan_(plan) {
    for (int i = plan.ndim - 1; i >= 0; --i) {
      index_[i] = begin % plan.shape[i];
      begin /= plan.shape[i];
    }
  }

  int64_t row_left() const { return plan_.inner() - index_[plan_.ndim - 1]; }

  char* address(const Operand& op) const {
    char* p = op.data;
    for (int i = 0; i < plan_.ndim; ++i) p += index_[i] * op.stride[i];
    return p;
  }

  // Advances by n <= row_left().
  void advance(int64_t n) {
    int i = plan_.ndim - 1;
    index_[i] += n;
    while (i > 0 && index_[i] == plan_.shape[i]) {
      index_[i] = 0;
      ++index_[--i];
    }
  }

 private:
  const Plan& plan_;
  int64_t index_[kMaxDims];
};

// Calls f(address, stride, offset, n) for each row segment of `op` in the n elements that start at `at`.
template <typename F>
void for_segments(const Operand& op, const Plan& plan, Walker at, int64_t n, F&& f) {
  for (int64_t done = 0; done < n;) {
    const int64_t part = std::min(n - done, at.row_left());
    f(at.address(op), op.stride[plan.ndim - 1], done, part);
    at.advance(part);
    done += part;
  }
}

class Runner {
 public:
  explicit Runner(const Plan& plan) : plan_(plan) {}

  void run(int64_t begin, int64_t end) {
    Walker walker(plan_, begin);
    const bool by_rows = plan_.inner() >= kShortRow;
    for (int64_t i = begin; i < end;) {
      const int64_t room = by_rows ? std::min(end - i, walker.row_left()) : end - i;
      const int64_t n = block(walker, i, room, by_rows);
      for (int64_t left = n; left > 0;) {
        const int64_t step = std::min(left, walker.row_left());
        walker.advance(step);
        left -= step;
      }
      i += n;
    }
  }

 private:
  // The operand's own memory where the kernel can work on it in place, else null.
  char* direct(const Operand& op, const Walker& at, int64_t linear_index, bool by_rows) const {
    if (op.cast != nullptr) return nullptr;
    if (op.linear) return op.data + linear_index * op.itemsize;
    return by_rows && op.stride[plan_.ndim - 1] == op.itemsize ? at.address(op) : nullptr;
  }

  // Processes up to `room` elements at `at`; returns how many.
  int64_t block(const Walker& at, int64_t linear_index, int64_t room, bool by_rows) {
    void* out[kMaxOutputs];
    const void* in[kMaxInputs];
    const int num_outputs = plan_.kernel->num_outputs;
    bool buffered = false;
    for (int k = 0; k < plan_.count; ++k) {
      char* p = direct(plan_.op[k], at, linear_index, by_rows);
      buffered = buffered || p == nullptr;
      if (k < num_outputs) {
        out[k] = p;
      } else {
        in[k - num_outputs] = p;
      }
    }
    const int64_t n = buffered ? std::min<int64_t>(room, kBlock) : room;
    for (int k = num_outputs; k < plan_.count; ++k) {
      const void*& p = in[k - num_outputs];
      if (p == nullptr) p = load(k, at, n, by_rows);
    }
    for (int k = 0; k < num_outputs; ++k) {
      if (out[k] == nullptr) out[k] = buffer_[k];
    }
    plan_.kernel->fn(out, in, n, plan_.kernel->params);
    for (int k = 0; k < num_outputs; ++k) {
      if (out[k] == buffer_[k]) store(plan_.op[k], buffer_[k], at, n);
    }
    return n;
  }

  const void* load(int k, const Walker& at, int64_t n, bool by_rows) {
    const Operand& op = plan_.op[k];
    char* const buffer = buffer_[k];
    if (op.scalar || (by_rows && op.stride[plan_.ndim - 1] == 0)) {
      const char* source = at.address(op);
      if (splat_of_[k] == source && splat_count_[k] >= n) return buffer;
      const char* element = source;
      if (op.cast != nullptr) {
        op.cast(staging_, source, 1);
        element = staging_;
      }
      splat(buffer, element, op.kernel_size, n);
      splat_of_[k] = source;
      splat_count_[k] = n;
      return buffer;
    }
    if (op.cast != nullptr && (op.linear || (by_rows && op.stride[plan_.ndim - 1] == op.itemsize))) {
      op.cast(buffer, at.address(op), n);
      return buffer;
    }
    char* const packed = op.cast != nullptr ? staging_ : buffer;
    for_segments(op, plan_, at, n, [&](const char* p, int64_t stride, int64_t offset, int64_t count) {
      gather(packed + offset * op.itemsize, p, stride, op.itemsize, count);
    });
    if (op.cast != nullptr) op.cast(buffer, staging_, n);
    return buffer;
  }

  void store(const Operand& op, const char* buffer, const Walker& at, int64_t n) {
    const char* packed = buffer;
    if (op.cast != nullptr) {
      op.cast(staging_, buffer, n);
      packed = staging_;
    }
    for_segments(op, plan_, at, n, [&](char* p, int64_t stride, int64_t offset, int64_t count) {
      scatter(p, stride, packed + offset * op.itemsize, op.itemsize, count);
    });
  }

  const Plan& plan_;
  const char* splat_of_[kMaxOperands] = {};
  int64_t splat_count_[kMaxOperands] = {};
  alignas(64) char staging_[kBlock * kMaxItemsize];
  alignas(64) char buffer_[kMaxOperands][kBlock * kMaxItemsize];
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
  plan.kernel = &kernel;
  plan.ndim = outputs[0].ndim();
  plan.numel = outputs[0].numel;
  std::copy(outputs[0].shape.begin(), outputs[0].shape.end(), plan.shape);
  for (int k = 0; k < kernel.num_outputs; ++k) add_operand(&plan, outputs[k], outputs[0].shape, kernel.out[k], true);
  for (int k = 0; k < kernel.num_inputs; ++k) add_operand(&plan, inputs[k], outputs[0].shape, kernel.in[k], false);
  collapse(&plan);
  classify(&plan);
  diopi::parallel_for(plan.numel, kernel.grain, [&](int64_t begin, int64_t end) { Runner(plan).run(begin, end); });
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
