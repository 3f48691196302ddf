// SPDX-License-Identifier: BSD-3-Clause
// Several threads: one context each, one shared context, shared tensors.
#include <atomic>
#include <thread>

#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeThreads : public RuntimeTest {
 protected:
  template <typename Body>
  static void run(int count, Body body) {
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) threads.emplace_back(body, i);
    for (std::thread& thread : threads) thread.join();
  }
};

// One round of a typical call: temporaries, a copy to the device, a copy back.
bool round_trip(diopiContextHandle_t ctx, float value) {
  diopiTensorHandle_t tensor = nullptr, scratch = nullptr;
  const int64_t length = 16;
  const diopiSize_t size{&length, 1};
  std::vector<float> in(16, value), out(16);
  return diopiRequireTensor(ctx, &tensor, &size, nullptr, diopi_dtype_float32, diopi_device) == diopiSuccess &&
         diopiRequireBuffer(ctx, &scratch, 100, diopi_host) == diopiSuccess &&
         diopirtCopyFromHost(ctx, tensor, in.data(), 64) == diopiSuccess &&
         diopirtCopyToHost(ctx, tensor, out.data(), 64) == diopiSuccess && in == out;
}

TEST_F(RuntimeThreads, with_a_context_each_do_not_disturb_each_other) {
  std::atomic<int> failures{0};
  const int streams = device_counts().streams_created;
  run(2, [&](int index) {
    diopiContextHandle_t ctx = nullptr;
    failures += diopirtCreateContext(nullptr, &ctx) != diopiSuccess;
    for (int i = 0; i < 200; ++i) {
      failures += !round_trip(ctx, static_cast<float>(1000 * index + i));
      failures += diopirtClearTemporaries(ctx) != diopiSuccess;
    }
    failures += statistics(ctx).allocations != 2;
    failures += diopirtDestroyContext(ctx) != diopiSuccess;
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(device_counts().streams_created, streams + 2);
}

TEST_F(RuntimeThreads, may_require_through_one_context_together) {
  std::atomic<int> failures{0};
  const int streams = device_counts().streams_created;
  run(4, [&](int index) {
    for (int i = 0; i < 50; ++i) failures += !round_trip(ctx_, static_cast<float>(1000 * index + i));
  });
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(statistics(ctx_).live_temporaries, 400);
  EXPECT_EQ(device_counts().streams_created, streams + 1);
}

TEST_F(RuntimeThreads, share_references_of_one_tensor) {
  const diopiTensorHandle_t tensor = create({4});
  write(tensor, {1, 2, 3, 4});
  run(4, [&](int) {
    for (int i = 0; i < 200; ++i) {
      diopirtRetainTensor(tensor);
      const diopiTensorHandle_t tail = view(tensor, {2}, {1}, 2);
      diopirtReleaseTensor(tensor);
      diopirtReleaseTensor(tail);
    }
  });
  EXPECT_EQ(read(tensor), (std::vector<float>{1, 2, 3, 4}));
  diopirtReleaseTensor(tensor);
}

TEST_F(RuntimeThreads, retained_temporary_may_be_released_while_its_context_is_cleared) {
  for (int i = 0; i < 200; ++i) {
    diopiTensorHandle_t tensor = nullptr;
    ASSERT_EQ(diopiRequireBuffer(ctx_, &tensor, 64, diopi_device), diopiSuccess);
    ASSERT_EQ(diopirtRetainTensor(tensor), diopiSuccess);
    run(2, [&](int index) {
      EXPECT_EQ(index == 0 ? diopirtReleaseTensor(tensor) : diopirtClearTemporaries(ctx_), diopiSuccess) << message();
    });
  }
}

TEST_F(RuntimeThreads, keep_their_own_last_error) {
  diopiSize_t size{nullptr, 0};
  EXPECT_EQ(diopiGetTensorShape(nullptr, &size), diopiErrorOccurred);
  run(1, [&](int) {
    EXPECT_EQ(message(), "");
    EXPECT_EQ(diopiGetTensorStride(nullptr, &size), diopiErrorOccurred);
    EXPECT_EQ(message(), "diopiGetTensorStride: th is null");
  });
  EXPECT_EQ(message(), "diopiGetTensorShape: th is null");
}

TEST_F(RuntimeThreads, statistics_may_be_read_at_any_time) {
  std::atomic<bool> done{false};
  std::thread reader([&] {
    char text[4096];
    int64_t count = 0;
    while (!done) {
      EXPECT_GE(statistics().live_tensors, 0);
      EXPECT_EQ(diopirtReportLiveTensors(text, sizeof(text), &count), diopiSuccess);
    }
  });
  run(2, [&](int index) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(round_trip(ctx_, static_cast<float>(index)));
      diopirtReleaseTensor(create({2, 2}));
    }
  });
  done = true;
  reader.join();
}

}  // namespace
}  // namespace runtime_test
