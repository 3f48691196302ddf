// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/reduce/kernels.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/reduce/kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/engine/reduce/extremes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

using diopi::complex128;
using diopi::complex64;

// Functions of a kernel whose accumulator is one value of the elements' type.
template <class Op, typename T>
struct Plain {
  static void init(void* accumulators, int64_t n) {
    std::fill_n(static_cast<T*>(accumulators), n, Op::template identity<T>());
  }
  static void fold_row(void* accumulator, const void* in, int64_t n, int64_t, const void*) {
    T* a = static_cast<T*>(accumulator);
    const T* x = static_cast<const T*>(in);
    if constexpr (Op::kExact || std::is_integral_v<T>) {
      *a = Op::apply(*a, fold_in_any_order<Op>(x, n));
    } else {
      *a = Op::apply(*a, fold<Op>(x, n));
    }
  }
  static void fold_each(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, const void*) {
    T* a = static_cast<T*>(accumulators);
    const char* row = static_cast<const char*>(in);
    if (n <= 2) return fold_few<2>(a, row, pitch, rows, n);
    if (n <= 4) return fold_few<4>(a, row, pitch, rows, n);
    if (n <= 8) return fold_few<8>(a, row, pitch, rows, n);
    if constexpr (Op::kExact) {
      const int64_t lanes = static_cast<int64_t>(hn::Lanes(hn::ScalableTag<T>()));
      if (lanes <= n && n <= 4 * lanes) {
        for (; rows > 0; --rows, ++a, row += pitch) *a = extreme_of_short_row<Op>(reinterpret_cast<const T*>(row), n);
        return;
      }
      if (rows < kRowsApart) {  // then only the parts of a row can be read in turns
        for (int64_t i = 0; i < rows; ++i) a[i] = fold_in_any_order<Op>(reinterpret_cast<const T*>(row + i * pitch), n);
        return;
      }
    }
    fold_each_row<Op>(row, pitch, rows, n, a);
  }
  // Folds rows of at most kMost elements one element after another: a vector would have to be folded lane by lane.
  template <int kMost>
  static void fold_few(T* a, const char* row, int64_t pitch, int64_t rows, int64_t n) {
    for (int64_t i = 0; i < rows; ++i, row += pitch) {
      const T* x = reinterpret_cast<const T*>(row);
      T value = x[0];
      for (int k = 1; k < kMost; ++k) {
        if (k < n) value = Op::apply(value, x[k]);
      }
      a[i] = value;
    }
  }
  static void fold_column(void* accumulators, const void* in, int64_t n, int64_t, const void*) {
    merge(accumulators, in, n);
  }
  static void fold_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t,
                        const void*) {
    fold_extreme_rows<Op>(static_cast<T*>(accumulators), static_cast<const T*>(in), pitch, rows, n);
  }
  static void merge(void* accumulators, const void* other, int64_t n) {
    T* a = static_cast<T*>(accumulators);
    const T* b = static_cast<const T*>(other);
    IMPL_CPU_INDEPENDENT
    for (int64_t i = 0; i < n; ++i) a[i] = Op::apply(a[i], b[i]);
  }
  static void finish(void* const* out, const void* accumulators, int64_t n, int64_t, const void*) {
    std::copy_n(static_cast<const T*>(accumulators), n, static_cast<T*>(out[0]));
  }
};

// Short vectors of at most n elements. Without masks, a load may read behind the elements if the caller says so; those
// lanes are not used.
template <typename T, int64_t kBytes>
struct ShortVector {
  static constexpr int64_t kMost = kBytes / static_cast<int64_t>(sizeof(T));
  using Tag = hn::CappedTag<T, kMost>;
  int64_t n;

  HWY_INLINE hn::Vec<Tag> load(const T* p, bool may_read_behind) const {
#if IMPL_CPU_MASKS_MEMORY
    (void)may_read_behind;
    return hn::MaskedLoad(hn::FirstN(Tag(), static_cast<size_t>(n)), Tag(), p);
#else
    if (may_read_behind || n == kMost) return hn::LoadU(Tag(), p);
    return load_n(Tag(), p, static_cast<size_t>(n));
#endif
  }
  HWY_INLINE void store(hn::Vec<Tag> v, T* p) const {
#if IMPL_CPU_MASKS_MEMORY
    hn::BlendedStore(v, hn::FirstN(Tag(), static_cast<size_t>(n)), Tag(), p);
#else
    n == kMost ? hn::StoreU(v, Tag(), p) : store_n(v, Tag(), p, static_cast<size_t>(n));
#endif
  }
};

// add_rows() for rows of at most kBytes: the total stays in a register.
template <typename T, int64_t kBytes>
void add_short_rows(T* total, const T* in, int64_t pitch, int64_t rows, int64_t n) {
  constexpr int64_t kLine = 64, kPage = 4096;
  const ShortVector<T, kBytes> vectors{n};
  const char* const first = reinterpret_cast<const char*>(in);
  // A load of kBytes from here on would read behind the last row.
  const int64_t limit = pitch <= 0 ? 0 : (rows - 1) * pitch + n * static_cast<int64_t>(sizeof(T)) - kBytes + 1;
  const auto row = [&](int64_t i) HWY_ATTR {
    return vectors.load(reinterpret_cast<const T*>(first + i * pitch), i * pitch < limit);
  };
  // On AMD's processors, too: they fetch ahead of vectors by themselves, but a Zen 5 does not for loads of 12 bytes.
  const int64_t fetched = pitch <= kLine ? rows * pitch : 0;
  for (int64_t at = 0; at < fetched; at += kLine) hwy::Prefetch(first + at + kPage);
  auto sum = vectors.load(total, false);
  int64_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    const auto a = hn::Add(hn::Add(row(i), row(i + 1)), hn::Add(row(i + 2), row(i + 3)));
    const auto b = hn::Add(hn::Add(row(i + 4), row(i + 5)), hn::Add(row(i + 6), row(i + 7)));
    sum = hn::Add(sum, hn::Add(a, b));
  }
  for (; i < rows; ++i) sum = hn::Add(sum, row(i));
  vectors.store(sum, total);
}

