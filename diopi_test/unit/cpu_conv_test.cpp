// SPDX-License-Identifier: BSD-3-Clause
// Each implementation of convolutions by its name: it computes the convolution or gradient, or it declines and writes
// nothing. Elements are small whole numbers, so every order of the terms gives the same sum.
#include "impl/cpu/conv/conv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "diopi_test/unit/strided_tensor.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using diopi::bfloat16;
using diopi::float16;
using engine_test::Shape;
using engine_test::StridedTensor;

constexpr Candidate<ConvProblem> kImplementations[] = {
    {"1x1", conv_1x1}, {"onednn", conv_onednn}, {"im2col", conv_im2col}, {"patches", conv_patches}};
constexpr ConvKind kKinds[] = {ConvKind::kForward, ConvKind::kBackwardData, ConvKind::kBackwardWeights};

enum class Layout { kPacked, kChannelsLast, kGaps, kReversed, kRepeated };

// kGaps has gaps behind the rows, kReversed has the first dimension innermost, kRepeated repeats the first slice.
Shape strides(const Shape& shape, Layout layout) {
  std::vector<int> order(shape.size());
  std::iota(order.rbegin(), order.rend(), 0);
  if (layout == Layout::kReversed) std::iota(order.begin(), order.end(), 0);
  if (layout == Layout::kChannelsLast && shape.size() > 2) {
    order.erase(order.end() - 2);
    order.insert(order.begin(), 1);
  }
  Shape result = engine_test::strides_of(shape, order, 1, layout == Layout::kGaps ? 3 : 0);
  if (layout == Layout::kRepeated) result[0] = 0;
  return result;
}

struct Case {
  int64_t images, inputs, outputs, groups;
  Shape in, kernel;
  int64_t stride = 1, padding = 0, dilation = 1;
  Layout src = Layout::kPacked, weight = Layout::kPacked, dst = Layout::kPacked;
  bool bias = false;

  Shape out() const {
    Shape result;
    for (size_t i = 0; i < in.size(); ++i) {
      result.push_back((in[i] + 2 * padding - dilation * (kernel[i] - 1) - 1) / stride + 1);
    }
    return result;
  }
};

Shape with(int64_t first, int64_t second, const Shape& rest) {
  Shape result{first, second};
  result.insert(result.end(), rest.begin(), rest.end());
  return result;
}

// The operands of a convolution. `result()` of a problem is one of them, which is overwritten.
template <typename T>
struct Operands {
  Operands(const Case& c, std::mt19937* random)
      : src(shape_of(c, 0), strides(shape_of(c, 0), c.src)),
        weight(shape_of(c, 1), strides(shape_of(c, 1), c.weight)),
        dst(shape_of(c, 2), strides(shape_of(c, 2), c.dst)),
        bias({c.outputs}, {1}) {
    for (StridedTensor<T>* tensor : {&src, &weight, &dst, &bias}) tensor->fill(random, 3);
  }
  static Shape shape_of(const Case& c, int operand) {
    if (operand == 0) return with(c.images, c.inputs, c.in);
    if (operand == 1) return with(c.outputs, c.inputs / c.groups, c.kernel);
    return with(c.images, c.outputs, c.out());
  }
  StridedTensor<T>& result(ConvKind kind) {
    return kind == ConvKind::kForward ? dst : kind == ConvKind::kBackwardData ? src : weight;
  }
  // Runs an implementation; returns its reason for declining.
  SkipReason run(const Candidate<ConvProblem>& implementation, const Case& c, ConvKind kind) {
    const engine_test::Context ctx;
    ConvProblem p;
    p.ctx = ctx.get();
    p.kind = kind;
    p.geometry.spatial = static_cast<int>(c.in.size());
    p.geometry.groups = c.groups;
    for (int i = 0; i < p.geometry.spatial; ++i) {
      p.geometry.stride[i] = c.stride;
      p.geometry.padding[i] = c.padding;
      p.geometry.dilation[i] = c.dilation;
    }
    p.src = src.view();
    p.weight = weight.view();
    p.dst = dst.view();
    const diopi::TensorView bias_view = bias.view();
    if (c.bias && kind == ConvKind::kForward) p.bias = &bias_view;
    diopi::Status status;
    const SkipReason reason = implementation.run(p, &status);
    EXPECT_EQ(status, diopiSuccess) << implementation.name;
    return reason;
  }

