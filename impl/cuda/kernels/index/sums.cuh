// SPDX-License-Identifier: BSD-3-Clause
// Sums and products whose error does not grow with the number of terms: real and complex numbers are summed in float64,
// and those of float64 keep the rounding errors in a second sum.
#ifndef IMPL_CUDA_KERNELS_INDEX_SUMS_CUH_
#define IMPL_CUDA_KERNELS_INDEX_SUMS_CUH_

#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

// add() divides the term by a number. Integers wrap around. A sum of bools is not zero if one of them is true.
struct Integers {
  using Number = uint64_t;
  uint64_t value;

  __device__ explicit Integers(uint64_t start) : value(start) {}
  __device__ void add(uint64_t x, int64_t divisor = 1) { value += divisor == 1 ? x : 0; }  // 1 / divisor is 0
  __device__ void multiply(uint64_t x) { value *= x; }
  __device__ uint64_t result() const { return value; }
};

struct Reals {
  using Number = double;
  double value;

  __device__ explicit Reals(double start) : value(start) {}
  __device__ void add(double x, int64_t divisor = 1) { value += divisor == 1 ? x : x / static_cast<double>(divisor); }
  __device__ void multiply(double x) { value *= x; }
  __device__ double result() const { return value; }
};

struct LongReals {
  using Number = double;
  double value, lost = 0;

  __device__ explicit LongReals(double start) : value(start) {}
  __device__ void add(double x, int64_t divisor = 1) {
    const double term = divisor == 1 ? x : x / static_cast<double>(divisor);
    const double next = value + term, added = next - value;
    lost += (value - (next - added)) + (term - added);
    value = next;
  }
  __device__ void multiply(double x) { value *= x; }
  // `lost` is NaN if the sum is not finite.
  __device__ double result() const { return lost == lost && lost != 0 ? value + lost : value; }
};

template <typename Part>
struct ComplexNumbers {
  using Number = Complex128;
  Part re, im;

  __device__ explicit ComplexNumbers(Complex128 start) : re(start.re), im(start.im) {}
  __device__ void add(Complex128 x, int64_t divisor = 1) {
    re.add(x.re, divisor);
    im.add(x.im, divisor);
  }
  __device__ void multiply(Complex128 x) {
    const double real = re.value * x.re - im.value * x.im;
    im.value = re.value * x.im + im.value * x.re;
    re.value = real;
  }
  __device__ Complex128 result() const { return Complex128(re.result(), im.result()); }
};

// Returns f(TypeTag<Sum>) for the sums of elements of `dtype`.
template <typename F>
cudaError_t with_sum(diopiDtype_t dtype, const F& f) {
  switch (dtype) {
    case diopi_dtype_float16:
    case diopi_dtype_bfloat16:
    case diopi_dtype_float32:
      return f(diopi::TypeTag<Reals>{});
    case diopi_dtype_float64:
      return f(diopi::TypeTag<LongReals>{});
    case diopi_dtype_complex64:
      return f(diopi::TypeTag<ComplexNumbers<Reals>>{});
    case diopi_dtype_complex128:
      return f(diopi::TypeTag<ComplexNumbers<LongReals>>{});
    default:
      return f(diopi::TypeTag<Integers>{});
  }
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_SUMS_CUH_
