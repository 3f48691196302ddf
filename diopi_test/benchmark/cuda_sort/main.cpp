// SPDX-License-Identifier: BSD-3-Clause
// Compares the radix sort of the vendor cuda with the candidate, CUB's, on the current GPU. Both go from keys in memory
// of the GPU to their stable order. The sides take turns; the shortest time of a side counts. Prints lines of JSON: the
// version of CUB, and for each width and number of keys the seconds of both sides and whether their orders are right.
//
//   diopi_bench_sort SAMPLES LENGTH...
//
// Exit codes: 0 all orders are right; 1 one is not; 2 wrong arguments; 3 the GPU cannot be used.
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "diopi_test/benchmark/cuda_sort/cub_sort.hpp"
#include "impl/cuda/kernels/scan/scan.hpp"
#include "impl/cuda/kernels/sort/sort.hpp"

namespace cuda_sort {
namespace {

void require(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + " failed: " + cudaGetErrorString(error));
}

// Memory of the GPU.
template <typename T>
class Memory {
 public:
  explicit Memory(int64_t count) : bytes_(static_cast<size_t>(count) * sizeof(T)) {
    require(cudaMalloc(&data_, std::max<size_t>(bytes_, 1)), "cudaMalloc");
  }
  ~Memory() { static_cast<void>(cudaFree(data_)); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  T* get() const { return static_cast<T*>(data_); }
  void set(const T* from) const { require(cudaMemcpy(data_, from, bytes_, cudaMemcpyDefault), "cudaMemcpy"); }
  void read(T* to) const { require(cudaMemcpy(to, data_, bytes_, cudaMemcpyDefault), "cudaMemcpy"); }

 private:
  size_t bytes_;
  void* data_ = nullptr;
};

// Seconds of work on the default stream, measured by the GPU.
class Clock {
 public:
  Clock() {
    require(cudaEventCreate(&begin_), "cudaEventCreate");
    require(cudaEventCreate(&end_), "cudaEventCreate");
  }
  ~Clock() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;

  template <typename F>
  double seconds(const F& work) const {
    float milliseconds = 0;
    require(cudaEventRecord(begin_, nullptr), "cudaEventRecord");
    require(work(), "a sort");
    require(cudaEventRecord(end_, nullptr), "cudaEventRecord");
    require(cudaEventSynchronize(end_), "a sort");
    require(cudaEventElapsedTime(&milliseconds, begin_, end_), "cudaEventElapsedTime");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

uint64_t mixed(uint64_t x) {  // splitmix64
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// Keys of all their bits, each of which occurs twice on average or more often: a stable order differs from others.
template <typename Key>
std::vector<Key> make_keys(int64_t n) {
  std::vector<Key> keys(static_cast<size_t>(n));
  const uint64_t different = static_cast<uint64_t>(n) / 2 + 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    const uint64_t which = mixed((i + 1) * 0x9E3779B97F4A7C15u) % different;
    keys[i] = static_cast<Key>(mixed((which + 1) * 0xD1B54A32D192ED03u) >> (64 - 8 * sizeof(Key)));
  }
  return keys;
}

// Whether `order` has each position once, in the order of the keys and, for equal ones, of the positions.
template <typename Key>
bool is_stable_order(const std::vector<Key>& keys, const Memory<uint32_t>& memory) {
  std::vector<uint32_t> order(keys.size());
  memory.read(order.data());
  const auto comes_before = [&](uint32_t a, uint32_t b) { return keys[a] < keys[b] || (keys[a] == keys[b] && a < b); };
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= keys.size() || (i > 0 && !comes_before(order[i - 1], order[i]))) return false;
  }
  return true;
}

// The sort of the vendor, whose keys have 32 bits or 64.
template <typename Key>
class Ours {
 public:
  explicit Ours(const std::vector<Key>& keys) : given_(keys.begin(), keys.end()) {}

  double sample(const Clock& clock) {
    using namespace impl::cuda;  // NOLINT(google-build-using-namespace)
    keys_.set(given_.data());
    if (n_ <= kMostInBlock) {
      return clock.seconds([&] { return sort_in_blocks(nullptr, keys_.get(), kWide, 1, n_, orders_[0].get()); });
    }
    const RadixSort call{
        kWide, kPasses, 1, n_, {keys_.get(), others_.get()}, {orders_[0].get(), orders_[1].get()}, counts_.get()};
    return clock.seconds([&] { return sort_by_radix(nullptr, call); });
  }
  const Memory<uint32_t>& order() const { return orders_[n_ <= impl::cuda::kMostInBlock ? 0 : (kPasses - 1) % 2]; }

