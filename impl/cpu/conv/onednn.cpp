// SPDX-License-Identifier: BSD-3-Clause
// Convolutions through oneDNN: float32, and bfloat16 if the processor has instructions for it.
//
// Operands whose channels are adjacent are used in place. oneDNN may reorder other operands to its own blocked layouts.
#include "impl/cpu/conv/onednn.hpp"

#include <string>

#include "impl/common/channels_last.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/pairwise_sum.hpp"
#include "impl/cpu/onednn/compat.hpp"

namespace impl::cpu {
namespace {

using dnnl::memory;

memory::dims dims_of(const int64_t* values, int n, int64_t minus = 0) {
  memory::dims result(values, values + n);
  for (auto& v : result) v -= minus;
  return result;
}

// The parameters of a convolution primitive after its memory descriptors.
struct Parameters {
  explicit Parameters(const ConvGeometry& g)
      : stride(dims_of(g.stride, g.spatial)),
        dilation(dims_of(g.dilation, g.spatial, 1)),
        padding(dims_of(g.padding, g.spatial)),
        padding_end(padding) {
    for (int i = 0; i < g.spatial; ++i) {
      padding[static_cast<size_t>(i)] -= g.cut_begin[i];
      padding_end[static_cast<size_t>(i)] -= g.cut_end[i];
    }
  }
  memory::dims stride, dilation, padding, padding_end;
};

// The view's own layout. A dimension of extent 1 gets the stride that it would have in a packed tensor.
memory::desc own_desc(TensorView view) {
  TensorView plain = view;
  if (view.is_contiguous()) {
    plain.stride = diopi::contiguous_strides(view.shape);
  } else if (is_channels_last(view)) {
    plain.stride = diopi::channels_last_strides(view.shape);
    for (int dim = 0; dim < view.ndim(); ++dim) {
      if (view.shape[dim] != 1 && view.stride[dim] != plain.stride[dim]) return onednn::memory_desc(view);
    }
  }
  return onednn::memory_desc(plain);
}

memory::desc weight_desc(const TensorView& weight, int64_t groups) {
  if (groups == 1) return onednn::memory_desc(weight);
  TensorView grouped = weight.unsqueeze(0);
  grouped.shape[0] = groups;
  grouped.shape[1] = weight.shape[0] / groups;
  grouped.stride[0] = weight.stride[0] * grouped.shape[1];
  return onednn::memory_desc(grouped);
}

// The layout of src and dst for the primitive: channels last is kept, otherwise oneDNN chooses the layout.
memory::desc wanted_desc(const TensorView& view, bool channels_last) {
  using tag = memory::format_tag;
  constexpr tag kTags[] = {tag::nwc, tag::nhwc, tag::ndhwc};
  return memory::desc(dims_of(view.shape.v, view.ndim()), onednn::data_type(view.dtype),
                      channels_last ? kTags[view.ndim() - 3] : tag::any);
}

memory::desc wanted_weight(const TensorView& weight, int64_t groups, memory::data_type type) {
  memory::dims dims = dims_of(weight.shape.v, weight.ndim());
  if (groups > 1) {
    dims[0] /= groups;
    dims.insert(dims.begin(), groups);
  }
  return memory::desc(dims, type, memory::format_tag::any);
}

struct Wanted {
  explicit Wanted(const ConvProblem& p) : Wanted(p, is_channels_last(p.src) || is_channels_last(p.dst)) {}
  Wanted(const ConvProblem& p, bool last) {
    src = wanted_desc(p.src, last);
    dst = wanted_desc(p.dst, last);
    weight = wanted_weight(p.weight, p.geometry.groups, onednn::data_type(p.weight.dtype));
  }
  memory::desc src, weight, dst;
};

dnnl::convolution_forward::primitive_desc forward_desc(const ConvProblem& p, const Wanted& w,
                                                       const memory::desc* bias) {
  const Parameters k(p.geometry);
  const auto kind = dnnl::prop_kind::forward_training;
  const auto algorithm = dnnl::algorithm::convolution_direct;
  const auto attributes = onednn::default_attributes();
  const auto& engine = onednn::cpu_engine();
  if (bias != nullptr) {
    return onednn::make_desc<dnnl::convolution_forward>(engine, attributes, kind, algorithm, w.src, w.weight, *bias,
                                                        w.dst, k.stride, k.dilation, k.padding, k.padding_end);
  }
  return onednn::make_desc<dnnl::convolution_forward>(engine, attributes, kind, algorithm, w.src, w.weight, w.dst,
                                                      k.stride, k.dilation, k.padding, k.padding_end);
}

bool name_has(const dnnl::primitive_desc_base& pd, const char* part) {
  return std::string(pd.impl_info_str()).find(part) != std::string::npos;
}

// Whether oneDNN multiplies batches of blocks of an image. It chooses the blocks for the number of threads, and the
// order of a sum depends on the block.
bool has_blocks_of_threads(const dnnl::primitive_desc_base& pd) { return name_has(pd, "brgconv:"); }

// Whether a window moves on by at least as many rows or planes as `more` plus those that it reaches over.
bool moves_on(const ConvProblem& p, int64_t more) {
  for (int i = 0; i + 1 < p.geometry.spatial; ++i) {
    const int64_t reach = (p.weight.shape[i + 2] - 1) * p.geometry.dilation[i] + 1;
    if (p.geometry.stride[i] >= reach + more) return true;
  }
  return false;
}

// Goes on to the next implementation whose name does not have `part`.
template <class Desc>
void skip_kernels(Desc& pd, const char* part) {
  while (name_has(pd, part)) {
    if (!pd.next_impl()) throw dnnl::error(dnnl_unimplemented, "the only implementation would use the wrong rows");
  }
}

// The part of a kernel's name that the kernels of oneDNN 2.6 have which multiply blocks of an image by AMX.
const char* block_kernels(const ConvProblem& p) {
  return p.geometry.spatial == 3 ? "brgconv" : "brgconv:";  // in two dimensions brgconv_1x1 is right
}

// Whether such a kernel would read and write the wrong rows, also outside of its memory: in three dimensions if windows
// do not overlap in planes or in rows, in two if windows of more than one element leave rows between them.
bool uses_wrong_rows(const dnnl::primitive_desc_base& pd, const ConvProblem& p) {
  return name_has(pd, "amx") && name_has(pd, block_kernels(p)) && moves_on(p, p.geometry.spatial == 3 ? 0 : 1);
}

// Throws if oneDNN would multiply matrices of unfolded images, for which it chooses blocks in the same way.
void refuse_unfolded(const dnnl::primitive_desc_base& pd) {
  const std::string name = pd.impl_info_str();  // "x64:gemm:jit"; "brgemm" is another algorithm
  const size_t at = name.find("gemm");
  if (at == std::string::npos || (at >= 2 && name.compare(at - 2, 2, "br") == 0)) return;
  throw dnnl::error(dnnl_unimplemented, "the order of sums would depend on the number of threads");
}

// Returns the memory that the primitive writes: `slot` if it has the layout `written`, otherwise a temporary.
int output_of(onednn::Program& program, int slot, const memory::desc& written) {
  return program.desc(slot) == written ? slot : program.temporary(written);
}

void build_forward(onednn::Program& program, const void* problem) {
  const ConvProblem& p = *static_cast<const ConvProblem*>(problem);
  const Wanted wanted(p);
  const int src = program.slot(own_desc(p.src)), dst = program.slot(own_desc(p.dst));
  const int weight = program.slot(weight_desc(p.weight, p.geometry.groups));
  int bias = -1;
  if (p.bias != nullptr) bias = program.slot(onednn::memory_desc(*p.bias));
  const memory::desc bias_desc = bias >= 0 ? program.desc(bias) : memory::desc();
  const memory::desc* const added = bias >= 0 ? &bias_desc : nullptr;
  auto pd = forward_desc(p, wanted, added);
  // next_impl() divides by 0 for some channels-last operands.
  const bool is_wrong = uses_wrong_rows(pd, p);
  if (is_wrong || has_blocks_of_threads(pd)) pd = forward_desc(p, Wanted(p, false), added);
  if (is_wrong) skip_kernels(pd, block_kernels(p));
  refuse_unfolded(pd);
  const int in = program.reordered_input(src, pd.src_desc());
  const int filter = program.reordered_input(weight, pd.weights_desc());
  const int out = output_of(program, dst, pd.dst_desc());
  const dnnl::convolution_forward primitive(pd);
  if (bias >= 0) {
    program.step(pd, primitive,
                 {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_BIAS, bias}, {DNNL_ARG_DST, out}});
  } else {
    program.step(pd, primitive, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DST, out}});
  }
  if (out != dst) program.reorder(out, dst);
}

