// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/equal.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/common/unsupported.hpp"
#include "impl/cpu/pointwise/binary.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kRange = kElementRange;

// The elements of a tensor in one dtype, range after range.
class Ranges {
 public:
  Ranges(const TensorView& view, diopiDtype_t dtype)
      : view_(view), dtype_(dtype), in_place_(view.is_contiguous() && view.dtype == dtype) {}

  const char* get(int64_t first, int64_t count) {
    if (in_place_) return view_.data + first * view_.itemsize();
    gather_range(view_, first, count, dtype_, buffer_);
    return buffer_;
  }

 private:
  const TensorView& view_;
  diopiDtype_t dtype_;
  bool in_place_;
  alignas(64) char buffer_[kRange * 16];
};

bool any_byte(const char* bytes, int64_t n) {
  char any = 0;
  for (int64_t i = 0; i < n; ++i) any = static_cast<char>(any | bytes[i]);
  return any != 0;
}

}  // namespace

Status all_equal(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, diopiDtype_t promoted,
                 bool* equal) {
  const diopiDtype_t compute = diopi::compute_dtype(promoted);
  const bool exact = diopi::is_exact(compute);  // equal numbers have equal bits
  const BlockFn differs = exact ? nullptr : compare_kernel(BinaryOp::kNe, compute);
  if (!exact && differs == nullptr) return diopi::unsupported_dtype(promoted, {&a, &b});
  const int64_t size = diopi::dtype_size(compute), ranges = (a.numel + kRange - 1) / kRange;
  std::atomic<bool> same{true};
  diopi::parallel_for(ranges, diopi::Picoseconds{kRange * 200}, [&](int64_t begin, int64_t end) {
    Ranges left(a, compute), right(b, compute);
    alignas(64) char found[kRange];
    for (int64_t i = begin; i < end && same.load(std::memory_order_relaxed); ++i) {
      const int64_t first = i * kRange, count = std::min(kRange, a.numel - first);
      const void* const in[] = {left.get(first, count), right.get(first, count)};
      void* const out[] = {found};
      if (differs != nullptr) differs(out, in, count, nullptr);
      const bool unequal =
          exact ? std::memcmp(in[0], in[1], static_cast<size_t>(count * size)) != 0 : any_byte(found, count);
      if (unequal) same.store(false, std::memory_order_relaxed);
    }
  });
  *equal = same.load();
  return diopiSuccess;
}

}  // namespace impl::cpu
