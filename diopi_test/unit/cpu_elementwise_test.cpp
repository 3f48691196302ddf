// SPDX-License-Identifier: BSD-3-Clause
// The element-wise engine: every path gives the result of a loop over all elements.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/common/engine/elementwise.hpp"
#include "impl/common/engine/ternary.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace {

using diopi::Dims;
using diopi::TensorView;
using impl::cpu::BinaryOp;
using impl::cpu::ElementwiseKernel;
using test::on_every_target;

Dims dims(std::initializer_list<int64_t> values) {
  Dims result;
  for (const int64_t v : values) result.push_back(v);
  return result;
}

// An operand with its own memory. `pitch` is the distance of rows of the last dimension in elements; 0 means packed.
struct Operand {
  std::vector<float> memory;
  TensorView view;

  explicit Operand(const Dims& shape, int64_t pitch = 0) {
    view.shape = shape;
    view.stride = diopi::contiguous_strides(shape);
    view.dtype = diopi_dtype_float32;
    view.numel = shape.product();
    if (pitch > 0) {
      for (int i = 0; i + 1 < shape.n; ++i) view.stride[i] = view.stride[i] / shape[shape.n - 1] * pitch;
    }
    memory.resize(static_cast<size_t>(view.numel / shape[shape.n - 1] * std::max(pitch, shape[shape.n - 1])));
    for (size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i % 257) - 100;
    view.data = reinterpret_cast<char*>(memory.data());
  }

  // Returns the element for element `index` of a result of this shape.
  float at(int64_t index, const Dims& shape) const {
    int64_t offset = 0;
    for (int i = shape.n - 1, k = view.ndim() - 1; i >= 0; --i, --k) {
      const int64_t position = index % shape[i];
      index /= shape[i];
      if (k >= 0 && view.shape[k] != 1) offset += position * view.stride[k];
    }
    return memory[static_cast<size_t>(offset)];
  }
};

void expect_difference(const Dims& shape, const Operand& a, const Operand& b, bool one_sided) {
  Operand out(shape);
  ElementwiseKernel kernel =
      impl::cpu::uniform_kernel(impl::cpu::binary_kernel(BinaryOp::kSub, diopi_dtype_float32), diopi_dtype_float32, 2);
  if (one_sided) {
    const auto one = impl::cpu::one_sided_kernels(BinaryOp::kSub, diopi_dtype_float32);
    ASSERT_NE(one.first, nullptr);
    kernel.with_one[0] = one.first;
    kernel.with_one[1] = one.second;
  }
  const TensorView inputs[] = {a.view, b.view};
  ASSERT_EQ(run_elementwise(nullptr, kernel, &out.view, inputs), diopiSuccess);
  for (int64_t i = 0; i < out.view.numel; ++i) {
    ASSERT_EQ(out.memory[static_cast<size_t>(i)], a.at(i, shape) - b.at(i, shape))
        << "element " << i << " of " << diopi::Text(shape).c_str() << " from " << diopi::Text(a.view.shape).c_str()
        << " and " << diopi::Text(b.view.shape).c_str();
  }
}

struct Shapes {
  Dims out, a, b;
  int64_t a_pitch = 0;
};

TEST(Elementwise, every_form_of_broadcasting_is_a_loop_over_all_elements) {
  const Shapes cases[] = {
      {dims({1}), dims({1}), dims({1})},
      {dims({37}), dims({37}), dims({1})},
      {dims({70000}), dims({70000}), dims({1})},
      {dims({300, 256}), dims({300, 256}), dims({256})},
      {dims({300, 256}), dims({300, 256}), dims({300, 1})},
      {dims({301, 77}), dims({301, 77}), dims({301, 1})},
      {dims({24, 2048}), dims({24, 1}), dims({1, 2048})},
      {dims({966, 9, 4}), dims({1, 9, 4}), dims({966, 1, 4})},
      {dims({50, 9, 3}), dims({50, 1, 3}), dims({9, 3})},
      {dims({5, 9, 3}), dims({9, 1}), dims({5, 1, 3})},
      {dims({64, 3, 1000}), dims({64, 3, 1000}), dims({64, 1, 1})},
      {dims({7, 11, 13, 2}), dims({11, 1, 2}), dims({7, 1, 13, 1})},
      {dims({256, 128}), dims({256, 128}), dims({256, 128}), 256},
      {dims({33, 40, 129}), dims({33, 40, 129}), dims({33, 1, 129}), 131},
      {dims({500, 5}), dims({500, 5}), dims({1, 5}), 8},
      {dims({6, 5, 30, 32}), dims({6, 1, 30, 32}), dims({6, 5, 1, 32})},  // planes of one operand are packed
      {dims({6, 5, 80, 20}), dims({6, 1, 80, 20}), dims({6, 5, 1, 20})},
      {dims({7, 5, 9, 20}), dims({7, 1, 9, 20}), dims({7, 5, 1, 20})},  // several planes in a block
      {dims({8, 40, 64}), dims({8, 40, 64}), dims({40, 1})},
      {dims({9, 70, 64}), dims({9, 70, 64}), dims({64})},
  };
  on_every_target([&] {
    for (const Shapes& c : cases) {
      for (const bool one_sided : {false, true}) {
        expect_difference(c.out, Operand(c.a, c.a_pitch), Operand(c.b), one_sided);
        expect_difference(c.out, Operand(c.b), Operand(c.a, c.a_pitch), one_sided);
      }
    }
  });
}

