// SPDX-License-Identifier: BSD-3-Clause
// Dropout, with the mask as an output. impl/<vendor>/functions/dropout.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_DROPOUT_HPP_
#define IMPL_COMMON_FAMILIES_DROPOUT_HPP_

#include "arguments/dropout.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/dropout.hpp"
#include "impl/common/engine/fill.hpp"

namespace impl::DIOPI_VENDOR {

// The mask shares memory with no other tensor.
inline Status require_own_memory(const TensorView& mask, const TensorView& other) {
  DIOPI_REQUIRE(!diopi::may_overlap(mask, other), diopiErrorOccurred, "%s shares memory with %s", mask.name,
                other.name);
  return diopiSuccess;
}

// Copies the input if nothing is dropped. No random numbers are taken.
inline Status keep_all(diopiContextHandle_t ctx, const diopi::DropoutArgs& args) {
  DIOPI_TRY(copy(ctx, args.out, args.input));
  if (!args.mask) return diopiSuccess;
  constexpr diopiScalar_t kOne{diopi_dtype_float64, {1}};
  return fill(ctx, *args.mask, kOne);
}

inline Status run(diopiContextHandle_t ctx, diopi::DropoutArgs& args) {
  DIOPI_TRY(diopi::require_writable(args.out));
  if (args.mask) {
    DIOPI_TRY(require_own_memory(*args.mask, args.input));
    DIOPI_TRY(require_own_memory(*args.mask, args.out));
    DIOPI_TRY(diopi::require_writable(*args.mask));
  }
  if (!args.train) return keep_all(ctx, args);
  return run_dropout(ctx, args.out, *args.mask, args.input, args.p, {args.generator, args.mask->numel});
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/dropout.hpp"

#endif  // IMPL_COMMON_FAMILIES_DROPOUT_HPP_
