// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/index/scatter_reduce_1d.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/index/index_combine.hpp"
#include "impl/cpu/engine/index/long_sums.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/index/scatter_reduce_1d.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET <= HWY_AVX3

namespace hn = hwy::HWY_NAMESPACE;

// The lanes of v where the mask is true, first. GCC copies the table of Highway's Compress() for 64-bit lanes to the
// stack in each call, 2 KiB; for 32-bit lanes it is an instruction.
template <class D>
HWY_INLINE hn::Vec<D> compress(D d, hn::Vec<D> v, hn::Mask<D> mask) {
  const hn::Repartition<uint32_t, D> halves;
  const auto of_halves = hn::MaskFromVec(hn::BitCast(halves, hn::VecFromMask(d, mask)));
  return hn::BitCast(d, hn::Compress(hn::BitCast(halves, v), of_halves));
}

// U: the unsigned type as wide as the values. I: the type of the index. A vector has as many lanes as the wider of the
// two types allows.
template <typename U, typename I>
bool distribute(const LineValues& from, int64_t begin, int64_t end, int64_t size, int64_t width, int count,
                LineLists* lists) {
  using Wide = std::conditional_t<sizeof(U) + sizeof(I) == 8, int32_t, int64_t>;
  const hn::ScalableTag<Wide> wide;
  const hn::Rebind<I, decltype(wide)> of_index;
  const hn::Rebind<U, decltype(wide)> d;
  const hn::RebindToUnsigned<decltype(wide)> unsigned_wide;
  const I* const index = static_cast<const I*>(from.index);
  const U* const values = reinterpret_cast<const U*>(from.values);
  const auto lanes = static_cast<int64_t>(hn::Lanes(wide));
  const auto last = hn::Set(wide, static_cast<Wide>(size - 1));
  const auto part = hn::Set(d, static_cast<U>(width));
  auto outside = hn::Zero(wide);  // a lane with its sign bit set holds an index out of range
  U* at[kMaxLineThreads];
  U* value[kMaxLineThreads];
  for (int b = 0; b < count; ++b) {
    at[b] = reinterpret_cast<U*>(lists->at[b]);
    value[b] = reinterpret_cast<U*>(lists->value[b]);
  }
  int64_t i = begin;
  for (; i + lanes <= end; i += lanes) {
    const auto entry = hn::LoadU(of_index, index + i);
    auto position = hn::Undefined(wide);
    if constexpr (sizeof(I) < sizeof(Wide)) {
      position = hn::PromoteTo(wide, entry);
    } else {
      position = entry;
    }
    outside = hn::Or(outside, hn::Or(position, hn::Sub(last, position)));
    auto place = hn::Undefined(d);
    if constexpr (sizeof(U) < sizeof(Wide)) {
      place = hn::TruncateTo(d, hn::BitCast(unsigned_wide, position));
    } else {
      place = hn::BitCast(d, position);
    }
    const auto v = hn::LoadU(d, values + i);
    auto first = hn::Zero(d);
    for (int b = 0; b < count; ++b) {
      const auto here = hn::Lt(hn::Sub(place, first), part);
      // CompressStore() to memory takes more than 100 cycles on an AMD EPYC (Zen 4).
      const auto n = hn::CountTrue(d, here);
      hn::StoreU(compress(d, v, here), d, value[b]);
      hn::StoreU(compress(d, place, here), d, at[b]);
      value[b] += n;
      at[b] += n;
      first = hn::Add(first, part);
    }
  }
  bool fits = hn::AllFalse(wide, hn::Lt(outside, hn::Zero(wide)));
  for (; i < end; ++i) {
    const auto position = static_cast<int64_t>(index[i]);
    if (position < 0 || position >= size) return false;
    const int64_t b = position / width;
    *at[b]++ = static_cast<U>(position);
    *value[b]++ = values[i];
  }
  for (int b = 0; b < count; ++b) lists->count[b] = at[b] - reinterpret_cast<U*>(lists->at[b]);
  return fits;
}

DistributeFn GetDistribute(int64_t item_size, bool is_int64) {
  if (item_size == 4) return is_int64 ? distribute<uint32_t, int64_t> : distribute<uint32_t, int32_t>;
  return is_int64 ? distribute<uint64_t, int64_t> : distribute<uint64_t, int32_t>;
}

#else  // Without an instruction for it, dividing the values takes longer than combining them on one thread.

