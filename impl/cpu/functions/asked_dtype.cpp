// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/asked_dtype.hpp"

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/functions/norm_common.hpp"

namespace impl::cpu {

namespace {

bool is_inexact(diopiDtype_t dtype) { return diopi::is_floating(dtype) || diopi::is_complex(dtype); }

// Whether reading an element in the dtype of computation gives the same value as converting it to `asked`. For
// integers, a difference of a multiple of 2^bits is allowed, because converting the result removes it.
bool reads_as_asked(diopiDtype_t dtype, diopiDtype_t asked) {
  if (dtype == asked || accumulation_dtype(asked) == asked) return true;
  return !is_inexact(asked) && !is_inexact(dtype) && asked != diopi_dtype_bool;
}

}  // namespace

diopiDtype_t accumulation_dtype(diopiDtype_t asked) {
  return is_inexact(asked) ? diopi::compute_dtype(asked) : diopi_dtype_int64;
}

Status convert_to_asked(diopiContextHandle_t ctx, diopiDtype_t asked, TensorView* input) {
  if (reads_as_asked(input->dtype, asked)) return diopiSuccess;
  TensorView converted;
  DIOPI_TRY(temporary(ctx, input->shape, asked, input->name, &converted));
  copy_view(converted, *input);
  *input = converted;
  return diopiSuccess;
}

}  // namespace impl::cpu
