// SPDX-License-Identifier: BSD-3-Clause
// Runs the kernels of the tests with the planted error that the argument names. The sanitizer of the build judges them.
#include <cstdio>
#include <cstring>
#include <vector>

#include "diopi_test/unit/emulation_kernels/kernels.hpp"

namespace {

struct Name {
  const char* name;
  Planted planted;
};

constexpr Name kNames[] = {
    {"nothing", Planted::kNothing},
    {"beyond_the_end", Planted::kBeyondTheEnd},
    {"no_barrier_before_read", Planted::kNoBarrierBeforeRead},
    {"no_barrier_before_reuse", Planted::kNoBarrierBeforeReuse},
    {"plain_sum_of_blocks", Planted::kPlainSumOfBlocks},
    {"no_barrier_in_warp", Planted::kNoBarrierInWarp},
    {"beyond_shared_array", Planted::kBeyondSharedArray},
    {"plain_histogram", Planted::kPlainHistogram},
    {"no_barrier_after_tile", Planted::kNoBarrierAfterTile},
};

template <typename T>
T* device_array(const std::vector<T>& values) {
  T* result = nullptr;
  const size_t bytes = values.size() * sizeof(T);
  const bool copied = cudaMalloc(&result, bytes) == cudaSuccess &&
                      cudaMemcpy(result, values.data(), bytes, cudaMemcpyHostToDevice) == cudaSuccess;
  return copied ? result : nullptr;
}

bool run_all(Planted planted) {
  std::vector<float> numbers(103);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i * 37 % 101);
  std::vector<int> bins(103);
  for (size_t i = 0; i < bins.size(); ++i) bins[i] = static_cast<int>(i % 5);
  float* const in = device_array(numbers);
  float* const out = device_array(numbers);
  int* const values = device_array(bins);
  int* const histogram = device_array(std::vector<int>(5, 0));
  if (in == nullptr || out == nullptr || values == nullptr || histogram == nullptr) return false;
  bool launched = run_add_scaled(out, in, in, 2, 103, nullptr, planted) == cudaSuccess;
  launched = launched && run_variance_rows(out, in, 1, 103, nullptr, planted) == cudaSuccess;
  launched = launched && run_sum_all(out, in, 103, nullptr, planted) == cudaSuccess;
  launched = launched && run_multiply(out, in, in, 10, nullptr, planted) == cudaSuccess;
  // Each thread costs ThreadSanitizer a millisecond, so the block of 1024 threads runs once.
  if (planted == Planted::kNothing) launched = launched && run_transpose(out, in, 10, 10, nullptr) == cudaSuccess;
  launched = launched && run_find_positive(values, histogram, in, 103, nullptr) == cudaSuccess;
  launched = launched && run_sort_block(out, 64, nullptr, planted) == cudaSuccess;
  if (!launched || cudaMemset(values, 0, 103 * sizeof(int)) != cudaSuccess) return false;
  launched = run_count_values(histogram, values, 103, nullptr, planted) == cudaSuccess;
  return launched && cudaDeviceSynchronize() == cudaSuccess;
}

}  // namespace

int main(int argc, char** argv) {
  for (const Name& each : kNames) {
    if (argc != 2 || std::strcmp(argv[1], each.name) != 0) continue;
    const bool ran = run_all(each.planted);
    std::puts(ran ? "All kernels have run." : "A call of the runtime failed.");
    return ran ? 0 : 1;
  }
  std::fprintf(stderr, "usage: %s <planted error>\n", argv[0]);
  return 2;
}
