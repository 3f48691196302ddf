// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/vector_norm.hpp"

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/norm/vector_norm.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/norm/powers-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

double order_of(const void* params) { return *static_cast<const double*>(params); }

// The functions of the reduction engine. Accumulators are doubles.
template <class Fold, class Term, bool kPrecise, typename S>
struct NormFold {
  static void init(void* accumulators, int64_t n) {
    std::fill_n(static_cast<double*>(accumulators), n, double{Fold::kIdentity});
  }
  static void fold_row(void* accumulator, const void* in, int64_t n, int64_t, const void* params) {
    double* a = static_cast<double*>(accumulator);
    *a = Fold::apply(*a, fold_terms<Fold, Term, kPrecise>(static_cast<const S*>(in), n, Term(order_of(params))));
  }
  static void fold_each(void* accumulators, const void* in, int64_t pitch, int64_t rows, int64_t n,
                        const void* params) {
    double* a = static_cast<double*>(accumulators);
    const Term term(order_of(params));
    for (int64_t i = 0; i < rows; ++i) {
      a[i] = fold_terms<Fold, Term, kPrecise>(reinterpret_cast<const S*>(static_cast<const char*>(in) + i * pitch), n,
                                              term);
    }
  }
  static void fold_column(void* accumulators, const void* in, int64_t n, int64_t, const void* params) {
    fold_each_term<Fold>(static_cast<double*>(accumulators), static_cast<const S*>(in), n, Term(order_of(params)));
  }
  static void merge(void* accumulators, const void* other, int64_t n) {
    double* a = static_cast<double*>(accumulators);
    const double* b = static_cast<const double*>(other);
    for (int64_t i = 0; i < n; ++i) a[i] = Fold::apply(a[i], b[i]);
  }
};

void finish_norms(void* const* out, const void* accumulators, int64_t n, int64_t, const void* params) {
  const double p = order_of(params);
  const double* a = static_cast<const double*>(accumulators);
  double* o = static_cast<double*>(out[0]);
  for (int64_t i = 0; i < n; ++i) o[i] = finish_norm(a[i], p);
}

template <class Fold, class Term, bool kPrecise, typename S>
const ReduceKernel* norm_kernel() {
  using F = NormFold<Fold, Term, kPrecise, S>;
  static const ReduceKernel kKernel = [] {
    ReduceKernel k;
    k.in = diopi::dtype_of<S>;
    k.out[0] = diopi_dtype_float64;
    k.accumulator_size = sizeof(double);
    k.exact = !std::is_same_v<Fold, AddTerms>;
    k.run = static_cast<int64_t>(hn::Lanes(TagOf<S>())) * 128;
    k.init = F::init;
    k.fold_row = F::fold_row;
    k.fold_each = F::fold_each;
    k.fold_column = F::fold_column;
    k.merge = F::merge;
    k.finish = finish_norms;
    return k;
  }();
  return &kKernel;
}

const ReduceKernel* GetVectorNorm(diopiDtype_t dtype, double p, bool precise) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype, [p, precise](auto tag) {
    using S = diopi::tagged<decltype(tag)>;
    return with_order(p, [precise](auto fold, const auto* term) {
      using Fold = decltype(fold);
      using Term = std::remove_cv_t<std::remove_pointer_t<decltype(term)> >;
      if constexpr (kSumsInSingle<Fold, Term, S>) {
        if (precise) return norm_kernel<Fold, Term, true, S>();
      }
      return norm_kernel<Fold, Term, false, S>();
    });
  });
}

// The norm of a row of n packed elements. Runs are combined in their order.
template <typename S>
double norm_of_row(const S* x, int64_t n, double p) {
  const double order = diopi::norm_order(p, n);
  const double sum = with_order(order, [=](auto fold, const auto* type) {
    using Fold = decltype(fold);
    const std::remove_cv_t<std::remove_pointer_t<decltype(type)> > term(order);
    const int64_t run = vector_run<S>();
    double total = Fold::kIdentity;
    for (int64_t start = 0; start < n; start += run) {
      total = Fold::apply(total, fold_terms<Fold>(x + start, std::min(run, n - start), term));
    }
    return total;
  });
  return finish_norm(sum, order);
}

