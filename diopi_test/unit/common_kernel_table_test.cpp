// SPDX-License-Identifier: BSD-3-Clause
// Tables from dtypes and element sizes to kernels.
#include <gtest/gtest.h>

#include "impl/common/kernel_table.hpp"

namespace {

using diopi::tagged;
using Kernel = size_t (*)();

template <typename T>
size_t size_in_bytes() {
  return sizeof(T);
}

template <typename Set>
Kernel kernel_in(diopiDtype_t dtype) {
  return diopi::kernel_for<Set>(dtype, [](auto tag) { return size_in_bytes<tagged<decltype(tag)>>; });
}

TEST(KernelTable, kernel_for_chooses_the_kernel_of_the_dtype) {
  EXPECT_EQ(kernel_in<diopi::RealTypes>(diopi_dtype_int8), size_in_bytes<int8_t>);
  EXPECT_EQ(kernel_in<diopi::RealTypes>(diopi_dtype_uint64), size_in_bytes<uint64_t>);
  EXPECT_EQ(kernel_in<diopi::RealTypes>(diopi_dtype_float64), size_in_bytes<double>);
  EXPECT_EQ(kernel_in<diopi::FloatingTypes>(diopi_dtype_bfloat16), size_in_bytes<diopi::bfloat16>);
}

TEST(KernelTable, kernel_for_is_null_outside_of_the_set) {
  EXPECT_EQ(kernel_in<diopi::RealTypes>(diopi_dtype_bool), nullptr);
  EXPECT_EQ(kernel_in<diopi::RealTypes>(diopi_dtype_float16), nullptr);
  EXPECT_EQ(kernel_in<diopi::IntegerTypes>(diopi_dtype_float32), nullptr);
  EXPECT_EQ(kernel_in<diopi::WideInexactTypes>(diopi_dtype_complex32), nullptr);
  EXPECT_EQ(kernel_in<diopi::ComputeTypes>(diopi_dtype_unsupported), nullptr);
}

TEST(KernelTable, unsigned_of_changes_integers_only) {
  const auto kernel = [](diopiDtype_t dtype) {
    return diopi::kernel_for<diopi::ComputeTypes>(
        dtype, [](auto tag) { return size_in_bytes<diopi::unsigned_of<decltype(tag)>>; });
  };
  EXPECT_EQ(kernel(diopi_dtype_int16), size_in_bytes<uint16_t>);
  EXPECT_EQ(kernel(diopi_dtype_uint16), size_in_bytes<uint16_t>);
  EXPECT_EQ(kernel(diopi_dtype_float32), size_in_bytes<float>);
  EXPECT_EQ(kernel(diopi_dtype_complex64), size_in_bytes<diopi::complex64>);
}

TEST(KernelTable, for_itemsize_has_a_type_of_each_size) {
  for (const int size : {1, 2, 4, 8, 16}) {
    EXPECT_EQ(diopi::for_itemsize(size, [](auto tag) { return sizeof(tagged<decltype(tag)>); }),
              static_cast<size_t>(size));
  }
}

}  // namespace
