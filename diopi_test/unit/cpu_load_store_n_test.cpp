// SPDX-License-Identifier: BSD-3-Clause
// Loads and stores the first elements of a vector at both ends of accessible memory, on each vector target.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "diopi_test/unit/every_target.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "diopi_test/unit/cpu_load_store_n_test.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/load_store_n-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Called after n elements were moved, with the number of lanes of the vector.
using CheckFn = void (*)(int64_t n, int64_t lanes);

// For each n below the number of lanes: loads the last n of `most` elements of `from`, stores the first n lanes as the
// last elements of `to` and all lanes in `whole`.
template <class D, typename T>
void move_each_n(D d, const T* from, T* to, T* whole, int64_t most, CheckFn check) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t n = 1; n < lanes; ++n) {
    const auto v = load_n(d, from + most - n, static_cast<size_t>(n));
    hn::StoreU(v, d, whole);
    store_n(v, d, to + most - n, static_cast<size_t>(n));
    check(n, lanes);
  }
}

// Vectors, and halves of them: elements of 16 bits are held in halves beside floats.
template <typename T>
void run(const void* from, void* to, void* whole, int64_t bytes, CheckFn check) {
  const auto* const source = static_cast<const T*>(from);
  T *const target = static_cast<T*>(to), *const lanes = static_cast<T*>(whole);
  const int64_t most = bytes / static_cast<int64_t>(sizeof(T));
  const hn::ScalableTag<T> d;
  move_each_n(d, source, target, lanes, most, check);
#if HWY_TARGET != HWY_SCALAR
  move_each_n(hn::Half<decltype(d)>(), source, target, lanes, most, check);
#endif
}
void Run(int64_t size, const void* from, void* to, void* whole, int64_t bytes, CheckFn check) {
  if (size == 2) run<uint16_t>(from, to, whole, bytes, check);
  if (size == 4) run<float>(from, to, whole, bytes, check);
  if (size == 8) run<double>(from, to, whole, bytes, check);
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <gtest/gtest.h>

namespace impl::cpu {
HWY_EXPORT(Run);
namespace {

constexpr unsigned char kUntouched = 0x55;
unsigned char whole[256];
const unsigned char* source_end;
unsigned char* target_end;
int64_t item, page;

// A page that is followed by one that cannot be accessed.
unsigned char* page_before_the_end() {
  void* const pages = mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(static_cast<unsigned char*>(pages) + page, page, PROT_NONE) != 0) return nullptr;
  return static_cast<unsigned char*>(pages);
}

void check(int64_t n, int64_t lanes) {
  const int64_t bytes = n * item;
  EXPECT_EQ(std::memcmp(whole, source_end - bytes, bytes), 0) << n << " of " << item << " bytes";
  for (int64_t i = bytes; i < lanes * item; ++i) EXPECT_EQ(whole[i], 0) << n << " of " << item << " bytes";
  EXPECT_EQ(std::memcmp(target_end - bytes, source_end - bytes, bytes), 0) << n << " of " << item << " bytes";
  for (int64_t i = 1; i < 64; ++i) EXPECT_EQ(*(target_end - bytes - i), kUntouched) << n << " of " << item << " bytes";
  std::memset(target_end - bytes, kUntouched, bytes);
}

TEST(CpuLoadStoreN, only_the_first_elements_are_accessed) {
  page = sysconf(_SC_PAGESIZE);
  unsigned char *const source = page_before_the_end(), *const target = page_before_the_end();
  ASSERT_NE(source, nullptr);
  ASSERT_NE(target, nullptr);
  for (int64_t i = 0; i < page; ++i) source[i] = static_cast<unsigned char>(i % 251 + 1);
  std::memset(target, kUntouched, page);
  source_end = source + page;
  target_end = target + page;
  test::on_every_target([&] {
    for (item = 2; item <= 8; item *= 2) HWY_DYNAMIC_DISPATCH(Run)(item, source, target, whole, page, check);
  });
  munmap(source, 2 * page);
  munmap(target, 2 * page);
}

}  // namespace
}  // namespace impl::cpu
#endif