// Results written with non-temporal stores: inputs in place, of another dtype and repeated, with and without whole
// lines.
TEST(Elementwise, results_too_large_for_the_caches_are_complete) {
  constexpr int64_t kRows = 950, kColumns = 9001;
  const auto fn = impl::cpu::binary_kernel(BinaryOp::kSub, diopi_dtype_float32);
  const ElementwiseKernel kernel = impl::cpu::uniform_kernel(fn, diopi_dtype_float32, 2);
  const Operand a(dims({kRows, kColumns})), b(dims({kRows, kColumns})), row(dims({1, kColumns}));
  on_every_target([&] {
    for (const Operand* second : {&b, &row}) {
      for (const int64_t pitch : {kColumns, kColumns + 7}) {
        Operand out(dims({kRows, kColumns}), pitch);
        const TensorView inputs[] = {a.view, second->view};
        ASSERT_EQ(impl::cpu::run_elementwise(nullptr, kernel, &out.view, inputs), diopiSuccess);
        for (int64_t i = 0; i < kRows; ++i) {
          const float *x = a.memory.data() + i * kColumns, *y = second->memory.data();
          if (second == &b) y += i * kColumns;
          const float* got = out.memory.data() + i * pitch;
          int64_t wrong = 0;
          for (int64_t j = 0; j < kColumns; ++j) wrong += got[j] != x[j] - y[j];
          for (int64_t j = kColumns; j < pitch; ++j) wrong += got[j] != static_cast<float>((i * pitch + j) % 257) - 100;
          ASSERT_EQ(wrong, 0) << "in row " << i << " or past its end";
        }
      }
    }
  });
}

// A number whose memory is the first element of the result, which is computed row by row.
TEST(Elementwise, a_number_may_lie_in_the_result) {
  constexpr int64_t kRows = 40, kColumns = 300, kPitch = 310;
  const Operand a(dims({kRows, kColumns}), kPitch);
  Operand b(dims({kRows, kColumns}), kPitch);
  for (float& element : b.memory) element += 8;
  on_every_target([&] {
    Operand out(dims({kRows, kColumns}), kPitch);
    TensorView number = Operand(dims({1})).view;
    number.shape = number.stride = Dims();
    number.data = out.view.data;
    out.memory[0] = 0.25f;
    ASSERT_EQ(impl::cpu::run_ternary(nullptr, diopi::TernaryOp::kLerp, out.view, a.view, b.view, number,
                                     diopi_dtype_float32, nullptr),
              diopiSuccess);
    for (int64_t i = 0; i < kRows * kPitch; ++i) {
      if (i % kPitch >= kColumns) continue;
      ASSERT_EQ(out.memory[i], a.memory[i] + 2) << "at " << i;
    }
  });
}

TEST(Elementwise, a_number_may_lie_in_a_result_of_16_bits) {
  constexpr int64_t kRows = 40, kColumns = 300, kPitch = 310;
  constexpr uint16_t kThree = 0x4040, kSix = 0x40C0;  // bfloat16
  on_every_target([&] {
    std::vector<uint16_t> input(kRows * kPitch, kThree), result(kRows * kPitch, 0);
    TensorView a = Operand(dims({kRows, kColumns}), kPitch).view, out = a;
    a.dtype = out.dtype = diopi_dtype_bfloat16;
    a.data = reinterpret_cast<char*>(input.data());
    out.data = reinterpret_cast<char*>(result.data());
    TensorView number;
    number.dtype = diopi_dtype_float32;
    number.numel = 1;
    number.data = out.data;
    const float two = 2;
    std::memcpy(number.data, &two, sizeof(two));
    ASSERT_EQ(impl::cpu::run_binary(nullptr, BinaryOp::kMul, out, a, number, diopi_dtype_bfloat16, nullptr),
              diopiSuccess);
    for (int64_t i = 0; i < kRows * kPitch; ++i) {
      if (i % kPitch >= kColumns) continue;
      ASSERT_EQ(result[i], kSix) << "at " << i;
    }
  });
}

}  // namespace
