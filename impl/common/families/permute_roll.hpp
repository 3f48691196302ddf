// SPDX-License-Identifier: BSD-3-Clause
// Cyclic shifts: each shifted dimension consists of two runs of the input. Part of the family permute.
#ifndef IMPL_COMMON_FAMILIES_PERMUTE_ROLL_HPP_
#define IMPL_COMMON_FAMILIES_PERMUTE_ROLL_HPP_

#include <algorithm>

#include "arguments/permute.hpp"
#include "impl/common/engine/runs.hpp"
#include "impl/common/families/overlap.hpp"

namespace impl::DIOPI_VENDOR {

// Copies `in` to `out`, shifted by shift[d], which is at least 0 and less than the extent, in each dimension.
inline Status copy_rolled(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const Dims& shift) {
  RunCopy call;
  call.out = out;
  call.in = in;
  for (int d = 0; d < in.ndim(); ++d) {
    const int64_t extent = in.shape[d], moved = shift[d];
    call.dims[d].add({0, moved, extent - moved, 1});
    call.dims[d].add({moved, extent - moved, 0, 1});
  }
  return copy_runs(ctx, call);
}

// A shift as a number at least 0 and less than the extent.
inline int64_t wrapped_shift(int64_t shift, int64_t extent) {
  const int64_t rest = shift % extent;
  return rest < 0 ? rest + extent : rest;
}

// The elements of a row-major tensor as one dimension.
inline TensorView flattened(const TensorView& view) {
  TensorView line = view;
  line.shape = line.stride = Dims();
  line.shape.push_back(view.numel);
  line.stride.push_back(1);
  return line;
}

// Shifts the elements in row-major order.
inline Status roll_all(diopiContextHandle_t ctx, const TensorView& out, TensorView* in, int64_t shift) {
  if (!in->is_contiguous()) DIOPI_TRY(replace_by_copy(ctx, in));
  Dims shifts;
  shifts.push_back(wrapped_shift(shift, out.numel));
  if (out.is_contiguous()) return copy_rolled(ctx, flattened(out), flattened(*in), shifts);
  TensorView packed;
  DIOPI_TRY(diopi::make_temporary(ctx, out.shape, out.dtype, out.name, &packed));
  DIOPI_TRY(copy_rolled(ctx, flattened(packed), flattened(*in), shifts));
  return copy(ctx, out, packed);
}

inline Status run(diopiContextHandle_t ctx, diopi::RollArgs& args) {
  TensorView &in = args.input, &out = args.out;
  for (int64_t i = 0; i < args.dims.len; ++i) {
    int d = 0;
    DIOPI_TRY(diopi::wrap_dim(args.dims.data[i], in, "dims", &d));
  }
  const int64_t expected = args.dims.len > 0 ? args.dims.len : 1;
  DIOPI_REQUIRE(args.shifts.len == expected, diopiErrorOccurred,
                "shifts has %lld entries, expected %lld for the %lld entries of dims",
                static_cast<long long>(args.shifts.len), static_cast<long long>(expected),
                static_cast<long long>(args.dims.len));
  Dims shift;
  for (int d = 0; d < in.ndim(); ++d) shift.push_back(0);
  for (int64_t i = 0; i < args.dims.len; ++i) {
    int d = 0;
    DIOPI_TRY(diopi::wrap_dim(args.dims.data[i], in, "dims", &d));
    if (in.ndim() == 0 || in.numel == 0) continue;
    const int64_t extent = in.shape[d];
    shift[d] = wrapped_shift(shift[d] - extent + wrapped_shift(args.shifts.data[i], extent), extent);
  }
  DIOPI_TRY(diopi::require_writable(out));
  if (out.numel == 0) return diopiSuccess;
  DIOPI_TRY(replace_if_overlapping(ctx, out, &in));
  if (args.dims.len == 0) return roll_all(ctx, out, &in, args.shifts.data[0]);
  return copy_rolled(ctx, out, in, shift);
}

}  // namespace impl::DIOPI_VENDOR

#endif  // IMPL_COMMON_FAMILIES_PERMUTE_ROLL_HPP_