  StridedTensor<T> src, weight, dst, bias;
};

// Calls f(src, weight, dst) with the numbers of the elements of each term of the convolution.
template <typename F>
void for_each_term(const Case& c, const F& f) {
  const Shape out = c.out();
  const int64_t outs = engine_test::count_of(out), ins = engine_test::count_of(c.in),
                taps = engine_test::count_of(c.kernel);
  const int64_t channels = c.inputs / c.groups, of_group = c.outputs / c.groups;
  for (int64_t position = 0; position < outs * taps; ++position) {
    int64_t o = position / taps, k = position % taps, at = 0, step = 1;
    const int64_t o_at = o, k_at = k;
    bool inside = true;
    for (size_t dim = out.size(); dim-- > 0;) {
      const int64_t x = o % out[dim] * c.stride + k % c.kernel[dim] * c.dilation - c.padding;
      o /= out[dim];
      k /= c.kernel[dim];
      inside = inside && x >= 0 && x < c.in[dim];
      at += x * step;
      step *= c.in[dim];
    }
    if (!inside) continue;
    for (int64_t item = 0; item < c.images * c.outputs * channels; ++item) {
      const int64_t n = item / (c.outputs * channels), channel = item % channels, to = item / channels % c.outputs;
      const int64_t from = to / of_group * channels + channel;
      f((n * c.inputs + from) * ins + at, (to * channels + channel) * taps + k_at, (n * c.outputs + to) * outs + o_at);
    }
  }
}

template <typename T>
std::vector<engine_test::Wide<T>> convolution(const Case& c, ConvKind kind, Operands<T>* o) {
  std::vector<engine_test::Wide<T>> result(static_cast<size_t>(o->result(kind).size()));
  const int64_t outs = engine_test::count_of(c.out());
  if (kind == ConvKind::kForward && c.bias) {
    for (size_t i = 0; i < result.size(); ++i) {
      result[i] = engine_test::widened(o->bias.get(static_cast<int64_t>(i) / outs % c.outputs));
    }
  }
  for_each_term(c, [&](int64_t s, int64_t w, int64_t d) {
    const auto src = engine_test::widened(o->src.get(s)), weight = engine_test::widened(o->weight.get(w));
    if (kind == ConvKind::kForward) {
      result[d] += src * weight;
    } else if (kind == ConvKind::kBackwardData) {
      result[s] += engine_test::widened(o->dst.get(d)) * engine_test::conjugate(weight);
    } else {
      result[w] += engine_test::widened(o->dst.get(d)) * engine_test::conjugate(src);
    }
  });
  return result;
}

bool is_product(const Case& c) {
  return engine_test::count_of(c.kernel) == 1 && c.stride == 1 && c.padding == 0 && c.groups == 1;
}

// Whether the convolution has no padding, and a window of several elements that does not overlap the next one.
bool has_patches(const Case& c, ConvKind kind) {
  const int64_t taps = engine_test::count_of(c.kernel), fewest = kind == ConvKind::kBackwardWeights ? 128 : 16;
  bool apart = c.padding == 0 && c.groups == 1 && taps > 1 && c.outputs >= fewest && c.inputs * taps >= fewest;
  for (size_t i = 0; i < c.kernel.size(); ++i) {
    apart = apart && (c.out()[i] == 1 || c.kernel[i] == 1 || (c.dilation == 1 && c.kernel[i] <= c.stride));
  }
  return apart;
}

