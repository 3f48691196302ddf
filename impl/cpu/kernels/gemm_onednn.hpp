// SPDX-License-Identifier: BSD-3-Clause
// Declarations that the two files of oneDNN's matrix products share.
#pragma once

#include "gemm.hpp"
#include "onednn_cache.hpp"

namespace impl::cpu {

inline constexpr int64_t kDepthFloat32 = 1024, kDepthBfloat16 = 512;  // longest sums that oneDNN never divides

// One product, in the form that the primitive cache takes.
struct MatmulRequest {
  // `paired`: b points to panels of pairs (gemm_pairs.hpp); only its shape says something then.
  explicit MatmulRequest(const Product& product, bool paired = false);
  const char* prepare(int64_t* workspace_bytes) const;
  const char* run(diopiContextHandle_t ctx, Status* status) const;
  const char* run_in(char* workspace, Status* status) const;

  struct Problem {
    TensorView a, b, out;
    bool bias, accumulate, paired;
  } problem;
  onednn::Key key;
  void* slots[4];
};

// bfloat16 in blocks of one thread each; two-dimensional operands that BLAS takes, out with packed rows.
Declined run_bfloat16_blocks(const Product& product, Status* status);
// float32 in parts of one thread each, for what onednn_has_columns and onednn_has_pieces say; operands that BLAS takes.
Declined run_float32_columns(const Product& product, Status* status);
Declined run_float32_pieces(const Product& product, Status* status);

}  // namespace impl::cpu
