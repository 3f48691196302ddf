// SPDX-License-Identifier: BSD-3-Clause
#include "limits.hpp"

#include <hwy/cache_control.h>
#include <hwy/highway.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>

#include "sampler.hpp"

// Plain loops that the compiler vectorizes for each of these targets. The loader chooses the best target of the CPU.
#if defined(__x86_64__) && !defined(__clang__)
#define DIOPI_BENCH_CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define DIOPI_BENCH_CLONES
#endif

namespace diopi_bench {
namespace {

struct Arrays {
  float *a, *b, *c;
};

DIOPI_BENCH_CLONES void copy(float* __restrict a, const float* __restrict b, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = b[i];
}

DIOPI_BENCH_CLONES void triad(float* __restrict a, const float* __restrict b, const float* __restrict c, size_t count) {
  for (size_t i = 0; i < count; ++i) a[i] = b[i] + 3.0f * c[i];
}

namespace hn = hwy::HWY_NAMESPACE;

void streaming_copy(float* HWY_RESTRICT a, const float* HWY_RESTRICT b, size_t count) {
  const hn::ScalableTag<float> d;
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) hn::Stream(hn::Load(d, b + i), d, a + i);
  hwy::FlushStream();
}

void streaming_triad(float* HWY_RESTRICT a, const float* HWY_RESTRICT b, const float* HWY_RESTRICT c, size_t count) {
  const hn::ScalableTag<float> d;
  const auto factor = hn::Set(d, 3.0f);
  for (size_t i = 0; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
    hn::Stream(hn::MulAdd(factor, hn::Load(d, c + i), hn::Load(d, b + i)), d, a + i);
  }
  hwy::FlushStream();
}

// Measures passes over the arrays for the given time and returns the median rate. All threads start each pass together.
template <class Pass>
double median_rate(const Arrays& arrays, size_t count, int threads, double bytes, double seconds, const Pass& pass) {
  const size_t part = count / threads / 64 * 64;
  const auto work = [&](int thread) {
    const size_t begin = thread * part;
    pass(arrays.a + begin, arrays.b + begin, arrays.c + begin, part);
  };
  // Passes of a few microseconds are repeated within one timing.
  const int inner = static_cast<int>(std::max<double>(1, 4e6 / bytes));
  std::atomic<int> ready{0}, done{0}, round{0};
  std::atomic<bool> ends{false};
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) {
    helpers.emplace_back([&, thread] {
      for (int seen = 0;;) {
        ready.fetch_add(1);
        while (round.load(std::memory_order_acquire) == seen) {
          if (ends.load()) return;
        }
        ++seen;
        for (int i = 0; i < inner; ++i) work(thread);
        done.fetch_add(1);
      }
    });
  }
  std::vector<double> rates;
  const double begin = seconds_now();
  for (int pass_number = 0; pass_number < 3 || seconds_now() - begin < seconds; ++pass_number) {
    while (ready.load() < (threads - 1) * (pass_number + 1)) {
    }
    const double start = seconds_now();
    round.fetch_add(1, std::memory_order_release);
    for (int i = 0; i < inner; ++i) work(0);
    while (done.load() < (threads - 1) * (pass_number + 1)) {
    }
    rates.push_back(inner * bytes * (part * threads) / count / (seconds_now() - start));
  }
  ends = true;
  for (std::thread& helper : helpers) helper.join();
  return median(rates);
}

Arrays split(char* memory, size_t bytes, size_t* count) {
  *count = bytes / (3 * sizeof(float)) / 64 * 64;
  float* first = reinterpret_cast<float*>(memory);
  return {first, first + *count, first + 2 * *count};
}

}  // namespace

void run_triad(char* memory, size_t bytes, int threads, bool streaming) {
  size_t count = 0;
  const Arrays arrays = split(memory, bytes, &count);
  const size_t part = count / threads / 64 * 64;
  const auto work = [&](int thread) {
    const size_t begin = thread * part, size = thread + 1 == threads ? count - begin : part;
    (streaming ? streaming_triad : triad)(arrays.a + begin, arrays.b + begin, arrays.c + begin, size);
  };
  std::vector<std::thread> helpers;
  for (int thread = 1; thread < threads; ++thread) helpers.emplace_back(work, thread);
  work(0);
  for (std::thread& helper : helpers) helper.join();
}

Bandwidth measure_bandwidth(size_t bytes, int threads, double seconds) {
  const size_t count = std::max<size_t>(bytes / (3 * sizeof(float)) / 64 * 64, size_t{64} * threads);
  const size_t array_bytes = count * sizeof(float) + 4096;
  void* memory = mmap(nullptr, 3 * array_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("not enough memory to measure the bandwidth");
  char* start = static_cast<char*>(memory);
  const Arrays arrays = {reinterpret_cast<float*>(start), reinterpret_cast<float*>(start + array_bytes + 320),
                         reinterpret_cast<float*>(start + 2 * array_bytes + 640)};
  for (size_t i = 0; i < count; ++i) arrays.a[i] = arrays.b[i] = arrays.c[i] = 1.0f;
  const double two = 2.0 * sizeof(float) * count, three = 3.0 * sizeof(float) * count;
  Bandwidth result;
  result.bytes = bytes;
  result.copy =
      median_rate(arrays, count, threads, two, seconds, [](float* a, float* b, float*, size_t n) { copy(a, b, n); });
  result.triad = median_rate(arrays, count, threads, three, seconds,
                             [](float* a, float* b, float* c, size_t n) { triad(a, b, c, n); });
  result.streaming_copy = median_rate(arrays, count, threads, two, seconds,
                                      [](float* a, float* b, float*, size_t n) { streaming_copy(a, b, n); });
  result.streaming_triad = median_rate(arrays, count, threads, three, seconds,
                                       [](float* a, float* b, float* c, size_t n) { streaming_triad(a, b, c, n); });
  munmap(memory, 3 * array_bytes);
  return result;
}

}  // namespace diopi_bench