// Whether an implementation must accept packed operands of this dtype.
bool computes(const std::string& name, const Case& c, ConvKind kind, diopiDtype_t dtype) {
  if (name == "1x1") {
    const bool gradient = kind != ConvKind::kForward && dtype == diopi_dtype_bfloat16;
    const bool wide = dtype == diopi_dtype_float32 || (dtype == diopi_dtype_float64 && kind == ConvKind::kForward);
    return is_product(c) && (wide || (gradient && std::min(c.inputs, c.outputs) >= 32));
  }
  if (name == "im2col") return true;
  if (name == "patches") return dtype == diopi_dtype_float32 && has_patches(c, kind);
  return dtype == diopi_dtype_float32 || (dtype == diopi_dtype_bfloat16 && onednn::multiplies_bfloat16());
}

// oneDNN declines what it would compute in blocks for the number of threads, and, with AMX, what its only kernel would
// compute wrongly. Which problems these are, the processor decides.
bool has_no_usable_kernel(SkipReason reason) {
  return std::strstr(reason, "depend on the number of threads") != nullptr ||
         std::strstr(reason, "the only implementation would") != nullptr;
}

template <typename T>
void expect_case(const Case& c, std::mt19937* random) {
  for (const ConvKind kind : kKinds) {
    Case call = c;  // a result must not repeat elements
    for (Layout* layout : {&call.src, &call.weight, &call.dst}) {
      const bool is_result = layout == (kind == ConvKind::kForward        ? &call.dst
                                        : kind == ConvKind::kBackwardData ? &call.src
                                                                          : &call.weight);
      if (is_result && *layout == Layout::kRepeated) *layout = Layout::kGaps;
    }
    Operands<T> start(call, random);
    const std::vector<engine_test::Wide<T>> want = convolution(call, kind, &start);
    for (const Candidate<ConvProblem>& implementation : kImplementations) {
      SCOPED_TRACE(::testing::Message() << diopi::dtype_name(diopi::dtype_of<T>) << " kind " << static_cast<int>(kind)
                                        << ", " << c.in.size() << " dimensions, " << c.inputs << " to " << c.outputs
                                        << " channels, layouts " << static_cast<int>(call.src)
                                        << static_cast<int>(call.weight) << static_cast<int>(call.dst));
      Operands<T> o = start;
      const SkipReason reason = o.run(implementation, call, kind);
      const bool known = computes(implementation.name, c, kind, diopi::dtype_of<T>);
      if (reason == nullptr) {
        ASSERT_TRUE(known) << implementation.name;
        engine_test::expect_elements(o.result(kind), want, implementation.name);
        continue;
      }
      const bool packed = call.src == Layout::kPacked && call.weight == Layout::kPacked && call.dst == Layout::kPacked;
      ASSERT_FALSE(known && packed && !has_no_usable_kernel(reason)) << implementation.name << " declines: " << reason;
      ASSERT_STRNE(reason, "") << implementation.name;
      ASSERT_TRUE(o.result(kind).bytes() == start.result(kind).bytes())
          << implementation.name << " declines, but writes";
    }
  }
}

// Products; one to three dimensions; stride, padding and dilation; groups and single channels of groups.
const Case kShapes[] = {
    {1, 1, 1, 1, {1}, {1}},
    {2, 5, 7, 1, {6}, {1}},
    {3, 8, 16, 1, {4, 5}, {1, 1}},
    {3, 33, 40, 1, {4, 5}, {1, 1}},
    {2, 3, 5, 1, {17}, {3}, 2, 1, 1},
    {2, 4, 6, 2, {9, 8}, {3, 2}, 1, 1, 1},
    {1, 16, 16, 1, {11, 7}, {3, 3}, 1, 1, 2},
    {2, 6, 6, 6, {8, 9}, {3, 3}, 2, 1, 1},
    {2, 4, 8, 4, {5, 6}, {2, 3}, 3, 2, 1},
    {2, 2, 3, 1, {4, 5, 6}, {2, 3, 2}, 2, 1, 1},
    {1, 3, 4, 1, {40}, {5}, 1, 4, 3},
    {70, 2, 2, 1, {3, 3}, {2, 2}},
    {1, 1, 2, 1, {3000}, {7}, 1, 3, 1},
    {2, 16, 20, 1, {8, 6}, {2, 3}, 3},
    {2, 32, 130, 1, {5, 6}, {2, 2}, 2},
    {1, 20, 16, 1, {4, 9}, {4, 1}, 2},
    {3, 8, 17, 1, {14}, {2}, 2},
    {2, 4, 16, 1, {5, 4, 7}, {2, 2, 2}, 2},
};

