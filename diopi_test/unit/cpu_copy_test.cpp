// The strided copy against the definition of a copy, over layouts chosen at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "impl/cpu/kernels/cast.hpp"
#include "impl/cpu/kernels/copy.hpp"

namespace {

using impl::cpu::CopyDim;

struct Layout {
  std::vector<CopyDim> dims;
  int64_t dst_room = 1, src_room = 1;  // elements
  int64_t src_start = 0;
};

// Loops in a random order on each side, with gaps, broadcasts and reversals on the source's.
Layout random_layout(std::mt19937* random) {
  const auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(*random);
  };
  Layout layout;
  const int n = static_cast<int>(pick(0, 5));
  for (int i = 0; i < n; ++i) layout.dims.push_back({pick(0, 20) == 0 ? 0 : pick(1, n > 3 ? 7 : 40), 0, 0});
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (const bool is_dst : {true, false}) {
    std::shuffle(order.begin(), order.end(), *random);
    int64_t step = pick(0, 3) == 0 ? 2 : 1;
    for (const int i : order) {
      CopyDim& d = layout.dims[i];
      if (is_dst) {
        d.dst_stride = step;
      } else if (pick(0, 5) == 0) {
        continue;  // broadcast
      } else {
        d.src_stride = step;
      }
      step *= std::max<int64_t>(d.extent, 1);
      if (pick(0, 4) == 0) step += pick(1, 3);
    }
    (is_dst ? layout.dst_room : layout.src_room) = step + 1;
  }
  for (CopyDim& d : layout.dims) {
    if (pick(0, 4) != 0 || d.extent == 0) continue;
    layout.src_start += (d.extent - 1) * d.src_stride;
    d.src_stride = -d.src_stride;
  }
  return layout;
}

TEST(CpuCopy, any_layout_and_dtype_is_copied_as_loops_would) {
  const diopiDtype_t dtypes[] = {diopi_dtype_int8,      diopi_dtype_bfloat16,  diopi_dtype_float32, diopi_dtype_float64,
                                 diopi_dtype_int64,     diopi_dtype_bool,      diopi_dtype_float16, diopi_dtype_uint32,
                                 diopi_dtype_complex64, diopi_dtype_complex128};
  std::mt19937 random(3);
  for (int round = 0; round < 3000; ++round) {
    const Layout layout = random_layout(&random);
    const diopiDtype_t from = dtypes[random() % 10], to = round % 2 == 0 ? from : dtypes[random() % 10];
    const int64_t in = diopi::dtype_size(from), out = diopi::dtype_size(to);
    // Small whole numbers, which every dtype holds.
    std::vector<int64_t> numbers(layout.src_room);
    for (int64_t& x : numbers) x = from == diopi_dtype_bool || to == diopi_dtype_bool ? random() % 2 : random() % 100;
    std::vector<char> src(layout.src_room * in), dst(layout.dst_room * out, 0x55), want;
    impl::cpu::cast_function(diopi_dtype_int64, from)(src.data(), numbers.data(), layout.src_room);
    want = dst;
    const char* start = src.data() + layout.src_start * in;
    int64_t count = 1;
    for (const CopyDim& d : layout.dims) count *= d.extent;
    for (int64_t k = 0; k < count; ++k) {
      int64_t rest = k, a = 0, b = 0;
      for (const CopyDim& d : layout.dims) {
        a += rest % d.extent * d.dst_stride;
        b += rest % d.extent * d.src_stride;
        rest /= d.extent;
      }
      impl::cpu::cast_function(from, to)(want.data() + a * out, start + b * in, 1);
    }
    impl::cpu::copy_strided(dst.data(), to, start, from, layout.dims.data(), static_cast<int>(layout.dims.size()));
    ASSERT_EQ(dst, want) << "round " << round << " from " << diopi::dtype_name(from) << " to " << diopi::dtype_name(to);
  }
}

}  // namespace
