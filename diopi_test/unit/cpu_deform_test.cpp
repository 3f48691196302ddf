// SPDX-License-Identifier: BSD-3-Clause
// Deformable convolution by blocks: threads that compute whole parts of the images write the bits of one thread.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "diopi_test/unit/strided_tensor.hpp"
#include "impl/common/openmp.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/deform/blocks.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace
using engine_test::Shape;

// A packed tensor of random numbers.
struct Numbers {
  Numbers() = default;
  explicit Numbers(const Shape& shape, float limit = 1) : values(engine_test::count_of(shape)) {
    static std::mt19937 random(11);
    std::uniform_real_distribution<float> number(-limit, limit);
    for (float& x : values) x = number(random);
    view.dtype = diopi_dtype_float32;
    view.data = reinterpret_cast<char*>(values.data());
    view.numel = static_cast<int64_t>(values.size());
    for (const int64_t extent : shape) view.shape.push_back(extent);
    view.stride = diopi::contiguous_strides(view.shape);
  }
  std::vector<float> values;
  TensorView view;
};

class CpuDeform : public engine_test::EngineTest {
 protected:
  static constexpr int64_t kSide = 40, kPoints = 9;
  int64_t channels_ = 0, outputs_ = 0;

  void SetUp() override {
    EngineTest::SetUp();
    set_size(24, 8);
    windows_.spatial = 2;
    for (int i = 0; i < 2; ++i) {
      diopi::Window& w = windows_.at(i);
      w.in = w.out = kSide;
      w.kernel = 3;
      w.stride = w.padding = w.dilation = 1;
    }
  }
  void TearDown() override {
    omp_set_num_threads(threads_);
    EngineTest::TearDown();
  }

  void set_size(int64_t channels, int64_t outputs) {
    channels_ = channels;
    outputs_ = outputs;
    image_ = Numbers({kMost, channels, kSide, kSide});
    grad_ = Numbers({kMost, outputs, kSide, kSide});
    weight_ = Numbers({outputs, channels, 3, 3});
  }

  struct Results {
    std::vector<float> out, image, offset, mask, weight;
    bool operator==(const Results& other) const {
      return out == other.out && image == other.image && offset == other.offset && mask == other.mask &&
             weight == other.weight;
    }
  };
  diopi::Status forward(diopiContextHandle_t ctx, int64_t images, const TensorView& out) const {
    const TensorView input = image_.view.narrow(0, 0, images), offset = offset_.view.narrow(0, 0, images);
    const TensorView mask = mask_.view.narrow(0, 0, images);
    return run_deform_conv(ctx, {input, offset, &mask, windows_, 1, 1}, weight_.view, nullptr, out);
  }
  // Runs a step(ctx) whose memory has been reserved, so that it needs no context.
  template <typename Step>
  void expect_reserved(const Step& step) const {
    diopi::StepMemory memory;
    EXPECT_EQ(memory.reserve([&] { return step(ctx_); }), diopiSuccess) << diopi::last_error();
    EXPECT_EQ(memory.run([&] { return step(nullptr); }), diopiSuccess) << diopi::last_error();
  }
  Results compute(int64_t images) const {
    const Shape image_shape{images, channels_, kSide, kSide}, out_shape{images, outputs_, kSide, kSide};
    const Shape offset_shape{images, 2 * kPoints, kSide, kSide}, mask_shape{images, kPoints, kSide, kSide};
    const Shape weight_shape{outputs_, channels_, 3, 3};
    Numbers out(out_shape), grad_image(image_shape), grad_offset(offset_shape), grad_mask(mask_shape),
        grad_weight(weight_shape);
    const TensorView input = image_.view.narrow(0, 0, images), offset = offset_.view.narrow(0, 0, images);
    const TensorView mask = mask_.view.narrow(0, 0, images), grad = grad_.view.narrow(0, 0, images);
    const diopi::DeformSamples samples{input, offset, &mask, windows_, 1, 1};
    expect_reserved([&](diopiContextHandle_t ctx) { return forward(ctx, images, out.view); });
    expect_reserved([&](diopiContextHandle_t ctx) {
      return run_deform_conv_backward_samples(ctx, samples, weight_.view, grad,
                                              {grad_image.view, grad_offset.view, &grad_mask.view});
    });
    EXPECT_EQ(run_deform_conv_backward_weight(ctx_, samples, grad, grad_weight.view, 0.5, false), diopiSuccess);
    return {out.values, grad_image.values, grad_offset.values, grad_mask.values, grad_weight.values};
  }

 private:
  static constexpr int64_t kMost = 8;
  int threads_ = omp_get_max_threads();
  diopi::Windows windows_;
  Numbers image_, grad_, weight_;
  Numbers offset_{{kMost, 2 * kPoints, kSide, kSide}, 3}, mask_{{kMost, kPoints, kSide, kSide}};
};

// The sizes need different kernels for the products.
TEST_F(CpuDeform, threads_do_not_change_bits) {
  const int64_t sizes[][2] = {{24, 8}, {24, 1}, {3, 2}, {64, 4}, {64, 64}, {16, 300}};
  for (const auto& [channels, outputs] : sizes) {
    set_size(channels, outputs);
    for (const int64_t images : {1, 2, 3, 7}) {
      omp_set_num_threads(1);
      const Results want = compute(images);
      for (const int threads : {2, 3, 5}) {
        omp_set_num_threads(threads);
        EXPECT_TRUE(compute(images) == want)
            << images << " images of " << channels << " channels, " << outputs << " outputs, " << threads << " threads";
      }
    }
  }
}

TEST_F(CpuDeform, memory_grows_linearly_with_threads) {
  Numbers out({7, outputs_, kSide, kSide});
  const auto bytes = [&](int threads) {
    omp_set_num_threads(threads);
    diopi::StepMemory memory;
    EXPECT_EQ(memory.reserve([&] { return forward(ctx_, 7, out.view); }), diopiSuccess);
    return memory.bytes();
  };
  EXPECT_LT(bytes(32), 40 * bytes(1));
}

TEST_F(CpuDeform, threads_have_temporaries_of_their_own) {
  float *a = nullptr, *b = nullptr;
  const auto step = [&]() -> diopi::Status {
    DIOPI_TRY(diopi::Workspace(ctx_).take(5, &a));
    return diopi::Workspace(ctx_).take(40, &b);
  };
  diopi::StepMemory first, second;
  ASSERT_EQ(first.reserve(step), diopiSuccess);
  const float *const first_a = a, *const first_b = b;
  ASSERT_EQ(first.bytes(), 64 + 192);
  alignas(64) char memory[64 + 192];
  second.place_like(first, memory);
  ASSERT_EQ(second.run(step), diopiSuccess);
  EXPECT_EQ(reinterpret_cast<char*>(a), memory);
  EXPECT_EQ(reinterpret_cast<char*>(b), memory + 64);
  ASSERT_EQ(first.run(step), diopiSuccess);
  EXPECT_EQ(a, first_a);
  EXPECT_EQ(b, first_b);
}

}  // namespace
