// SPDX-License-Identifier: BSD-3-Clause
// diopiCustomizedFlashAttention and its gradients: a mask, a choice of layouts, and the dropout mask as bits.
#ifndef IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_HPP_
#define IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_HPP_

#include <cstring>
#include <initializer_list>

#include "arguments/attention.hpp"
#include "impl/common/allocate.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/families/attention_setup.hpp"
#include "impl/common/rules/shapes.hpp"
#include "impl/common/temporary.hpp"

namespace impl::DIOPI_VENDOR {

// Where the dimensions of a layout are. Layouts with three dimensions have heads and head size in the last one.
struct AttentionLayout {
  int batch, rows, heads;
  bool merged;

  explicit AttentionLayout(const char* name)
      : batch(std::strcmp(name, "SBH") == 0 ? 1 : 0),
        rows(std::strcmp(name, "SBH") == 0    ? 0
             : std::strcmp(name, "BNSD") == 0 ? 2
                                              : 1),
        heads(std::strcmp(name, "BNSD") == 0 ? 1 : 2),
        merged(std::strlen(name) == 3) {}

  // The tensor as [batch, rows, heads, head size].
  TensorView view(const TensorView& x, int64_t head_size) const {
    TensorView result = x;
    result.shape = result.stride = diopi::Dims();
    const int dims[] = {batch, rows, heads};
    for (const int dim : dims) {
      result.shape.push_back(merged && dim == heads ? x.shape[dim] / std::max<int64_t>(head_size, 1) : x.shape[dim]);
      result.stride.push_back(merged && dim == heads ? head_size * x.stride[dim] : x.stride[dim]);
    }
    result.shape.push_back(head_size);
    result.stride.push_back(x.stride[x.ndim() - 1]);
    return result;
  }
};

// Whether attention_mask hides keys. Without it, `window` does; the compressed form of the causal mask stands for j >
// i.
template <typename Args>
bool customized_mask(const Args& args, int64_t queries, int64_t keys, diopi::AttentionWindow* window) {
  constexpr int64_t kCompressed = 2048;
  const bool given = args.attention_mask.has_value();
  *window = attention_window(args.is_causal && !given, args.window_size_left, args.window_size_right);
  if (!given) return false;
  const TensorView& mask = *args.attention_mask;
  const bool square = mask.ndim() == 2 && mask.shape[0] == kCompressed && mask.shape[1] == kCompressed;
  if (!square || !args.is_causal || queries <= kCompressed || keys <= kCompressed) return true;
  *window = {-1, 0, true};
  return false;
}

struct CustomizedAttention {
  TensorView q, k, v, mask, slopes;
  AttentionLayout layout{"BSND"};
  bool has_mask = false, has_slopes = false;
  diopi::AttentionWindow window;
  int64_t head_size = 0;

  int64_t batch() const { return q.shape[0]; }
  int64_t queries() const { return q.shape[1]; }
  int64_t heads() const { return q.shape[2]; }
  int64_t keys() const { return k.shape[1]; }
  int64_t weights() const {
    return diopi::product_of(diopi::product_of(batch(), heads()), diopi::product_of(queries(), keys()));
  }

  template <typename Args>
  Status read(const Args& args) {
    layout = AttentionLayout(args.input_layout);
    const int ndim = layout.merged ? 3 : 4;
    for (const TensorView* x : {&args.q, &args.k}) {
      DIOPI_REQUIRE(x->ndim() == ndim, diopiErrorOccurred, "%s of shape %s has %d dimensions, expected %d with %s",
                    x->name, diopi::Text(x->shape).c_str(), x->ndim(), ndim, args.input_layout);
    }
    DIOPI_TRY(read_head_size(args.q, args.k, args.head_num));
    q = layout.view(args.q, head_size);
    k = layout.view(args.k, head_size);
    v = layout.view(args.v, head_size);
    const bool fits = q.shape[0] == k.shape[0] && k.shape[2] > 0 && q.shape[2] % k.shape[2] == 0;
    DIOPI_REQUIRE(fits, diopiErrorOccurred,
                  "k has %lld sequences and %lld heads, expected %lld sequences and a divisor of %lld heads of q",
                  static_cast<long long>(k.shape[0]), static_cast<long long>(k.shape[2]),
                  static_cast<long long>(q.shape[0]), static_cast<long long>(q.shape[2]));
    DIOPI_TRY(read_slopes(args));
    return read_mask(args);
  }

