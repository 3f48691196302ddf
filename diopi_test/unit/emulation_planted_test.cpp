// SPDX-License-Identifier: BSD-3-Clause
// Planted errors: each is caught by a plain run in some order, by a message that ends the process, or by a sanitizer
// (emulation_sanitized).
#include <cmath>
#include <cstring>
#include <functional>

#include "diopi_test/unit/emulation_fixture.hpp"
#include "diopi_test/unit/emulation_kernels/kernels.hpp"

namespace {

std::vector<float> waves(size_t count) {
  std::vector<float> result(count);
  for (size_t i = 0; i < count; ++i) result[i] = std::sin(static_cast<float>(i)) + 0.01f * static_cast<float>(i % 37);
  return result;
}

using Experiment = std::function<std::vector<float>(Planted)>;

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// The orders in which the result with the error differs from the right one. Without the error no order differs.
std::vector<std::string> orders_that_differ(const Experiment& run, Planted planted) {
  const std::vector<float> right = run(Planted::kNothing);
  std::vector<std::string> result;
  for (const char* const order : {"forward", "reverse", "1", "2", "3", "4"}) {
    const Setting setting("DIOPI_CUDA_ORDER", order);
    EXPECT_TRUE(same_bytes(run(Planted::kNothing), right)) << order;
    if (!same_bytes(run(planted), right)) result.emplace_back(order);
  }
  return result;
}

std::vector<float> variances(Planted planted) {
  const DeviceArray<float> in(waves(area(3, 300))), out(3);
  EXPECT_EQ(run_variance_rows(out.data(), in.data(), 3, 300, nullptr, planted), cudaSuccess);
  return out.values();
}

std::vector<float> product(Planted planted) {
  const int size = 20;
  const DeviceArray<float> a(waves(area(size, size))), b(waves(area(size, size))), out(area(size, size));
  EXPECT_EQ(run_multiply(out.data(), a.data(), b.data(), size, nullptr, planted), cudaSuccess);
  return out.values();
}

std::vector<float> sorted(Planted planted) {
  const DeviceArray<float> data(waves(128));
  EXPECT_EQ(run_sort_block(data.data(), 128, nullptr, planted), cudaSuccess);
  return data.values();
}

TEST(EmulationPlanted, MissingBarrierBeforeRead) {
  EXPECT_FALSE(orders_that_differ(variances, Planted::kNoBarrierBeforeRead).empty());
}

TEST(EmulationPlanted, MissingBarrierBeforeReuse) {
  EXPECT_FALSE(orders_that_differ(variances, Planted::kNoBarrierBeforeReuse).empty());
}

TEST(EmulationPlanted, ReductionOfSomeThreads) {
  EXPECT_FALSE(orders_that_differ(variances, Planted::kBarrierOfSome).empty());
}

TEST(EmulationPlanted, MissingBarrierWithinAWarp) {
  EXPECT_FALSE(orders_that_differ(sorted, Planted::kNoBarrierInWarp).empty());
}

TEST(EmulationPlanted, SharedArrayReadPastItsEnd) {
  EXPECT_FALSE(orders_that_differ(sorted, Planted::kBeyondSharedArray).empty());
}

TEST(EmulationPlanted, MissingBarrierAfterATile) {
  EXPECT_FALSE(orders_that_differ(product, Planted::kNoBarrierAfterTile).empty());
}

TEST(EmulationPlanted, IndexPastTheRow) { EXPECT_FALSE(orders_that_differ(product, Planted::kBeyondTheRow).empty()); }

TEST(EmulationPlantedDeathTest, WriteBeyondAnAllocationThatFillsItsPages) {
  const DeviceArray<float> a(waves(1024)), out(1024);
  EXPECT_DEATH(
      {
        run_add_scaled(out.data(), a.data(), a.data(), 1, 1024, nullptr, Planted::kBeyondTheEnd);
        cudaDeviceSynchronize();
      },
      "A kernel accesses memory that is not allocated.*block 8, 0, 0, thread 0, 0, 0");
}

TEST(EmulationPlantedDeathTest, WriteBeyondAnAllocationOfAnySize) {
  const DeviceArray<float> a(waves(1004));
  EXPECT_DEATH(
      {
        const DeviceArray<float> out(1003);
        run_add_scaled(out.data(), a.data(), a.data(), 1, 1003, nullptr, Planted::kBeyondTheEnd);
      },
      "the device wrote beside an allocation");
}

TEST(EmulationPlantedDeathTest, TwoBarriers) {
  EXPECT_DEATH(variances(Planted::kTwoBarriers), "blocks.cu:[0-9]+: threads of a block wait at two different barriers");
}

TEST(EmulationPlantedDeathTest, VoteOfLanesThatHaveLeft) {
  const DeviceArray<float> in(waves(40));
  const DeviceArray<int> positions(40), count(1);
  EXPECT_DEATH(
      {
        run_find_positive(positions.data(), count.data(), in.data(), 40, nullptr, Planted::kLanesHaveLeft);
        cudaDeviceSynchronize();
      },
      "blocks.cu:[0-9]+: a warp function waits for a lane that has ended");
}

// Stream b reads what stream a writes, without waiting for it.
std::vector<float> across_streams(bool waits) {
  const DeviceArray<float> in(waves(64)), between(64), out(64);
  cudaStream_t a = nullptr, b = nullptr;
  cudaEvent_t event = nullptr;
  EXPECT_EQ(cudaStreamCreate(&a), cudaSuccess);
  EXPECT_EQ(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking), cudaSuccess);
  EXPECT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(run_add_scaled(between.data(), in.data(), in.data(), 1, 64, a), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(event, a), cudaSuccess);
  EXPECT_EQ(waits ? cudaStreamWaitEvent(b, event, 0) : cudaSuccess, cudaSuccess);
  EXPECT_EQ(run_add_scaled(out.data(), between.data(), between.data(), 1, 64, b), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(b), cudaSuccess);
  auto result = out.values();
  EXPECT_EQ(cudaEventDestroy(event), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(a), cudaSuccess);
  EXPECT_EQ(cudaStreamDestroy(b), cudaSuccess);
  return result;
}