template <typename T>
void expect_shapes(int rounds) {
  std::mt19937 random(17);
  for (const Case& shape : kShapes) {
    expect_case<T>(shape, &random);
    for (int round = 0; round < rounds; ++round) {
      Case c = shape;
      for (Layout* layout : {&c.src, &c.weight, &c.dst}) *layout = static_cast<Layout>(random() % 5);
      c.bias = round % 2 == 0;
      expect_case<T>(c, &random);
    }
  }
}

class CpuConv : public engine_test::EngineTest {};

TEST_F(CpuConv, each_implementation_computes_float_convolutions_and_gradients_or_declines) { expect_shapes<float>(1); }

TEST_F(CpuConv, each_implementation_computes_other_dtypes_or_declines) {
  expect_shapes<double>(3);
  expect_shapes<diopi::complex64>(1);
  expect_shapes<diopi::complex128>(1);
}

TEST_F(CpuConv, results_of_reduced_floats_are_rounded_once) {
  expect_shapes<bfloat16>(1);
  expect_shapes<float16>(1);
}

template <typename T>
void expect_bits_do_not_depend_on_threads(const Case& c) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  for (const ConvKind kind : kKinds) {
    Operands<T> start(c, &random);
    for (StridedTensor<T>* operand : {&start.src, &start.weight, &start.dst}) {
      for (int64_t i = 0; i < operand->size(); ++i) operand->set(i, T(normal(random)));
    }
    for (const Candidate<ConvProblem>& implementation : kImplementations) {
      if (!computes(implementation.name, c, kind, diopi::dtype_of<T>)) continue;
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind));
      engine_test::expect_same_bits(implementation.name, [&] {
        Operands<T> o = start;
        const SkipReason reason = o.run(implementation, c, kind);
        EXPECT_TRUE(reason == nullptr || has_no_usable_kernel(reason))
            << implementation.name << " declines: " << reason;
        return o.result(kind).bytes();
      });
    }
  }
}

TEST_F(CpuConv, the_bits_of_a_result_do_not_depend_on_the_number_of_threads) {
  expect_bits_do_not_depend_on_threads<float>({3, 24, 40, 1, {19, 23}, {1, 1}});
  expect_bits_do_not_depend_on_threads<float>({5, 8, 20, 1, {21, 30}, {3, 3}, 1, 1, 1});
  expect_bits_do_not_depend_on_threads<float>({2, 24, 40, 1, {90, 62}, {3, 3}, 1, 1, 1});
  expect_bits_do_not_depend_on_threads<float>({3, 24, 40, 1, {42, 60}, {2, 2}, 2});
  expect_bits_do_not_depend_on_threads<float>({3, 48, 160, 1, {42, 60}, {2, 2}, 2});
  expect_bits_do_not_depend_on_threads<float>({1, 51, 6, 3, {6, 8}, {3, 2}, 1, 1});
  expect_bits_do_not_depend_on_threads<float>({3, 34, 34, 2, {17, 6}, {3, 1}, 3});
  expect_bits_do_not_depend_on_threads<float>({2, 1, 8, 1, {3, 5}, {1, 2}, 2, 1, 2});
  expect_bits_do_not_depend_on_threads<double>({3, 8, 12, 2, {15, 16}, {3, 3}, 2, 1, 1});
  expect_bits_do_not_depend_on_threads<bfloat16>({2, 16, 16, 1, {21, 18}, {3, 3}, 1, 1, 1});
  expect_bits_do_not_depend_on_threads<bfloat16>({3, 40, 48, 1, {29, 27}, {1, 1}});
}