template <typename T>
T bounded_norm(double norm, double eps) {
  return static_cast<T>(norm < eps ? eps : norm);
}

template <typename S>
void normalize_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& p = *static_cast<const NormalizeParams*>(params);
  const S* x = static_cast<const S*>(in[0]);
  S* y = static_cast<S*>(out[0]);
  const auto divisor = hn::Set(TagOf<S>(), bounded_norm<ComputeOf<S> >(norm_of_row(x, n, p.p), p.eps));
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) { store(hn::Div(load(x + i), divisor), y + i); });
}

// The derivative of a norm of order p with respect to its elements x, times g.
template <typename T>
class NormSlope {
 public:
  explicit NormSlope(double p) : p_(p), exponent_(static_cast<T>(p - 1)) {}

  template <class D, class V>
  HWY_INLINE V operator()(D d, V g, V x, V norm) const {
    const V zero = hn::Zero(d);
    if (p_ == 0) return zero;
    const V sign = hn::IfThenElse(hn::Or(hn::Eq(x, zero), hn::IsNaN(x)), zero, hn::CopySign(hn::Set(d, T(1)), x));
    if (p_ == 1) return hn::Mul(sign, g);
    if (p_ - p_ != 0) {
      return hn::IfThenElseZero(hn::Or(hn::Eq(hn::Abs(x), norm), hn::IsNaN(x)), hn::Mul(sign, g));
    }
    if (p_ == 2) return hn::IfThenZeroElse(hn::Eq(norm, zero), hn::Mul(hn::Div(x, norm), g));
    const V power = Pow(d, hn::Div(hn::Abs(x), norm), hn::Set(d, exponent_));
    return hn::IfThenZeroElse(hn::Eq(p_ < 1 ? x : norm, zero), hn::Mul(hn::Mul(sign, power), g));
  }

 private:
  double p_;
  T exponent_;
};

// The number of elements that equal an extreme norm.
template <typename S>
double count_extremes(const S* x, int64_t n, double norm) {
  const TagOf<S> d;
  const auto norm_v = hn::Set(d, static_cast<ComputeOf<S> >(norm));
  return sum_vectors<S>(n, [&](int64_t i, auto load, auto) {
    const auto v = load(x + i);
    return hn::IfThenElseZero(hn::Or(hn::Eq(hn::Abs(v), norm_v), hn::IsNaN(v)), hn::Set(d, ComputeOf<S>(1)));
  });
}

template <typename S>
double dot_of_row(const S* a, const S* b, int64_t n) {
  return sum_vectors<S>(n, [&](int64_t i, auto load, auto) { return hn::Mul(load(a + i), load(b + i)); });
}

template <typename S>
void normalize_backward_row(void* const* out, const void* const* in, int64_t n, const void* params) {
  using T = ComputeOf<S>;
  const TagOf<S> d;
  const auto& p = *static_cast<const NormalizeParams*>(params);
  const S* dy = static_cast<const S*>(in[0]);
  const S* x = static_cast<const S*>(in[1]);
  S* dx = static_cast<S*>(out[0]);
  const double norm = norm_of_row(x, n, p.p), divisor = norm < p.eps ? p.eps : norm;
  double slope = norm < p.eps ? 0 : -dot_of_row(dy, x, n) / divisor / divisor;
  if (p.p - p.p != 0) slope /= count_extremes(x, n, norm);
  const auto slope_v = hn::Set(d, static_cast<T>(slope)), norm_v = hn::Set(d, static_cast<T>(norm));
  const auto divisor_v = hn::Set(d, static_cast<T>(divisor));
  const NormSlope<T> of_norm(p.p);
  for_vectors<S>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto direct = hn::Div(load(dy + i), divisor_v);
    store(slope == 0 ? direct : hn::Add(direct, of_norm(d, slope_v, load(x + i), norm_v)), dx + i);
  });
}

template <typename T>
void backward_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const TagOf<T> d;
  const NormSlope<T> of_norm(order_of(params));
  const T *g = static_cast<const T*>(in[0]), *x = static_cast<const T*>(in[1]), *norm = static_cast<const T*>(in[2]);
  T* dx = static_cast<T*>(out[0]);
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    store(of_norm(d, load(g + i), load(x + i), load(norm + i)), dx + i);
  });
}