TEST(EmulationPlanted, MissingWaitOfAStream) {
  const Experiment run = [](Planted planted) { return across_streams(planted == Planted::kNothing); };
  EXPECT_FALSE(orders_that_differ(run, Planted::kNoBarrierBeforeRead).empty());
}

TEST(EmulationPlantedDeathTest, MemoryFreedByAnotherStream) {
  const DeviceArray<float> in(waves(64));
  const auto run = [&](bool waits) {
    float* out = nullptr;
    cudaStream_t a = nullptr, b = nullptr;
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaMalloc(&out, 64 * sizeof(float));
    run_add_scaled(out, in.data(), in.data(), 1, 64, a);
    if (waits) cudaStreamSynchronize(a);
    cudaFreeAsync(out, b);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    cudaStreamDestroy(a);
    cudaStreamDestroy(b);
  };
  const Setting setting("DIOPI_CUDA_ORDER", "reverse");
  run(true);
  EXPECT_DEATH(run(false), "A kernel accesses memory that is not allocated");
}

TEST(EmulationPlantedDeathTest, MemoryFreedBeforeTheLaunch) {
  const DeviceArray<float> in(waves(64));
  EXPECT_DEATH(
      {
        float* out = nullptr;
        cudaMalloc(&out, 64 * sizeof(float));
        cudaFree(out);
        run_add_scaled(out, in.data(), in.data(), 1, 64, nullptr);
        cudaDeviceSynchronize();
      },
      "A kernel accesses memory that is not allocated");
}

// Rows are so far apart that the last offset needs more than 31 bits. Pages that are not touched take no memory.
TEST(EmulationPlantedDeathTest, IndexOf32BitsOverflows) {
  const int rows = 5, stride = 1 << 29;
  uint8_t* out = nullptr;
  ASSERT_EQ(cudaMalloc(&out, (size_t{4} << 29) + 1), cudaSuccess);
  ASSERT_EQ(run_fill_column(out, rows, stride, nullptr), cudaSuccess);
  uint8_t last = 0;
  ASSERT_EQ(cudaMemcpy(&last, out + (size_t{4} << 29), 1, cudaMemcpyDeviceToHost), cudaSuccess);
  EXPECT_EQ(last, 7);
  EXPECT_DEATH(
      {
        run_fill_column(out, rows, stride, nullptr, Planted::kIndexOf32Bits);
        cudaDeviceSynchronize();
      },
      "A kernel accesses memory that is not allocated");
  EXPECT_EQ(cudaFree(out), cudaSuccess);
}

TEST(EmulationPlanted, GridThatIsTooLarge) {
  const DeviceArray<float> in(waves(64)), out(64);
  EXPECT_EQ(run_transpose(out.data(), in.data(), 65535 * 32 + 1, 1, nullptr), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(run_sort_block(out.data(), 2048, nullptr), cudaErrorInvalidConfiguration);  // a block of 2048 threads
  EXPECT_EQ(run_copy_vectors(out.data(), in.data(), 0, nullptr),
            cudaErrorInvalidConfiguration);  // a grid without blocks
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  EXPECT_EQ(run_copy_vectors(out.data(), in.data(), 64, nullptr), cudaSuccess);
  EXPECT_EQ(out.values(), waves(64));
}

TEST(EmulationPlantedDeathTest, MisalignedVectorLoad) {
  const DeviceArray<float> in(waves(65)), out(64);
  EXPECT_DEATH(
      {
        run_copy_vectors(out.data(), in.data() + 1, 64, nullptr);
        cudaDeviceSynchronize();
      },
      "elements.cu:[0-9]+.*misaligned address");
}

}  // namespace
