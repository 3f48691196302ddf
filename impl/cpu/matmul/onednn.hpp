// SPDX-License-Identifier: BSD-3-Clause
// Declarations shared by the onednn*.cpp files.
#ifndef IMPL_CPU_MATMUL_ONEDNN_HPP_
#define IMPL_CPU_MATMUL_ONEDNN_HPP_

#include "impl/cpu/matmul/matmul.hpp"
#include "impl/cpu/onednn/program_cache.hpp"

namespace impl::cpu {

inline constexpr int64_t kDepthFloat32 = 1024, kDepthBfloat16 = 512;  // longest sums that oneDNN never divides

// With AMX, oneDNN 2.6 does not configure the matrix unit for some sums of so many terms: the result is wrong, or the
// processor refuses an instruction.
inline constexpr int64_t kWrongDepthBfloat16 = 63;

// One product as a request to the primitive cache.
struct MatmulRequest {
  // `vnni`: b points to panels of pairs (see pack_vnni.hpp), and only its shape is used.
  explicit MatmulRequest(const MatmulProblem& product, bool vnni = false);
  const char* prepare(int64_t* workspace_bytes) const;
  const char* run(diopiContextHandle_t ctx, Status* status) const;
  const char* run_in(char* workspace, Status* status) const;

  struct Problem {
    TensorView a, b, out;
    bool bias, accumulate, vnni;
  } problem;
  onednn::Key key;
  void* slots[4];
};

// Computes a bfloat16 product in blocks of one thread each. It needs two-dimensional operands that BLAS can use, and an
// `out` with packed rows.
SkipReason run_bfloat16_tiles(const MatmulProblem& product, Status* status);
// Compute a float32 product in chunks of one thread each: by columns if onednn_has_columns() is true, by chunks of the
// sums if onednn_has_depth_chunks() is. The operands must have a layout that BLAS can use.
SkipReason run_float32_columns(const MatmulProblem& product, Status* status);
SkipReason run_float32_depth_chunks(const MatmulProblem& product, Status* status);

}  // namespace impl::cpu

#endif  // IMPL_CPU_MATMUL_ONEDNN_HPP_
