// SPDX-License-Identifier: BSD-3-Clause
// Sums of the elements that an index sends to one place, by atomics on integers: they give the same in any order.
//
// Floating numbers become integers, too. A first kernel finds the greatest exponent of the terms of each place. It
// gives the unit of the place, in which the second kernel rounds each term to an integer of at most `bits` bits. The
// error of a term is at most half a unit: with 2^20 terms, 2^-43 of the greatest one.
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/index/source.cuh"
#include "impl/cuda/kernels/number.cuh"
#include "impl/cuda/kernels/power_of_two.cuh"

namespace impl::cuda {

namespace {

using Atomic = unsigned long long;  // NOLINT(google-runtime-int): the type of CUDA's atomics

constexpr int kEach = 4;
// The top of a place: one more than the greatest exponent field of a float32, so 0 for places without terms.
constexpr unsigned kNotFinite = 256;
// The sums of places with terms that are not finite are sets of these.
constexpr Atomic kInfinity = 1, kMinusInfinity = 2, kNan = 4;

__device__ inline unsigned top_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  return (bits >> 23 & 0xFF) + 1;
}

// The units of 1: terms of a place are less than 2^(top - 127), and less than 2^bits units.
__device__ inline int units_exponent(unsigned top, int bits) { return bits + 127 - static_cast<int>(top); }

struct Sums {
  Strided<4> nest;
  IndexSource source;
  int64_t step, first_number;
  diopiDtype_t dtype;
  int bits;
  const void* src;
  Atomic* sums;
  unsigned* tops;
};

// The terms of a thread: the elements of T, and the numbers of their sums or -1.
template <typename T>
struct Terms {
  T x[kEach];
  int64_t at[kEach];
};

template <typename T, bool kReports>
__device__ inline void read_terms(const Sums& s, Terms<T>* terms) {
  const uint32_t first = blockIdx.x * (kBlock * kEach) + threadIdx.x;
  int32_t offset[kEach][3];
  int64_t index[kEach];
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    terms->at[j] = -1;
    if (first + j * kBlock >= s.nest.numel) continue;
    s.nest.offsets(first + j * kBlock, offset[j]);
    index[j] = read_index(s.source, offset[j][2]);
    if constexpr (std::is_same_v<T, uint64_t>) {
      terms->x[j] = load_as<uint64_t>(s.src, offset[j][0], s.dtype);
    } else {
      terms->x[j] = static_cast<const T*>(s.src)[offset[j][0]];
    }
  }
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (first + j * kBlock >= s.nest.numel) continue;
    if (is_in_range(s.source, &index[j])) {
      terms->at[j] = offset[j][1] + index[j] * s.step;
    } else if (kReports) {
      int32_t all[4];
      s.nest.offsets(first + j * kBlock, all);
      refuse(s.source, s.first_number + all[3], index[j]);
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kBlock) find_tops(Sums s) {
  Terms<T> terms;
  read_terms<T, true>(s, &terms);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (terms.at[j] >= 0) atomicMax(s.tops + terms.at[j], top_of(convert<float>(terms.x[j])));
  }
}

// T is a floating type, or uint64_t for integers of any type.
template <typename T>
__global__ void __launch_bounds__(kBlock) add_terms(Sums s) {
  constexpr bool kIsInteger = std::is_same_v<T, uint64_t>;
  Terms<T> terms;
  read_terms<T, kIsInteger>(s, &terms);
  unsigned top[kEach];
  DIOPI_UNROLL
  for (int j = 0; j < kEach && !kIsInteger; ++j) top[j] = terms.at[j] >= 0 ? s.tops[terms.at[j]] : 0;
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (terms.at[j] < 0) continue;
    Atomic* const sum = s.sums + terms.at[j];
    if constexpr (kIsInteger) {
      atomicAdd(sum, static_cast<Atomic>(terms.x[j]));
    } else {
      const float x = convert<float>(terms.x[j]);
      if (top[j] != kNotFinite) {
        const double units = static_cast<double>(x) * power_of_two(units_exponent(top[j], s.bits));
        atomicAdd(sum, static_cast<Atomic>(llrint(units)));
      } else if (top_of(x) == kNotFinite) {
        atomicOr(sum, x != x ? kNan : x > 0 ? kInfinity : kMinusInfinity);
      }
    }
  }
}