  AttentionProblem problem(double scale) const {
    AttentionProblem p{q, k, v, batch()};
    p.scale = scale;
    p.window = window;
    p.mask = has_mask ? &mask : nullptr;
    p.slopes = has_slopes ? &slopes : nullptr;
    return p;
  }

 private:
  Status read_head_size(const TensorView& x, const TensorView& y, int64_t head_num) {
    const int64_t wide = x.shape[x.ndim() - 1], other = y.shape[y.ndim() - 1];
    if (!layout.merged) {
      head_size = wide;
      DIOPI_REQUIRE(wide == other, diopiErrorOccurred, "k has the head size %lld, expected that of q, %lld",
                    static_cast<long long>(other), static_cast<long long>(wide));
      return diopiSuccess;
    }
    DIOPI_REQUIRE(head_num > 0 && wide % head_num == 0, diopiErrorOccurred,
                  "head_num is %lld, expected a divisor of %lld, the last extent of q",
                  static_cast<long long>(head_num), static_cast<long long>(wide));
    head_size = wide / head_num;
    DIOPI_REQUIRE(head_size > 0 && other % head_size == 0, diopiErrorOccurred,
                  "k has the last extent %lld, expected a multiple of the head size %lld that head_num = %lld gives",
                  static_cast<long long>(other), static_cast<long long>(head_size), static_cast<long long>(head_num));
    return diopiSuccess;
  }

  template <typename Args>
  Status read_slopes(const Args& args) {
    has_slopes = args.alibi_slopes.has_value();
    if (!has_slopes) return diopiSuccess;
    slopes = slopes_by_batch(*args.alibi_slopes);
    const bool fits = slopes.shape[1] == heads() && (args.alibi_slopes->ndim() == 1 || slopes.shape[0] == batch());
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "alibi_slopes has shape %s, expected [%lld] or [%lld, %lld]",
                  diopi::Text(args.alibi_slopes->shape).c_str(), static_cast<long long>(heads()),
                  static_cast<long long>(batch()), static_cast<long long>(heads()));
    return diopiSuccess;
  }

  template <typename Args>
  Status read_mask(const Args& args) {
    has_mask = customized_mask(args, queries(), keys(), &window);
    if (!has_mask) return diopiSuccess;
    mask = *args.attention_mask;
    DIOPI_REQUIRE(mask.ndim() == 2 || mask.ndim() == 4, diopiErrorOccurred,
                  "attention_mask of shape %s has %d dimensions, expected 2 or 4", diopi::Text(mask.shape).c_str(),
                  mask.ndim());
    while (mask.ndim() < 4) mask = mask.unsqueeze(0);
    diopi::Dims target;
    for (const int64_t n : {batch(), heads(), queries(), keys()}) target.push_back(n);
    return diopi::require_broadcasts_to(mask, target);
  }
};

// The bytes of the bits of all weights.
inline int64_t keep_bit_bytes(int64_t weights) { return (weights / 128 + (weights % 128 != 0)) * 16; }

// The first bit of each sequence.
inline std::vector<int64_t> first_bits(const CustomizedAttention& a) {
  std::vector<int64_t> result;
  for (int64_t b = 0; b < a.batch(); ++b) result.push_back(b * (a.weights() / a.batch()));
  return result;
}

// The outputs that the call creates.
struct CustomizedOutputs {
  static constexpr int64_t kCopies = 8;
  diopiTensorHandle_t mask = nullptr, max = nullptr, sum = nullptr, reserved = nullptr;
  TensorView bits, largest, total;