template <typename T>
void is_extreme_block(void* const* out, const void* const* in, int64_t n, const void*) {
  const TagOf<T> d;
  const T *x = static_cast<const T*>(in[0]), *norm = static_cast<const T*>(in[1]);
  T* result = static_cast<T*>(out[0]);
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto v = load(x + i);
    const auto hit = hn::Or(hn::Eq(hn::Abs(v), load(norm + i)), hn::IsNaN(v));
    store(hn::IfThenElseZero(hit, hn::Set(d, T(1))), result + i);
  });
}

template <typename T>
void divide_by_norm_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const TagOf<T> d;
  const auto eps = hn::Set(d, static_cast<T>(order_of(params)));
  const T *x = static_cast<const T*>(in[0]), *norm = static_cast<const T*>(in[1]);
  T* y = static_cast<T*>(out[0]);
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto v = load(norm + i);
    store(hn::Div(load(x + i), hn::IfThenElse(hn::Lt(v, eps), eps, v)), y + i);
  });
}

template <typename T>
void normalize_backward_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const TagOf<T> d;
  const auto& p = *static_cast<const NormalizeParams*>(params);
  const auto eps = hn::Set(d, static_cast<T>(p.eps)), zero = hn::Zero(d);
  const NormSlope<T> of_norm(p.p);
  const T *dy = static_cast<const T*>(in[0]), *x = static_cast<const T*>(in[1]);
  const T *norms = static_cast<const T*>(in[2]), *sums = static_cast<const T*>(in[3]);
  T* dx = static_cast<T*>(out[0]);
  for_vectors<T>(n, [&](int64_t i, auto load, auto store, auto) {
    const auto norm = load(norms + i);
    const auto small = hn::Lt(norm, eps);
    const auto divisor = hn::IfThenElse(small, eps, norm);
    const auto slope = hn::IfThenZeroElse(small, hn::Neg(hn::Div(hn::Div(load(sums + i), divisor), divisor)));
    const auto direct = hn::Div(load(dy + i), divisor);
    const auto both = hn::Add(direct, of_norm(d, slope, load(x + i), norm));
    store(hn::IfThenElse(hn::Eq(slope, zero), direct, both), dx + i);
  });
}

RowFn GetNormalize(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return normalize_row<diopi::tagged<decltype(tag)> >; });
}
RowFn GetNormalizeBackward(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(
      dtype, [](auto tag) { return normalize_backward_row<diopi::tagged<decltype(tag)> >; });
}
BlockFn GetBackward(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? backward_block<double> : backward_block<float>;
}
BlockFn GetIsExtreme(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? is_extreme_block<double> : is_extreme_block<float>;
}
BlockFn GetNormalizeBackwardBlock(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? normalize_backward_block<double> : normalize_backward_block<float>;
}
BlockFn GetDivideByNorm(diopiDtype_t dtype) {
  return dtype == diopi_dtype_float64 ? divide_by_norm_block<double> : divide_by_norm_block<float>;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetVectorNorm);
HWY_EXPORT(GetNormalize);
HWY_EXPORT(GetNormalizeBackward);
HWY_EXPORT(GetBackward);
HWY_EXPORT(GetIsExtreme);
HWY_EXPORT(GetNormalizeBackwardBlock);
HWY_EXPORT(GetDivideByNorm);

const ReduceKernel* vector_norm_kernel(diopiDtype_t dtype, double p, bool precise) {
  return HWY_DYNAMIC_DISPATCH(GetVectorNorm)(dtype, p, precise);
}
RowFn normalize_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetNormalize)(dtype); }
RowFn normalize_backward_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetNormalizeBackward)(dtype); }
BlockFn vector_norm_backward_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetBackward)(dtype); }
BlockFn is_extreme_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetIsExtreme)(dtype); }
BlockFn normalize_backward_block_kernel(diopiDtype_t dtype) {
  return HWY_DYNAMIC_DISPATCH(GetNormalizeBackwardBlock)(dtype);
}
BlockFn divide_by_norm_kernel(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetDivideByNorm)(dtype); }
}  // namespace impl::cpu
#endif