struct Totals {
  Strided<2> nest;
  diopiDtype_t dtype;
  int bits;
  void* out;
  const Atomic* sums;
  const unsigned* tops;
};

__device__ inline double total_of(Atomic sum, unsigned top, int bits) {
  if (top != kNotFinite) {
    return static_cast<double>(static_cast<int64_t>(sum)) * power_of_two(-units_exponent(top, bits));
  }
  if ((sum & kNan) != 0 || sum == (kInfinity | kMinusInfinity)) return NAN;
  return sum == kInfinity ? INFINITY : -INFINITY;
}

template <typename T>
__global__ void __launch_bounds__(kBlock) write_totals(Totals t) {
  const uint32_t item = blockIdx.x * kBlock + threadIdx.x;
  if (item >= t.nest.numel) return;
  int32_t offset[2];
  t.nest.offsets(item, offset);
  if constexpr (std::is_same_v<T, uint64_t>) {
    const Atomic sum = t.sums[offset[1]];
    if (sum == 0) return;
    store_as(t.out, offset[0], t.dtype, load_as<uint64_t>(t.out, offset[0], t.dtype) + sum);
  } else {
    const unsigned top = t.tops[offset[1]];
    if (top == 0) return;
    T* const out = static_cast<T*>(t.out) + offset[0];
    *out = convert<T>(convert<double>(*out) + total_of(t.sums[offset[1]], top, t.bits));
  }
}

// Returns f(tag) for the type in which the sums read elements of `dtype`.
template <typename F>
Status with_terms(diopiDtype_t dtype, const F& f) {
  switch (dtype) {
    case diopi_dtype_float16:
      return f(float16());
    case diopi_dtype_bfloat16:
      return f(bfloat16());
    case diopi_dtype_float32:
      return f(float());
    default:
      return f(uint64_t());
  }
}

}  // namespace

bool has_sums(diopiDtype_t dtype) { return !diopi::is_complex(dtype) && dtype != diopi_dtype_float64; }

Status add_to_sums(cudaStream_t stream, const SumsCall& call) {
  return with_terms(call.dtype, [&](auto tag) -> Status {
    using T = decltype(tag);
    const auto launch_all = [&](void (*kernel)(Sums)) -> Status {
      return for_each_piece(call.loops, [&](const Piece<4>& piece) -> Status {
        Sums s{piece.nest, moved_by(call.source, piece.base[2]),
               call.step,  piece.base[3],
               call.dtype, call.bits,
               nullptr,    call.sums + piece.base[1],
               nullptr};
        s.src = static_cast<const char*>(call.src) + piece.base[0] * diopi::dtype_size(call.dtype);
        if (call.tops != nullptr) s.tops = call.tops + piece.base[1];
        const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach);
        return checked(launch(kernel, grid, dim3(kBlock), 0, stream, s), "adding through an index");
      });
    };
    if constexpr (!std::is_same_v<T, uint64_t>) DIOPI_TRY(launch_all(find_tops<T>));
    return launch_all(add_terms<T>);
  });
}

Status add_totals(cudaStream_t stream, const TotalsCall& call) {
  return with_terms(call.dtype, [&](auto tag) -> Status {
    return for_each_piece(call.loops, [&](const Piece<2>& piece) -> Status {
      Totals t{piece.nest, call.dtype, call.bits, nullptr, call.sums + piece.base[1], nullptr};
      t.out = static_cast<char*>(call.out) + piece.base[0] * diopi::dtype_size(call.dtype);
      if (call.tops != nullptr) t.tops = call.tops + piece.base[1];
      const auto kernel = write_totals<decltype(tag)>;
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(launch(kernel, grid, dim3(kBlock), 0, stream, t), "adding through an index");
    });
  });
}

}  // namespace impl::cuda