template <typename T>
void sum_rows(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n, int64_t, const void*) {
  T* const total = static_cast<T*>(accumulators);
  const T* const x = static_cast<const T*>(in);
  const int64_t bytes = n * static_cast<int64_t>(sizeof(T));
  if (n > lanes_of<T>() || bytes > 32) return add_rows(total, x, pitch, rows, n);
  if (bytes <= 16) return add_short_rows<T, 16>(total, x, pitch, rows, n);
  add_short_rows<T, 32>(total, x, pitch, rows, n);
}

template <typename T>
void finish_mean(void* const* out, const void* accumulators, int64_t n, int64_t count, const void*) {
  const T* a = static_cast<const T*>(accumulators);
  T* o = static_cast<T*>(out[0]);
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_floating_point_v<T>) {
      o[i] = a[i] / static_cast<T>(count);
    } else {
      o[i] = a[i] / static_cast<typename T::value_type>(count);
    }
  }
}

void finish_predicate(void* const* out, const void* accumulators, int64_t n, int64_t, const void*) {
  const uint8_t* a = static_cast<const uint8_t*>(accumulators);
  uint8_t* o = static_cast<uint8_t*>(out[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = a[i] != 0;
}

template <class Op, typename T>
const ReduceKernel* plain_kernel(diopiDtype_t dtype,
                                 void (*finish)(void* const*, const void*, int64_t, int64_t, const void*)) {
  using P = Plain<Op, T>;
  static const ReduceKernel kKernel = [&] {
    ReduceKernel k;
    k.in = k.out[0] = dtype;
    k.accumulator_size = sizeof(T);
    k.exact = Op::kExact || std::is_integral_v<T>;
    if constexpr (std::is_floating_point_v<T>) k.run = run_of<T>();
    if constexpr (std::is_base_of_v<SumOp, Op> && std::is_floating_point_v<T>) k.fold_rows = sum_rows<T>;
    if constexpr (Op::kExact) k.fold_rows = P::fold_rows;
    k.init = P::init;
    k.fold_row = P::fold_row;
    k.fold_each = P::fold_each;
    k.fold_column = P::fold_column;
    k.merge = P::merge;
    k.finish = finish;
    return k;
  }();
  return &kKernel;
}

template <class Op>
const ReduceKernel* accumulating(diopiDtype_t dtype) {
  using Types = diopi::TypeList<int64_t, float, double, complex64, complex128>;
  return diopi::kernel_for<Types>(dtype, [dtype](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return plain_kernel<Op, T>(dtype, Plain<Op, T>::finish);
  });
}

// A separate type, so that the mean has its own kernel beside the sum's.
struct MeanOp : SumOp {};

const ReduceKernel* mean(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::WideInexactTypes>(dtype, [dtype](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return plain_kernel<MeanOp, T>(dtype, finish_mean<T>);
  });
}

template <class Op>
const ReduceKernel* extremum(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::RealTypes>(dtype, [dtype](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    return plain_kernel<Op, T>(dtype, Plain<Op, T>::finish);
  });
}

// Extrema of truth values. They are separate types, because the kernels of uint8 have another dtype.
struct AnyOp : ExtremumOp<true> {};
struct AllOp : ExtremumOp<false> {};
struct BoolMaxOp : ExtremumOp<true> {};
struct BoolMinOp : ExtremumOp<false> {};

const ReduceKernel* GetReduce(ReduceOp op, diopiDtype_t dtype) {
  const bool is_bool = dtype == diopi_dtype_bool;
  switch (op) {
    case ReduceOp::kSum:
      return accumulating<SumOp>(dtype);
    case ReduceOp::kMean:
      return mean(dtype);
    case ReduceOp::kProd:
      return accumulating<ProdOp>(dtype);
    case ReduceOp::kMaximum:
      return is_bool ? plain_kernel<BoolMaxOp, uint8_t>(dtype, finish_predicate) : extremum<ExtremumOp<true>>(dtype);
    case ReduceOp::kMinimum:
      return is_bool ? plain_kernel<BoolMinOp, uint8_t>(dtype, finish_predicate) : extremum<ExtremumOp<false>>(dtype);
    case ReduceOp::kAny:
      return plain_kernel<AnyOp, uint8_t>(diopi_dtype_bool, finish_predicate);
    case ReduceOp::kAll:
      return plain_kernel<AllOp, uint8_t>(diopi_dtype_bool, finish_predicate);
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetReduce);

const ReduceKernel* reduce_kernel(ReduceOp op, diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetReduce)(op, dtype);
}
}  // namespace impl::cpu
#endif
