// SPDX-License-Identifier: BSD-3-Clause
// Sums of the elements that an index sends to one place. Unless they have bins, a first kernel finds the tops of
// floating numbers, and a second one adds the terms.
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/index/fixed_point.cuh"
#include "impl/cuda/kernels/index/source.cuh"

namespace impl::cuda {

namespace {

constexpr int kEach = 4;

struct Sums {
  Strided<4> nest;
  IndexSource source;
  int64_t step, first_number;
  diopiDtype_t dtype;
  int bits;
  const void* src;
  Atomic* sums;
  unsigned* tops;
  int64_t bin_step;
};

// The terms of a thread: the elements of T, and the numbers of their sums or -1.
template <typename T>
struct Terms {
  T x[kEach];
  int64_t at[kEach];
};

template <typename T, bool kReports>
__device__ inline void read_terms(const Sums& s, Terms<T>* terms) {
  uint32_t number[kEach];
  int32_t offset[kEach][3];
  int64_t index[kEach];
  numbers_of_thread(number);
  s.nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    terms->at[j] = -1;
    if (number[j] >= s.nest.numel) continue;
    index[j] = read_index(s.source, offset[j][2]);
    if constexpr (std::is_same_v<T, uint64_t>) {
      terms->x[j] = load_as<uint64_t>(s.src, offset[j][0], s.dtype);
    } else {
      terms->x[j] = static_cast<const T*>(s.src)[offset[j][0]];
    }
  }
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] >= s.nest.numel) continue;
    if (is_in_range(s.source, &index[j])) {
      terms->at[j] = offset[j][1] + index[j] * s.step;
    } else if (kReports) {
      int32_t all[4];
      s.nest.offsets(number[j], all);
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

template <typename T>
__global__ void __launch_bounds__(kBlock) add_terms_to_bins(Sums s) {
  Terms<T> terms;
  read_terms<T, true>(s, &terms);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (terms.at[j] >= 0) add_to_bins(s.sums + terms.at[j], s.bin_step, convert<float>(terms.x[j]));
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
      add_term(sum, convert<float>(terms.x[j]), top[j], s.bits);
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
  int64_t bin_step;
};

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
    double total;
    if (t.bin_step != 0) {
      if (!read_bins(t.sums + offset[1], t.bin_step, &total)) return;
    } else {
      const unsigned top = t.tops[offset[1]];
      if (top == 0) return;
      total = total_of(t.sums[offset[1]], top, t.bits);
    }
    T* const out = static_cast<T*>(t.out) + offset[0];
    *out = convert<T>(convert<double>(*out) + total);
  }
}

}  // namespace

bool has_sums(diopiDtype_t dtype) { return !diopi::is_complex(dtype) && dtype != diopi_dtype_float64; }

int bins_of_place() { return kBins; }

Status add_to_sums(cudaStream_t stream, const SumsCall& call) {
  return with_terms(call.dtype, [&](auto tag) -> Status {
    using T = decltype(tag);
    const auto launch_all = [&](void (*kernel)(Sums)) -> Status {
      return for_each_piece(call.loops, [&](const Piece<4>& piece) -> Status {
        Sums s{};
        s.nest = piece.nest;
        s.source = moved_by(call.source, piece.base[2]);
        s.step = call.step;
        s.first_number = piece.base[3];
        s.dtype = call.dtype;
        s.bits = call.bits;
        s.src = static_cast<const char*>(call.src) + piece.base[0] * diopi::dtype_size(call.dtype);
        s.sums = call.sums + piece.base[1];
        s.tops = call.tops != nullptr ? call.tops + piece.base[1] : nullptr;
        s.bin_step = call.bin_step;
        const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach);
        return checked(launch(kernel, grid, dim3(kBlock), 0, stream, s), "adding through an index");
      });
    };
    if constexpr (!std::is_same_v<T, uint64_t>) {
      if (call.bin_step != 0) return launch_all(add_terms_to_bins<T>);
      DIOPI_TRY(launch_all(find_tops<T>));
    }
    return launch_all(add_terms<T>);
  });
}

Status add_totals(cudaStream_t stream, const TotalsCall& call) {
  return with_terms(call.dtype, [&](auto tag) -> Status {
    return for_each_piece(call.loops, [&](const Piece<2>& piece) -> Status {
      Totals t{};
      t.nest = piece.nest;
      t.dtype = call.dtype;
      t.bits = call.bits;
      t.out = static_cast<char*>(call.out) + piece.base[0] * diopi::dtype_size(call.dtype);
      t.sums = call.sums + piece.base[1];
      t.tops = call.tops != nullptr ? call.tops + piece.base[1] : nullptr;
      t.bin_step = call.bin_step;
      const auto kernel = write_totals<decltype(tag)>;
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(launch(kernel, grid, dim3(kBlock), 0, stream, t), "adding through an index");
    });
  });
}

}  // namespace impl::cuda
