// SPDX-License-Identifier: BSD-3-Clause
// Device memory and orders of execution for the tests of the emulation.
#ifndef DIOPI_TEST_UNIT_EMULATION_FIXTURE_HPP_
#define DIOPI_TEST_UNIT_EMULATION_FIXTURE_HPP_

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

// Sets a variable of the environment while it lives.
class Setting {
 public:
  Setting(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Setting() { unsetenv(name_); }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;

 private:
  const char* name_;
};

// The number of elements of a matrix, and the place of one of them.
inline size_t area(int rows, int columns) { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
inline size_t place(int row, int columns, int column) { return area(row, columns) + static_cast<size_t>(column); }

// An array of the device.
template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t count) : count_(count) { EXPECT_EQ(cudaMalloc(&data_, count * sizeof(T)), cudaSuccess); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    EXPECT_EQ(cudaMemcpy(data_, values.data(), count_ * sizeof(T), cudaMemcpyHostToDevice), cudaSuccess);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* data() const { return data_; }
  std::vector<T> values() const {
    std::vector<T> result(count_);
    EXPECT_EQ(cudaMemcpy(result.data(), data_, count_ * sizeof(T), cudaMemcpyDeviceToHost), cudaSuccess);
    return result;
  }

 private:
  T* data_ = nullptr;
  size_t count_;
};

// Tests that run in several orders of threads, blocks and streams.
class EmulationOrder : public testing::TestWithParam<const char*> {
  Setting order_{"DIOPI_CUDA_ORDER", GetParam()};
};

inline std::string order_name(const testing::TestParamInfo<const char*>& info) {
  return std::string("order_") + info.param;
}

#define IN_ALL_ORDERS(suite) \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::Values("forward", "reverse", "1", "2", "3"), order_name)

#endif  // DIOPI_TEST_UNIT_EMULATION_FIXTURE_HPP_
