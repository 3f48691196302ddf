// SPDX-License-Identifier: BSD-3-Clause
// A device that exists only in these tests. Its memory is host memory that the tests can count and recognise.
#ifndef DIOPI_TEST_UNIT_RUNTIME_FIXTURE_HPP_
#define DIOPI_TEST_UNIT_RUNTIME_FIXTURE_HPP_

#include <diopirt_host.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace runtime_test {

// Counts of calls of the fake device.
struct DeviceCounts {
  int streams_created;
  int streams_destroyed;
  int synchronisations;
  int allocations;
  int frees;
  int copies_to_device;
  int copies_to_host;
  int copies_on_device;
};
DeviceCounts device_counts();

void register_device();
void unregister_device();
// Whether `memory` points into memory of the fake device that is alive.
bool is_device_memory(const void* memory);
// Destroys a stream that its context could not destroy.
void destroy_left_over_stream(diopiStreamHandle_t stream);
// Device allocations fail (return null) if they would raise the sum above this many bytes.
void set_device_limit(int64_t bytes);
// The next copies and synchronisations fail with this code.
void set_device_failure(int32_t code);

// Refers to a list of sizes or strides; the argument must live until the end of the full expression.
inline diopiSize_t dims(const std::vector<int64_t>& values) {
  return {values.data(), static_cast<int64_t>(values.size())};
}

// Registers the device, makes a context, and checks at the end that no objects are alive.
class RuntimeTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  diopiTensorHandle_t create(const std::vector<int64_t>& shape, diopiDtype_t dtype = diopi_dtype_float32,
                             diopiDevice_t device = diopi_device);
  diopiTensorHandle_t create_strided(const std::vector<int64_t>& shape, const std::vector<int64_t>& stride,
                                     diopiDtype_t dtype = diopi_dtype_float32, diopiDevice_t device = diopi_device);
  diopiTensorHandle_t view(diopiTensorHandle_t base, const std::vector<int64_t>& shape,
                           const std::vector<int64_t>& stride, int64_t offset);
  void write(diopiTensorHandle_t tensor, const std::vector<float>& values);
  std::vector<float> read(diopiConstTensorHandle_t tensor);

  diopiContextHandle_t ctx_ = nullptr;
  diopirtStatistics_t before_{};
};

diopirtStatistics_t statistics();
diopirtContextStatistics_t statistics(diopiContextHandle_t ctx);
std::vector<int64_t> shape_of(diopiConstTensorHandle_t tensor);
std::vector<int64_t> stride_of(diopiConstTensorHandle_t tensor);
void* data_of(diopiTensorHandle_t tensor);

inline std::string message() { return diopirtGetLastErrorString(); }

}  // namespace runtime_test

#endif  // DIOPI_TEST_UNIT_RUNTIME_FIXTURE_HPP_
