// What the two files of oneDNN's matrix products share.
#pragma once

#include "gemm.hpp"
#include "onednn_cache.hpp"

namespace impl::cpu {

inline constexpr int64_t kDepthFloat32 = 1024, kDepthBfloat16 = 512;  // longest sums that oneDNN never divides

// One product as the primitive cache takes it.
struct MatmulRequest {
  explicit MatmulRequest(const Product& product);
  const char* prepare(int64_t* workspace_bytes) const;
  const char* run(diopiContextHandle_t ctx, Status* status) const;
  const char* run_in(char* workspace, Status* status) const;

  struct Problem {
    TensorView a, b, out;
    bool bias, accumulate;
  } problem;
  onednn::Key key;
  void* slots[4];
};

// bfloat16 in blocks of one thread each; two-dimensional, out with packed rows.
Status run_bfloat16_blocks(const Product& product);

}  // namespace impl::cpu
