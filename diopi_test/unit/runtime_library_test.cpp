// SPDX-License-Identifier: BSD-3-Clause
// Loading and unloading vendors' libraries.
#include <cstdlib>

#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

template <typename Function>
Function find(diopirtLibraryHandle_t library, const char* name) {
  diopirtFunction_t function = nullptr;
  EXPECT_EQ(diopirtGetFunction(library, name, &function), diopiSuccess) << message();
  return reinterpret_cast<Function>(function);
}

TEST(RuntimeLibrary, is_initialised_once_and_finalised_with_the_last_unload) {
  diopirtLibraryHandle_t first = nullptr, second = nullptr;
  ASSERT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &first), diopiSuccess) << message();
  ASSERT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &second), diopiSuccess) << message();
  EXPECT_EQ(first, second);
  const auto initialisations = find<int (*)()>(first, "fake_vendor_initialisations");
  const auto finalisations = find<int (*)()>(first, "fake_vendor_finalisations");
  const int started = initialisations(), ended = finalisations();
  EXPECT_EQ(started, ended + 1);
  EXPECT_EQ(diopirtUnloadLibrary(second), diopiSuccess);
  EXPECT_EQ(finalisations(), ended);
  EXPECT_EQ(diopirtUnloadLibrary(first), diopiSuccess);
  EXPECT_EQ(finalisations(), ended + 1);
  EXPECT_EQ(diopirtUnloadLibrary(first), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtUnloadLibrary: the library is not loaded");
}

TEST(RuntimeLibrary, functions_are_found_by_name_and_absent_ones_are_not_implemented) {
  diopirtLibraryHandle_t library = nullptr;
  ASSERT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &library), diopiSuccess) << message();
  EXPECT_STREQ(find<const char* (*)()>(library, "diopiGetVendorName")(), "fake");
  diopirtFunction_t function = nullptr;
  EXPECT_EQ(diopirtGetFunction(library, "diopiNoSuchOperator", &function), diopiNoImplement);
  EXPECT_EQ(function, nullptr);
  EXPECT_EQ(message(), "diopirtGetFunction: the library has no diopiNoSuchOperator");
  EXPECT_EQ(diopirtUnloadLibrary(library), diopiSuccess);
}

TEST(RuntimeLibrary, callbacks_belong_to_the_library_that_registered_them) {
  register_device();
  diopirtLibraryHandle_t library = nullptr;
  ASSERT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &library), diopiSuccess) << message();
  const char *loaded = nullptr, *linked = nullptr;
  EXPECT_EQ(diopirtGetVendorErrorString(library, &loaded), diopiSuccess);
  EXPECT_STREQ(loaded, "said by the fake vendor");
  EXPECT_EQ(diopirtGetVendorErrorString(nullptr, &linked), diopiSuccess);
  EXPECT_STREQ(linked, "the fake device is on fire");
  diopiContextHandle_t ctx = nullptr;
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopirtCreateContext(library, &ctx), diopiSuccess);
  const int allocations = device_counts().allocations;
  EXPECT_EQ(diopirtCreateTensor(ctx, dims({4}), nullptr, diopi_dtype_int8, diopi_device, &tensor), diopiSuccess);
  EXPECT_EQ(device_counts().allocations, allocations);
  diopiStreamHandle_t stream = nullptr;
  EXPECT_EQ(diopiGetStream(ctx, &stream), diopiNoRegisteredStreamCreateFunction);
  diopirtReleaseTensor(tensor);
  EXPECT_EQ(diopirtDestroyContext(ctx), diopiSuccess);
  EXPECT_EQ(diopirtUnloadLibrary(library), diopiSuccess);
  unregister_device();
}

TEST(RuntimeLibrary, unloading_waits_for_contexts_and_memory) {
  diopirtLibraryHandle_t library = nullptr;
  ASSERT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &library), diopiSuccess) << message();
  diopiContextHandle_t ctx = nullptr;
  diopiTensorHandle_t tensor = nullptr;
  ASSERT_EQ(diopirtCreateContext(library, &ctx), diopiSuccess);
  ASSERT_EQ(diopirtCreateTensor(ctx, dims({4}), nullptr, diopi_dtype_int8, diopi_device, &tensor), diopiSuccess);
  EXPECT_EQ(diopirtUnloadLibrary(library), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtUnloadLibrary: 2 contexts and pieces of memory of the library are still alive");
  EXPECT_EQ(diopirtDestroyContext(ctx), diopiSuccess);
  EXPECT_EQ(diopirtUnloadLibrary(library), diopiErrorOccurred);
  diopirtReleaseTensor(tensor);
  EXPECT_EQ(diopirtUnloadLibrary(library), diopiSuccess);
}

TEST(RuntimeLibrary, failures_to_load_say_why) {
  diopirtLibraryHandle_t library = nullptr;
  EXPECT_EQ(diopirtLoadLibrary("/no/such/library.so", &library), diopiErrorOccurred);
  EXPECT_NE(message().find("/no/such/library.so"), std::string::npos) << message();
  EXPECT_EQ(diopirtLoadLibrary(nullptr, &library), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtLoadLibrary: path is null");
  EXPECT_EQ(diopirtLoadLibrary("libm.so.6", &library), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtLoadLibrary: libm.so.6 has no initLibrary");
  setenv("FAKE_VENDOR_FAILS", "1", 1);
  EXPECT_EQ(diopirtLoadLibrary(FAKE_VENDOR, &library), diopiErrorOccurred);
  unsetenv("FAKE_VENDOR_FAILS");
  EXPECT_EQ(message(), "diopirtLoadLibrary: initLibrary of " FAKE_VENDOR " failed with 42");
  EXPECT_EQ(library, nullptr);
}

}  // namespace
}  // namespace runtime_test