Case channels_last(Case c) {
  c.src = c.dst = Layout::kChannelsLast;
  return c;
}

TEST_F(CpuConv, the_bits_of_channels_last_do_not_depend_on_the_number_of_threads) {
  expect_bits_do_not_depend_on_threads<float>(channels_last({1, 96, 64, 1, {6, 29}, {4, 1}, 1, 2}));
  expect_bits_do_not_depend_on_threads<float>(channels_last({2, 64, 64, 1, {15, 20}, {4, 3}, 1, 2}));
  expect_bits_do_not_depend_on_threads<float>(channels_last({1, 8, 32, 1, {17, 14}, {4, 3}, 1, 2}));
  expect_bits_do_not_depend_on_threads<float>(channels_last({1, 32, 40, 1, {38, 28}, {2, 2}, 2, 1}));
  expect_bits_do_not_depend_on_threads<bfloat16>(channels_last({1, 96, 64, 1, {6, 29}, {4, 1}, 1, 2}));
  expect_bits_do_not_depend_on_threads<bfloat16>(channels_last({2, 32, 32, 1, {34, 32}, {3, 3}, 1, 1}));
}

// The reason for which an implementation declines a forward convolution; an empty text if it accepts it.
template <typename T>
std::string declined(const Candidate<ConvProblem>& implementation, const Case& c) {
  std::mt19937 random(1);
  Operands<T> o(c, &random);
  const SkipReason reason = o.run(implementation, c, ConvKind::kForward);
  return reason == nullptr ? "" : reason;
}

TEST_F(CpuConv, problems_that_an_implementation_cannot_compute_are_declined) {
  const Candidate<ConvProblem>&product = kImplementations[0], &onednn = kImplementations[1];
  Case c{2, 4, 6, 1, {5, 5}, {1, 1}};
  EXPECT_EQ(declined<bfloat16>(product, c),
            "only float32, results of float64, and gradients of bfloat16 are computed as products");
  EXPECT_EQ(declined<double>(onednn, c), "oneDNN is used only for float32 and bfloat16");
  c.src = Layout::kChannelsLast;
  EXPECT_NE(declined<float>(product, c), "");
  c.src = Layout::kPacked;
  c.groups = 2;
  EXPECT_EQ(declined<float>(product, c), "the channels are in groups");
  c.groups = 1;
  c.padding = 1;
  EXPECT_EQ(declined<float>(product, c), "the kernel has more than one element, or there is a stride or padding");
  const Candidate<ConvProblem>& patches = kImplementations[3];
  EXPECT_EQ(declined<float>(patches, {2, 16, 16, 1, {8, 8}, {2, 2}, 1}), "the windows overlap");
  EXPECT_EQ(declined<float>(patches, {2, 16, 16, 1, {8, 8}, {2, 2}, 2, 1}), "the images have padding");
  EXPECT_EQ(declined<float>(patches, {2, 16, 16, 1, {8, 8}, {1, 1}, 2}), "the kernel has one element");
  EXPECT_EQ(declined<float>(patches, {2, 16, 15, 1, {8, 8}, {2, 2}, 2}), "the weight is too small");
  EXPECT_EQ(declined<double>(patches, {2, 16, 16, 1, {8, 8}, {2, 2}, 2}),
            "only float32 is computed as a product of patches");
  EXPECT_EQ(declined<float>(onednn, {1, 1, 1, 1, {2500}, {2100}}), "oneDNN would add too many terms one after another");
}

}  // namespace
