// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/check.hpp"

#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

struct IsOutside {
  using Value = double;
  double least, most;
  __device__ bool operator()(double x) const { return !(x >= least && x <= most); }
};

struct IsNotBelow {
  using Value = int64_t;
  int64_t below, allowed;
  __device__ bool operator()(int64_t x) const { return (x < 0 || x >= below) && x != allowed; }
};

template <class F>
__global__ void check_elements(F refuses, Strided<1> nest, int64_t first, const char* data, diopiDtype_t dtype,
                               FirstBad bad) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  const auto value = load_as<typename F::Value>(data, offset[0], dtype);
  if (!refuses(value)) return;
  if constexpr (std::is_integral_v<typename F::Value>) {
    report(bad, first + item, value);
  } else {
    report(bad, first + item, 0);
  }
}

template <class F>
Status check(diopiContextHandle_t ctx, const TensorView& view, const F& refuses, const Refusal& refusal) {
  if (view.numel == 0 || diopi::in_dry_run()) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  diopi::LoopNest<1> nest = diopi::row_major_nest(view.shape, view.stride);
  nest.drop_ones();
  nest.merge();
  DeferredCheck deferred;
  DIOPI_TRY(deferred.begin(ctx, refusal));
  DIOPI_TRY(for_each_piece(nest, [&](const Piece<1>& piece) -> Status {
    const char* const data = view.data + piece.base[0] * view.itemsize();
    return checked(launch(check_elements<F>, blocks_for(piece.nest.numel), dim3(kBlock), 0, stream, refuses, piece.nest,
                          piece.first, data, view.dtype, deferred.bad()),
                   "a check");
  }));
  return deferred.end();
}

}  // namespace

Status check_within(diopiContextHandle_t ctx, const TensorView& view, double least, double most,
                    const Refusal& refusal) {
  return check(ctx, diopi::without_repeats(view), IsOutside{least, most}, refusal);
}

Status check_below(diopiContextHandle_t ctx, const TensorView& view, int64_t below, int64_t allowed,
                   const Refusal& refusal) {
  return check(ctx, view, IsNotBelow{below, allowed}, refusal);
}

}  // namespace impl::cuda