void build_backward_data(onednn::Program& program, const void* problem) {
  const ConvProblem& p = *static_cast<const ConvProblem*>(problem);
  const Wanted w(p);
  const Parameters k(p.geometry);
  const int src = program.slot(own_desc(p.src)), dst = program.slot(own_desc(p.dst));
  const int weight = program.slot(weight_desc(p.weight, p.geometry.groups));
  const auto forward = forward_desc(p, w, nullptr);  // next_impl() reads it
  auto pd = onednn::make_backward_desc<dnnl::convolution_backward_data>(
      onednn::cpu_engine(), onednn::default_attributes(), forward, dnnl::algorithm::convolution_direct, w.src, w.weight,
      w.dst, k.stride, k.dilation, k.padding, k.padding_end);
  if (p.geometry.spatial == 3) skip_kernels(pd, "amx");  // those of oneDNN 2.6 write the wrong planes
  refuse_unfolded(pd);
  const int grad = program.reordered_input(dst, pd.diff_dst_desc());
  const int filter = program.reordered_input(weight, pd.weights_desc());
  const int out = output_of(program, src, pd.diff_src_desc());
  program.step(pd, dnnl::convolution_backward_data(pd),
               {{DNNL_ARG_DIFF_DST, grad}, {DNNL_ARG_WEIGHTS, filter}, {DNNL_ARG_DIFF_SRC, out}});
  if (out != src) program.reorder(out, src);
}