  // `rows` is the shape of the statistics without the copies.
  Status make(diopiContextHandle_t ctx, std::initializer_list<int64_t> rows, bool drops, int64_t weights,
              diopiDtype_t dtype) {
    diopi::Dims bytes, statistics, none;
    for (const int64_t n : rows) statistics.push_back(n);
    statistics.push_back(kCopies);
    bytes.push_back(keep_bit_bytes(weights));
    none.push_back(0);
    if (drops) {
      DIOPI_TRY(diopi::allocate_output(ctx, "dropout_mask", bytes, nullptr, diopi_dtype_uint8, &mask, &bits));
    }
    DIOPI_TRY(diopi::allocate_output(ctx, "softmax_max", statistics, nullptr, diopi_dtype_float32, &max, &largest));
    DIOPI_TRY(diopi::allocate_output(ctx, "softmax_sum", statistics, nullptr, diopi_dtype_float32, &sum, &total));
    TensorView unused;
    return diopi::allocate_output(ctx, "softmax_out", none, nullptr, dtype, &reserved, &unused);
  }

  template <typename Args>
  void store(const Args& args) const {
    *args.dropout_mask = mask;
    *args.softmax_max = max;
    *args.softmax_sum = sum;
    *args.softmax_out = reserved;
  }
};

// The bits of dropout_mask in a contiguous tensor.
inline Status read_keep_bits(diopiContextHandle_t ctx, TensorView mask, int64_t weights, TensorView* bits) {
  DIOPI_TRY(diopi::require_shape_like(&mask, {keep_bit_bytes(weights)}));
  *bits = mask;
  if (mask.is_contiguous()) return diopiSuccess;
  DIOPI_TRY(diopi::make_temporary(ctx, mask.shape, mask.dtype, mask.name, bits));
  return copy(ctx, *bits, mask);
}

inline Status run(diopiContextHandle_t ctx, diopi::CustomizedFlashAttentionArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.attention_out));
  CustomizedAttention a;
  DIOPI_TRY(a.read(args));
  const bool drops = args.p_dropout > 0;
  CustomizedOutputs made;
  DIOPI_TRY(made.make(ctx, {a.batch(), a.heads(), a.queries()}, drops, a.weights(), args.q.dtype));
  AttentionProblem problem = a.problem(args.softmax_scale);
  problem.dropout_p = args.p_dropout;
  const std::vector<int64_t> bits = first_bits(a);
  if (drops) {
    problem.keep_bits = &made.bits;
    problem.first_bit = bits.data();
  }
  const auto draw = [&]() -> Status {
    if (!drops) return diopiSuccess;
    diopi::RandomStream stream;
    DIOPI_TRY(diopi::reserve_random(ctx, args.gen, a.weights(), &stream));
    return fill_keep_bits(ctx, made.bits, a.weights(), args.p_dropout, stream);
  };
  const TensorView out = a.layout.view(args.attention_out, a.head_size);
  const diopi::AttentionStatistics statistics{nullptr, &made.largest, &made.total};
  DIOPI_TRY(diopi::run_steps(draw, [&] { return run_attention(ctx, problem, out, statistics); }));
  made.store(args);
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::CustomizedFlashAttentionBackwardArgs& args) {
  DIOPI_TRY(diopi::require_writable({&args.grad_q, &args.grad_k, &args.grad_v}));
  CustomizedAttention a;
  DIOPI_TRY(a.read(args));
  DIOPI_TRY(
      diopi::require_shape_like(&args.softmax_max, {a.batch(), a.heads(), a.queries(), CustomizedOutputs::kCopies}));
  AttentionProblem problem = a.problem(args.softmax_scale);
  problem.dropout_p = args.p_dropout;
  const std::vector<int64_t> bits = first_bits(a);
  TensorView packed;
  if (args.p_dropout > 0) {
    DIOPI_TRY(read_keep_bits(ctx, *args.dropout_mask, a.weights(), &packed));
    problem.keep_bits = &packed;
    problem.first_bit = bits.data();
  }
  const auto view = [&](const TensorView& x) { return a.layout.view(x, a.head_size); };
  const TensorView grad_out = view(args.grad_output), out = view(args.attention_out), grad_q = view(args.grad_q);
  const TensorView grad_k = view(args.grad_k), grad_v = view(args.grad_v);
  return run_attention_backward(ctx, problem, {nullptr, &args.softmax_max, &args.softmax_sum},
                                {grad_out, out, grad_q, grad_k, grad_v});
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_ATTENTION_CUSTOMIZED_HPP_
