// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/check.hpp"

#include "impl/common/engine/roi.hpp"
#include "impl/common/shape.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

// Whether an element is refused. shown() is the number that the refusal gets.
struct IsOutside {
  double least, most;
  __device__ bool operator()(double x) const { return !(x >= least && x <= most); }
  __device__ static int64_t shown(double /*x*/) { return 0; }
};

struct IsNoIndex {
  int64_t below;
  __device__ bool operator()(int64_t x) const { return x < 0 || x >= below; }
  __device__ static int64_t shown(int64_t x) { return x; }
};

struct IsNoClass : IsNoIndex {
  int64_t allowed;
  __device__ bool operator()(int64_t x) const { return IsNoIndex::operator()(x) && x != allowed; }
};

struct IsNoImage {
  int64_t images;
  __device__ bool operator()(double x) const { return !diopi::is_image(x, images); }
  __device__ static int64_t shown(double x) { return __float_as_int(static_cast<float>(x)); }
};

template <typename T, class F>
__global__ void check_elements(F refuses, Strided<1> nest, int64_t first, const char* data, diopiDtype_t dtype,
                               FirstBad bad) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  const auto value = load_as<T>(data, offset[0], dtype);
  if (refuses(value)) report(bad, first + item, F::shown(value));
}

// The elements are loaded as T.
template <typename T, class F>
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
    return checked(launch(check_elements<T, F>, blocks_for(piece.nest.numel), dim3(kBlock), 0, stream, refuses,
                          piece.nest, piece.first, data, view.dtype, deferred.bad()),
                   "a check");
  }));
  return deferred.end();
}

}  // namespace

Status check_within(diopiContextHandle_t ctx, const TensorView& view, double least, double most,
                    const Refusal& refusal) {
  return check<double>(ctx, diopi::without_repeats(view), IsOutside{least, most}, refusal);
}

Status check_below(diopiContextHandle_t ctx, const TensorView& view, int64_t below, int64_t allowed,
                   const Refusal& refusal) {
  return check<int64_t>(ctx, view, IsNoClass{{below}, allowed}, refusal);
}

Status check_below(diopiContextHandle_t ctx, const TensorView& view, int64_t below, const Refusal& refusal) {
  return check<int64_t>(ctx, view, IsNoIndex{below}, refusal);
}

Status check_image_numbers(diopiContextHandle_t ctx, const TensorView& view, int64_t images) {
  const Refusal refusal(
      [images](int64_t row, int64_t bits) { return diopi::refuse_image(number_of(bits), row, images); });
  return check<double>(ctx, view, IsNoImage{images}, refusal);
}

}  // namespace impl::cuda
