// SPDX-License-Identifier: BSD-3-Clause
// A call that needs no conversion allocates no memory, neither in the process nor in the context.
#include <atomic>
#include <cstdlib>
#include <new>

#include "diopi_test/unit/vendor_fixture.hpp"

namespace {
std::atomic<int64_t> allocations{0};
}

// Every `new` of the process calls this function, including those in the vendor's library.
__attribute__((noinline)) void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
__attribute__((noinline)) void* operator new(std::size_t size) {
  void* memory = operator new(size, std::nothrow);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
__attribute__((noinline)) void operator delete(void* memory) noexcept { std::free(memory); }
__attribute__((noinline)) void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace vendor_test {

namespace {

class EntryCost : public VendorTest {
 protected:
  EntryCost() : VendorTest(SKELETON_LIBRARY) {}
};

TEST_F(EntryCost, a_call_without_conversion_allocates_nothing) {
  const auto x = tensor<float>({2, 3}, {1, -2, 3, -4, 5, -6}), out = tensor<float>({2, 3}, std::vector<float>(6));
  const auto joined = tensor<float>({4, 3}, std::vector<float>(12));
  const diopiScalar_t two = scalar(2.0);
  const auto add = CALL(diopiAdd);
  const auto relu = CALL(diopiRelu);
  const auto cat = CALL(diopiCat);
  diopiConstTensorHandle_t list[] = {x, out};
  ASSERT_EQ(add(ctx_, out, x, x, &two), diopiSuccess);
  const int64_t requests_before = requests(), allocations_before = allocations;
  const diopiError_t results[] = {add(ctx_, out, x, x, &two), relu(ctx_, out, out), cat(ctx_, joined, list, 2, 0)};
  const int64_t allocations_after = allocations;
  EXPECT_EQ(allocations_after, allocations_before);
  EXPECT_EQ(requests(), requests_before);
  for (const diopiError_t result : results) EXPECT_EQ(result, diopiSuccess);
  EXPECT_EQ(values<float>(out), std::vector<float>({3, 0, 9, 0, 15, 0}));
}

TEST_F(EntryCost, a_call_with_conversion_is_seen_to_allocate) {
  const auto x = tensor<double>({2}, {1, -2}), out = tensor<double>({2}, {0, 0});
  const int64_t requests_before = requests(), allocations_before = allocations;
  ASSERT_EQ(CALL(diopiRelu)(ctx_, out, x), diopiSuccess) << message();
  EXPECT_EQ(requests(), requests_before + 2);
  EXPECT_GT(allocations, allocations_before);
}

}  // namespace

}  // namespace vendor_test
