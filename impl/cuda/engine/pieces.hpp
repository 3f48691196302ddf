// SPDX-License-Identifier: BSD-3-Clause
// Cuts a loop nest into pieces for kernels with 32-bit offsets.
#ifndef IMPL_CUDA_ENGINE_PIECES_HPP_
#define IMPL_CUDA_ENGINE_PIECES_HPP_

#include <cstdlib>

#include "impl/cuda/kernels/strided.cuh"

namespace impl::cuda {

using diopi::Status;

// A part of a nest: elements [first, first + nest.numel) of the whole, which begin at `base[k]` of operand k.
template <int kOperands>
struct Piece {
  Strided<kOperands> nest;
  int64_t base[kOperands] = {};
  int64_t first = 0;
};

// Whether the numbers of the elements and all offsets fit 32 bits, so that the nest is one piece.
template <int kOperands>
bool fits_32_bits(const diopi::LoopNest<kOperands>& nest) {
  constexpr int64_t kMost = INT32_MAX;
  int64_t numel = 1;
  for (int i = 0; i < nest.n; ++i) {
    if (nest[i].extent > kMost || (numel *= nest[i].extent) > kMost) return false;
  }
  for (int k = 0; k < kOperands; ++k) {
    int64_t span = 0;
    for (int i = 0; i < nest.n; ++i) {
      const int64_t step = std::abs(nest[i].stride[k]);
      if (step > kMost || (span += step * (nest[i].extent - 1)) > kMost) return false;
    }
  }
  return true;
}

// A nest that fits 32 bits.
template <int kOperands>
Strided<kOperands> strided_of(const diopi::LoopNest<kOperands>& nest) {
  Strided<kOperands> strided;
  strided.numel = static_cast<uint32_t>(nest.numel());
  strided.loops = nest.n;
  for (int i = 0; i < nest.n; ++i) {
    strided.extent[i] = Divider(static_cast<uint32_t>(nest[i].extent));
    for (int k = 0; k < kOperands; ++k) strided.stride[i][k] = static_cast<int32_t>(nest[i].stride[k]);
  }
  return strided;
}

namespace detail {

template <int kOperands, typename F>
Status cut(diopi::LoopNest<kOperands> nest, Piece<kOperands>* piece, const F& f) {
  while (nest.n > 0 && nest[nest.n - 1].extent == 1) --nest.n;
  if (!fits_32_bits(nest)) {
    auto& outer = nest[nest.n - 1];
    const int64_t extent = outer.extent, inner = nest.numel(0, nest.n - 1);
    const Piece<kOperands> begin = *piece;
    outer.extent = extent / 2;
    DIOPI_TRY(cut(nest, piece, f));
    *piece = begin;
    piece->first += extent / 2 * inner;
    for (int k = 0; k < kOperands; ++k) piece->base[k] += extent / 2 * outer.stride[k];
    outer.extent = extent - extent / 2;
    return cut(nest, piece, f);
  }
  piece->nest = strided_of(nest);
  return f(*piece);
}

}  // namespace detail

// Calls f(const Piece&), which returns a Status, for the pieces of `nest` in the order of the elements. The nest is not
// empty.
template <int kOperands, typename F>
Status for_each_piece(const diopi::LoopNest<kOperands>& nest, const F& f) {
  Piece<kOperands> piece;
  return detail::cut(nest, &piece, f);
}

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_PIECES_HPP_