DistributeFn GetDistribute(int64_t, bool) { return nullptr; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {

using diopi::Status;

HWY_EXPORT(GetDistribute);

DistributeFn distribute_function(int64_t item_size, bool is_int64) {
  if (item_size != 4 && item_size != 8) return nullptr;
  return HWY_DYNAMIC_DISPATCH(GetDistribute)(item_size, is_int64);
}

template <typename T, class Op>
void ScatterReduce1d::combine(char* line, int64_t step, const char* at, const char* value, int64_t n) {
  using U = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  for (int64_t i = 0; i < n; ++i) {
    U item;
    std::memcpy(&item, at + i * static_cast<int64_t>(sizeof(U)), sizeof(U));
    Op::apply(line + static_cast<int64_t>(item) * step, value + i * static_cast<int64_t>(sizeof(T)));
  }
}

Status ScatterReduce1d::prepare(diopiContextHandle_t ctx, Accumulate op, diopiDtype_t dtype, void* line, int64_t size,
                                int64_t step, bool is_int64) {
  line_ = static_cast<char*>(line);
  size_ = size;
  step_ = step;
  index_detail::visit_accumulator(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) {
      combine_ = op == Accumulate::kAdd ? combine<T, index_detail::Combine<T, Accumulate::kAdd>>
                                        : combine<T, index_detail::Combine<T, Accumulate::kMultiply>>;
    }
  });
  return make_lists(ctx, dtype, is_int64);
}

Status ScatterReduce1d::prepare_long(diopiContextHandle_t ctx, diopiDtype_t dtype, void* sums, int64_t size,
                                     int64_t step, bool is_int64) {
  line_ = static_cast<char*>(sums);
  size_ = size;
  step_ = step;
  DIOPI_TRY(diopi::visit_dtype<index_detail::InexactTypes>(dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    if constexpr (sizeof(T) == 4 || sizeof(T) == 8) combine_ = combine<T, index_detail::AddLong<T>>;
    return diopiSuccess;
  }));
  return make_lists(ctx, dtype, is_int64);
}

Status ScatterReduce1d::make_lists(diopiContextHandle_t ctx, diopiDtype_t dtype, bool is_int64) {
  const int64_t item = diopi::dtype_size(dtype);
  threads_ = omp_in_parallel() != 0 ? 1 : std::min(omp_get_max_threads(), kMaxLineThreads);
  if (combine_ == nullptr || threads_ < 2 || size_ < threads_ || size_ > INT32_MAX) return diopiSuccess;
  distribute_ = distribute_function(item, is_int64);
  if (distribute_ == nullptr) return diopiSuccess;
  // Each list has room for all values of one thread and one vector more. The sizes place the lists in different cache
  // sets.
  room_ = (kValuesTogether / threads_ + 1) * item + int64_t{3} * 64;
  room_ = (room_ + 63) / 64 * 64;
  const int64_t threads = threads_, head = threads * static_cast<int64_t>(sizeof(LineLists));
  DIOPI_TRY(diopi::Workspace(ctx).take(head + 2 * threads * threads * room_, &memory_));
  for (int64_t t = 0; t < threads; ++t) {
    for (int64_t b = 0; b < threads; ++b) {
      lists()[t].at[b] = memory_ + head + 2 * (t * threads + b) * room_;
      lists()[t].value[b] = lists()[t].at[b] + room_;
    }
  }
  return diopiSuccess;
}

bool ScatterReduce1d::add(const LineValues& values) const {
  const ScatterReduce1d line = *this;
  const int64_t width = (size_ + threads_ - 1) / threads_;
  std::atomic<bool> valid{true};
  diopi::parallel_for(threads_, 1, [line, values, width, &valid](int64_t first, int64_t last) {
    for (int64_t t = first; t < last; ++t) {
      const int64_t begin = values.n * t / line.threads_, end = values.n * (t + 1) / line.threads_;
      if (!line.distribute_(values, begin, end, line.size_, width, line.threads_, line.lists() + t)) {
        valid.store(false, std::memory_order_relaxed);
      }
    }
  });
  if (!valid.load(std::memory_order_relaxed)) return false;
  diopi::parallel_for(threads_, 1, [line](int64_t first, int64_t last) {
    for (int64_t b = first; b < last; ++b) {
      for (int t = 0; t < line.threads_; ++t) {
        const LineLists& lists = line.lists()[t];
        line.combine_(line.line_, line.step_, lists.at[b], lists.value[b], lists.count[b]);
      }
    }
  });
  return true;
}

}  // namespace impl::cpu
#endif
