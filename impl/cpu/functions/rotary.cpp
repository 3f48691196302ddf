// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/rotary.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/cpu/engine/packed.hpp"
#include "impl/cpu/rotary/rotary.hpp"

namespace impl::cpu {

namespace {

// The leading dimensions of the operands, with strides in bytes.
diopi::LoopNest<4> leading_loops(const TensorView& out, const TensorView& x, const TensorView& cos,
                                 const TensorView& sin) {
  diopi::LoopNest<4> nest;
  for (int i = x.ndim() - 2; i >= 0; --i) {
    nest.push_back(x.shape[i], out.stride[i] * out.itemsize(), x.stride[i] * x.itemsize(),
                   cos.stride[i] * cos.itemsize(), sin.stride[i] * sin.itemsize());
  }
  nest.drop_ones();
  nest.merge();
  if (nest.n == 0) nest.push_back(1, 0, 0, 0, 0);
  return nest;
}

}  // namespace

Status run_rotary(diopiContextHandle_t ctx, const RotaryProblem& p) {
  constexpr int64_t kCost = 250;  // picoseconds for an element
  const diopiDtype_t compute = diopi::compute_dtype(p.x.dtype);
  TensorView out, x, cos, sin;
  DIOPI_TRY(pack_rows(ctx, p.cos, compute, &cos));
  DIOPI_TRY(pack_rows(ctx, p.sin, compute, &sin));
  DIOPI_TRY(pack_rows(ctx, p.x, p.x.dtype, &x));
  if (p.x.data == p.out.data) {
    out = x;
  } else {
    DIOPI_TRY(pack_output_rows(ctx, p.out, false, &out));
  }
  if (diopi::in_dry_run()) return diopiSuccess;
  const auto nest = leading_loops(out, x, cos, sin);
  const int64_t width = x.shape[x.ndim() - 1], half = width / 2;
  const int64_t second = p.cos.shape[p.cos.ndim() - 1] == width ? half : 0;
  const RotaryFn rotate = rotary_kernel(x.dtype, p.interleaved);
  diopi::parallel_for(nest.numel(), diopi::Picoseconds{kCost * width}, [&](int64_t begin, int64_t end) {
    diopi::LoopCursor at(nest, begin);
    const auto& inner = nest[0].stride;
    at.for_runs(end - begin, [&](int64_t rows) {
      rotate({out.data + at.offset(0), x.data + at.offset(1), cos.data + at.offset(2), sin.data + at.offset(3), rows,
              half, second, inner[0], inner[1], inner[2], inner[3], p.backwards});
    });
  });
  unpack(p.out, out);
  return diopiSuccess;
}

}  // namespace impl::cpu
