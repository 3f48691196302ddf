// SPDX-License-Identifier: BSD-3-Clause
// Calls an engine of the CPU vendor without the C interface: contexts, and tensors of any dtype in any layout.
#ifndef DIOPI_TEST_UNIT_ENGINE_FIXTURE_HPP_
#define DIOPI_TEST_UNIT_ENGINE_FIXTURE_HPP_

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <vector>

#include "impl/common/openmp.hpp"
#include "diopirt_host.h"
#include "impl/common/tensor_view.hpp"
#include "impl/cpu/engine/cast/cast.hpp"

namespace impl::cpu {
int32_t init_library();
}

namespace engine_test {

using Shape = std::vector<int64_t>;
using Values = std::vector<double>;

enum class Layout {
  kContiguous,
  kTransposed,  // the first dimension has the smallest stride
  kGaps,        // every second element of the rows, with elements between the rows
  kRepeated,    // stride 0 in the first dimension: only for inputs
};
inline constexpr Layout kWritableLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kGaps};
inline constexpr Layout kLayouts[] = {Layout::kContiguous, Layout::kTransposed, Layout::kGaps, Layout::kRepeated};

inline diopi::Dims dims_of(const Shape& shape) {
  diopi::Dims dims;
  for (const int64_t extent : shape) dims.push_back(extent);
  return dims;
}

// A tensor in its own memory. Elements are set and read as doubles in row-major order.
class Tensor {
 public:
  Tensor(diopiDtype_t dtype, const Shape& shape, Layout layout = Layout::kContiguous) {
    const int n = static_cast<int>(shape.size());
    view_.dtype = dtype;
    view_.shape = view_.stride = dims_of(shape);
    view_.numel = 1;
    int64_t room = layout == Layout::kGaps ? 2 : 1;
    for (int i = 0; i < n; ++i) {
      const int d = layout == Layout::kTransposed ? i : n - 1 - i;
      view_.numel *= shape[d];
      view_.stride[d] = layout == Layout::kRepeated && d == 0 ? 0 : room;
      room = room * (shape[d] > 0 ? shape[d] : 1) + (layout == Layout::kGaps ? 3 : 0);
    }
    memory_.assign((room + 2 * kMargin) * view_.itemsize(), kUntouched);
    view_.data = memory_.data() + kMargin * view_.itemsize();
    view_.name = "tensor";
  }
  Tensor(const Tensor&) = delete;
  Tensor& operator=(const Tensor&) = delete;

  const diopi::TensorView& view() const { return view_; }

  // Calls f(number of the element in row-major order, its address).
  void for_elements(const std::function<void(int64_t, char*)>& f) const {
    for (int64_t i = 0; i < view_.numel; ++i) {
      int64_t rest = i, offset = 0;
      for (int d = view_.ndim() - 1; d >= 0; --d) {
        offset += rest % view_.shape[d] * view_.stride[d];
        rest /= view_.shape[d];
      }
      f(i, view_.data + offset * view_.itemsize());
    }
  }
  void set(const std::function<double(int64_t)>& value) {
    const auto cast = impl::cpu::cast_function(diopi_dtype_float64, view_.dtype);
    for_elements([&](int64_t i, char* at) {
      const double x = value(i);
      if (view_.dtype == diopi_dtype_float64) {
        std::memcpy(at, &x, sizeof(x));
      } else {
        cast(at, &x, 1);
      }
    });
  }
  Values values() const {
    Values result(view_.numel);
    const auto cast = impl::cpu::cast_function(view_.dtype, diopi_dtype_float64);
    for_elements([&](int64_t i, char* at) {
      if (view_.dtype == diopi_dtype_float64) {
        std::memcpy(&result[i], at, sizeof(double));
      } else {
        cast(&result[i], at, 1);
      }
    });
    return result;
  }
  const std::vector<char>& bytes() const { return memory_; }
  // Whether no byte outside of the elements has been written. It overwrites the elements.
  bool is_untouched_outside() {
    for_elements([&](int64_t, char* at) { std::memset(at, kUntouched, view_.itemsize()); });
    for (const char byte : memory_) {
      if (byte != kUntouched) return false;
    }
    return true;
  }

 private:
  static constexpr char kUntouched = 0x55;
  static constexpr int64_t kMargin = 16;
  std::vector<char> memory_;
  diopi::TensorView view_;
};

// Half a unit of the result's dtype, and 16 roundings of the compute dtype at `magnitude`, the sum of the magnitudes of
// the terms of the result.
inline double tolerance(diopiDtype_t dtype, double value, double magnitude) {
  const double computing = magnitude * 16 * (dtype == diopi_dtype_float64 ? 0x1p-53 : 0x1p-24);
  if (dtype == diopi_dtype_bfloat16) return computing + std::fabs(value) * 0x1p-8 + 0x1p-133;
  if (dtype == diopi_dtype_float16) return computing + std::fabs(value) * 0x1p-11 + 0x1p-25;
  return computing + (dtype == diopi_dtype_float32 ? 0x1p-149 : 0);
}

// Has a context. At the end, the number of threads is what it was.
class EngineTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(impl::cpu::init_library(), 0);
    ASSERT_EQ(diopirtCreateContext(nullptr, &ctx_), diopiSuccess);
  }
  void TearDown() override {
    omp_set_num_threads(threads_);
    EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess);
  }

  // Calls `run` with 1, 2 and 5 threads. It must return the same bytes each time.
  void expect_same_bytes(const std::function<std::vector<char>()>& run) const {
    std::vector<char> first;
    for (const int threads : {1, 2, 5}) {
      omp_set_num_threads(threads);
      const std::vector<char> bytes = run();
      if (threads == 1) first = bytes;
      EXPECT_TRUE(bytes == first) << threads << " threads";
    }
    EXPECT_FALSE(first.empty());
  }

  diopiContextHandle_t ctx_ = nullptr;

 private:
  int threads_ = omp_get_max_threads();
};

}  // namespace engine_test

#endif  // DIOPI_TEST_UNIT_ENGINE_FIXTURE_HPP_
