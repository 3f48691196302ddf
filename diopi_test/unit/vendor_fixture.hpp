// SPDX-License-Identifier: BSD-3-Clause
// Calls a vendor's library like a framework: loads it, makes tensors, calls operators by name.
#ifndef DIOPI_TEST_UNIT_VENDOR_FIXTURE_HPP_
#define DIOPI_TEST_UNIT_VENDOR_FIXTURE_HPP_

#include <diopi/functions.h>
#include <diopirt_host.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "impl/common/dtype.hpp"

namespace vendor_test {

using Shape = std::vector<int64_t>;

inline diopiSize_t size_of(const Shape& shape) { return {shape.data(), static_cast<int64_t>(shape.size())}; }

// Loads the library at `path`, makes a context, and checks at the end that no objects are alive.
class VendorTest : public ::testing::Test {
 protected:
  explicit VendorTest(const char* path) : path_(path) {}

  void SetUp() override {
    ASSERT_EQ(diopirtLoadLibrary(path_, &library_), diopiSuccess) << diopirtGetLastErrorString();
    ASSERT_EQ(diopirtCreateContext(library_, &ctx_), diopiSuccess);
  }
  void TearDown() override {
    for (const diopiTensorHandle_t tensor : tensors_) EXPECT_EQ(diopirtReleaseTensor(tensor), diopiSuccess);
    EXPECT_EQ(diopirtDestroyContext(ctx_), diopiSuccess);
    EXPECT_EQ(diopirtUnloadLibrary(library_), diopiSuccess) << diopirtGetLastErrorString();
  }

  // Returns the operator `name` with the type of the contract's declaration: call(&diopiAdd, "diopiAdd")(...).
  template <typename F>
  F* call(F*, const char* name) const {
    diopirtFunction_t function = nullptr;
    EXPECT_EQ(diopirtGetFunction(library_, name, &function), diopiSuccess) << name;
    return reinterpret_cast<F*>(function);
  }
#define CALL(name) call(static_cast<decltype(&name)>(nullptr), #name)

  std::string message() const { return CALL(diopiGetLastErrorString)(); }

  // Makes a device tensor with these elements in row-major order. Null strides mean row-major.
  template <typename T>
  diopiTensorHandle_t tensor(const Shape& shape, const std::vector<T>& values, const Shape* strides = nullptr,
                             diopiDtype_t dtype = diopi::dtype_of<T>) {
    diopiTensorHandle_t handle = nullptr;
    const diopiSize_t stride = strides != nullptr ? size_of(*strides) : diopiSize_t{nullptr, 0};
    EXPECT_EQ(
        diopirtCreateTensor(ctx_, size_of(shape), strides != nullptr ? &stride : nullptr, dtype, diopi_device, &handle),
        diopiSuccess);
    EXPECT_EQ(diopirtCopyFromHost(ctx_, handle, values.data(), values.size() * sizeof(T)), diopiSuccess)
        << diopirtGetLastErrorString();
    tensors_.push_back(handle);
    return handle;
  }

  template <typename T>
  std::vector<T> values(diopiConstTensorHandle_t handle) const {
    int64_t numel = 0;
    EXPECT_EQ(diopiGetTensorNumel(handle, &numel), diopiSuccess);
    diopiDtype_t dtype = diopi_dtype_unsupported;
    EXPECT_EQ(diopiGetTensorDtype(handle, &dtype), diopiSuccess);
    EXPECT_EQ(dtype, diopi::dtype_of<T>);
    std::vector<T> result(numel);
    if (dtype == diopi::dtype_of<T>) {
      EXPECT_EQ(diopirtCopyToHost(ctx_, handle, result.data(), numel * sizeof(T)), diopiSuccess);
    }
    return result;
  }

  Shape shape(diopiConstTensorHandle_t handle) const {
    diopiSize_t size{};
    EXPECT_EQ(diopiGetTensorShape(handle, &size), diopiSuccess);
    return Shape(size.data, size.data + size.len);
  }

  // The number of tensors and buffers that operators have requested from the context so far.
  int64_t requests() const {
    diopirtContextStatistics_t statistics{};
    EXPECT_EQ(diopirtGetContextStatistics(ctx_, &statistics), diopiSuccess);
    return statistics.requests;
  }

  static diopiScalar_t scalar(double value) {
    diopiScalar_t result{};
    result.stype = diopi_dtype_float64;
    result.fval = value;
    return result;
  }
  static diopiScalar_t scalar(int value) {
    diopiScalar_t result{};
    result.stype = diopi_dtype_int64;
    result.ival = value;
    return result;
  }

  const char* path_;
  diopirtLibraryHandle_t library_ = nullptr;
  diopiContextHandle_t ctx_ = nullptr;
  std::vector<diopiTensorHandle_t> tensors_;
};

}  // namespace vendor_test

#endif  // DIOPI_TEST_UNIT_VENDOR_FIXTURE_HPP_