 private:
  using Wide = std::conditional_t<sizeof(Key) == 8, uint64_t, uint32_t>;
  static constexpr bool kWide = sizeof(Key) == 8;
  static constexpr int kPasses = sizeof(Key);
  std::vector<Wide> given_;
  int64_t n_ = static_cast<int64_t>(given_.size());
  Memory<Wide> keys_{n_}, others_{n_};
  Memory<uint32_t> orders_[2] = {Memory<uint32_t>(n_), Memory<uint32_t>(n_)};
  Memory<uint32_t> counts_{impl::cuda::radix_counts(kWide, 1, n_)};
};

template <typename Key>
size_t scratch_of(int64_t n) {
  size_t bytes = 0;
  require(find_cub_scratch<Key>(n, &bytes), "CUB");
  return bytes;
}

template <typename Key>
class Cub {
 public:
  explicit Cub(const std::vector<Key>& keys) : n_(static_cast<int64_t>(keys.size())) { keys_.set(keys.data()); }

  double sample(const Clock& clock) {
    const CubCall<Key> call{keys_.get(), sorted_.get(),  positions_.get(), order_.get(),
                            n_,          scratch_.get(), scratch_bytes_};
    return clock.seconds([&] { return sort_by_cub(nullptr, call); });
  }
  const Memory<uint32_t>& order() const { return order_; }

 private:
  int64_t n_;
  Memory<Key> keys_{n_}, sorted_{n_};
  Memory<uint32_t> positions_{n_}, order_{n_};
  size_t scratch_bytes_ = scratch_of<Key>(n_);
  Memory<char> scratch_{static_cast<int64_t>(scratch_bytes_)};
};

// Returns whether both orders are right.
template <typename Key>
bool compare(int samples, int64_t n) {
  const std::vector<Key> keys = make_keys<Key>(n);
  const Clock clock;
  Ours<Key> ours(keys);
  Cub<Key> cub(keys);
  double shortest[2] = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  for (int i = -2; i < samples; ++i) {  // two calls of each side do not count
    const double seconds[2] = {ours.sample(clock), cub.sample(clock)};
    for (int side = 0; side < 2 && i >= 0; ++side) shortest[side] = std::min(shortest[side], seconds[side]);
  }
  const bool right[2] = {is_stable_order(keys, ours.order()), is_stable_order(keys, cub.order())};
  std::printf("{\"bits\": %d, \"n\": %" PRId64 ", \"diopi\": %.9g, \"cub\": %.9g, \"right\": [%s, %s]}\n",
              static_cast<int>(8 * sizeof(Key)), n, shortest[0], shortest[1], right[0] ? "true" : "false",
              right[1] ? "true" : "false");
  std::fflush(stdout);
  return right[0] && right[1];
}

int run(int samples, const std::vector<int64_t>& lengths) {
  bool right = true;
  std::printf("{\"cub\": %d}\n", cub_version());
  for (const int64_t n : lengths) {
    right = compare<uint8_t>(samples, n) && right;
    right = compare<uint16_t>(samples, n) && right;
    right = compare<uint32_t>(samples, n) && right;
    right = compare<uint64_t>(samples, n) && right;
  }
  return right ? 0 : 1;
}

}  // namespace
}  // namespace cuda_sort

int main(int count, char** words) {
  const auto number = [](const char* word) { return std::strtoll(word, nullptr, 10); };
  std::vector<int64_t> lengths;
  for (int i = 2; i < count; ++i) lengths.push_back(number(words[i]));
  const int64_t samples = count > 1 ? number(words[1]) : 0;
  const bool is_right = std::all_of(lengths.begin(), lengths.end(), [](int64_t n) { return n > 0 && n < 1 << 30; });
  if (samples < 1 || samples > 1000 || lengths.empty() || !is_right) {
    std::fprintf(stderr, "usage: diopi_bench_sort SAMPLES LENGTH...\n");
    return 2;
  }
  try {
    return cuda_sort::run(static_cast<int>(samples), lengths);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 3;
  }
}