// oneDNN accepts no stride of 0: an operand that repeats elements is copied.
Status copy_if_repeated(diopiContextHandle_t ctx, TensorView* view) {
  bool repeats = false;
  for (int dim = 0; dim < view->ndim(); ++dim) {
    repeats = repeats || (view->stride[dim] == 0 && view->shape[dim] > 1);
  }
  if (!repeats) return diopiSuccess;
  const TensorView source = *view;
  return packed_copy(ctx, source, view);
}

Status copy_repeated_operands(ConvProblem* p, TensorView* bias) {
  for (TensorView* view : {&p->src, &p->weight, &p->dst}) {
    if (view != &p->result()) DIOPI_TRY(copy_if_repeated(p->ctx, view));
  }
  if (p->bias == nullptr) return diopiSuccess;
  *bias = *p->bias;
  if (bias->stride[0] != 1) DIOPI_TRY(packed_copy(p->ctx, *p->bias, bias));
  bias->stride[0] = 1;
  p->bias = bias;
  return diopiSuccess;
}

// Whether strides, dilation and padded extents fit 32 bits, which oneDNN uses for them.
bool is_narrow(const ConvProblem& p) {
  for (int i = 0; i < p.geometry.spatial; ++i) {
    const int64_t padded = p.src.shape[i + 2] + 2 * p.geometry.padding[i];  // cannot overflow
    if (padded > INT32_MAX || p.geometry.stride[i] > INT32_MAX || p.geometry.dilation[i] > INT32_MAX) return false;
  }
  return true;
}

// The kernel's positions that meet one element of the convolution's input: a stride passes over the others. All
// positions of a dilated kernel count, which may be more than meet the element.
int64_t positions_at_input(const ConvProblem& p) {
  int64_t positions = 1;
  for (int i = 0; i < p.geometry.spatial; ++i) {
    const int64_t step = p.geometry.dilation[i] == 1 ? p.geometry.stride[i] : 1;
    positions *= (p.weight.shape[i + 2] - 1) / step + 1;
  }
  return positions;
}

// Whether the sums of a convolution, or of the gradient of its input, have too many terms. The limits are one for all
// terms and one for each channel, because oneDNN adds the terms of a channel one after another.
bool has_long_sums(const ConvProblem& p) {
  constexpr int64_t kLongestOfChannel = 2048;
  if (p.kind == ConvKind::kBackwardWeights) return false;
  int64_t positions = 1;
  for (int dim = 2; dim < p.weight.ndim(); ++dim) positions *= p.weight.shape[dim];
  if (positions > kLongestOfChannel) return true;
  if (p.kind == ConvKind::kForward) return positions * p.weight.shape[1] > kLongestSum;
  return positions_at_input(p) * (p.weight.shape[0] / p.geometry.groups) > kLongestSum;
}

}  // namespace

