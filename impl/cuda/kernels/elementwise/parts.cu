// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/parts.hpp"

#include "impl/cuda/kernels/elementwise/complex_functions.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"

namespace impl::cuda {

namespace {

// Real inputs are read as complex numbers without an imaginary part.
template <typename R>
struct FromParts {
  static constexpr bool kGivesBool = false;
  __device__ Complex<R> operator()(const Complex<R> (&in)[2]) const { return Complex<R>(in[0].re, in[1].re); }
};

template <typename R>
struct FromPolar {
  static constexpr bool kGivesBool = false;
  __device__ Complex<R> operator()(const Complex<R> (&in)[2]) const {
    return Complex<R>(in[0].re * std::cos(in[1].re), in[0].re * std::sin(in[1].re));
  }
};

template <typename T>
struct Conjugate {
  static constexpr bool kGivesBool = false;
  __device__ T operator()(const T (&in)[1]) const { return conj(in[0]); }
};

template <typename T>
struct MaskedProduct {
  static constexpr bool kGivesBool = false;
  T scale;
  __device__ T operator()(const T (&in)[2]) const { return in[0] * (in[1] * scale); }
};

using Floating = diopi::TypeList<float, double>;

}  // namespace

Status launch_complex(const MapCall& call, diopiDtype_t real) {
  return diopi::visit_dtype<Floating>(real, [&](auto tag) -> Status {
    using R = diopi::tagged<decltype(tag)>;
    return launch_map<FromParts<R>, Complex<R>, 2>(call, FromParts<R>{});
  });
}

Status launch_polar(const MapCall& call, diopiDtype_t real) {
  return diopi::visit_dtype<Floating>(real, [&](auto tag) -> Status {
    using R = diopi::tagged<decltype(tag)>;
    return launch_map<FromPolar<R>, Complex<R>, 2>(call, FromPolar<R>{});
  });
}

Status launch_conjugate(const MapCall& call, diopiDtype_t dtype) {
  return diopi::visit_dtype<diopi::TypeList<Complex64, Complex128>>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Conjugate<T>, T, 1>(call, Conjugate<T>{});
  });
}

Status launch_masked_product(const MapCall& call, diopiDtype_t dtype, double scale) {
  return diopi::visit_dtype<Floating>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<MaskedProduct<T>, T, 2>(call, MaskedProduct<T>{static_cast<T>(scale)});
  });
}

}  // namespace impl::cuda