namespace {

dnnl::convolution_backward_weights::primitive_desc weights_desc(const ConvProblem& p) {
  const Wanted w(p);
  const Parameters k(p.geometry);
  ConvProblem forward = p;
  forward.weight.dtype = p.src.dtype;
  const Wanted hint(forward);
  return onednn::make_backward_desc<dnnl::convolution_backward_weights>(
      onednn::cpu_engine(), onednn::default_attributes(), forward_desc(forward, hint, nullptr),
      dnnl::algorithm::convolution_direct, w.src, w.weight, w.dst, k.stride, k.dilation, k.padding, k.padding_end);
}

// `images` is the layout of src.
void build_weights(onednn::Program& program, const ConvProblem& p, const memory::desc& images) {
  const auto pd = weights_desc(p);
  const int src = program.slot(images), dst = program.slot(own_desc(p.dst));
  const int weight = program.slot(weight_desc(p.weight, p.geometry.groups));
  const int in = program.reordered_input(src, pd.src_desc());
  const int grad = program.reordered_input(dst, pd.diff_dst_desc());
  const int out = output_of(program, weight, pd.diff_weights_desc());
  program.step(pd, dnnl::convolution_backward_weights(pd),
               {{DNNL_ARG_SRC, in}, {DNNL_ARG_DIFF_DST, grad}, {DNNL_ARG_DIFF_WEIGHTS, out}});
  if (out != weight) program.reorder(out, weight);
}

}  // namespace

void build_backward_weights(onednn::Program& program, const void* problem) {
  const ConvProblem& p = *static_cast<const ConvProblem*>(problem);
  build_weights(program, p, own_desc(p.src));
}

void build_images(onednn::Program& program, const void* problem) {
  const ConvProblem& p = *static_cast<const ConvProblem*>(problem);
  program.reordered_input(program.slot(own_desc(p.src)), weights_desc(p).src_desc());
}

void build_weights_of_images(onednn::Program& program, const void* problem) {
  const ImagesAndChannels& p = *static_cast<const ImagesAndChannels*>(problem);
  build_weights(program, p.channels, weights_desc(p.images).src_desc());
}

onednn::Key conv_key(const ConvProblem& p) {
  const ConvGeometry& g = p.geometry;
  onednn::Key key(static_cast<int64_t>(dnnl::primitive::kind::convolution) * 8 + static_cast<int64_t>(p.kind));
  key.add(p.src);
  key.add(p.weight);
  key.add(p.dst);
  key.add({g.groups, p.bias != nullptr});
  for (int i = 0; i < g.spatial; ++i) key.add({g.stride[i], g.padding[i], g.dilation[i], g.cut_begin[i], g.cut_end[i]});
  return key;
}

SkipReason conv_onednn(const ConvProblem& problem, Status* status) {
  const diopiDtype_t dtype = problem.src.dtype;
  if (dtype != diopi_dtype_float32 && dtype != diopi_dtype_bfloat16) {
    return "oneDNN is used only for float32 and bfloat16";
  }
  if (dtype == diopi_dtype_bfloat16 && !onednn::multiplies_bfloat16()) {
    return "the processor has no bfloat16 products";
  }
  if (!is_narrow(problem)) return "a stride, dilation or padded extent exceeds 32 bits";
  if (has_long_sums(problem)) return "oneDNN would add too many terms one after another";
  ConvProblem p = problem;
  TensorView bias;
  *status = copy_repeated_operands(&p, &bias);
  if (!status->ok()) return nullptr;
  if (p.kind == ConvKind::kBackwardWeights) return conv_onednn_weights(p, status);
  void* const slots[] = {p.src.data, p.dst.data, p.weight.data, p.bias != nullptr ? p.bias->data : nullptr};
  const auto build = p.kind == ConvKind::kForward ? build_forward : build_backward_data;
  return onednn::run(conv_key(p), build, &p, p.ctx, slots, status);
}

}  // namespace impl::cpu
