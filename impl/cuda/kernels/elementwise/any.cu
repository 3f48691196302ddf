// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/any.hpp"

#include "impl/common/shape.hpp"
#include "impl/cuda/engine/host_answer.hpp"
#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/elementwise/complex_functions.cuh"
#include "impl/cuda/kernels/rows/fold.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

struct Source {
  const char* data;
  diopiDtype_t dtype;
};

template <typename T>
__global__ void set_if_different(Strided<2> nest, Source a, Source b, int* found) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[2];
  nest.offsets(static_cast<uint32_t>(item), offset);
  if (load_as<T>(a.data, offset[0], a.dtype) != load_as<T>(b.data, offset[1], b.dtype)) atomicExch(found, 1);
}

// The elements of two packed tensors, in packs of 16 bytes; the last ones may be fewer than a pack.
template <typename T, typename S>
__global__ void __launch_bounds__(kBlock) set_if_packs_differ(const S* a, const S* b, int64_t numel, int* found) {
  constexpr int kItems = 16 / sizeof(S), kLoads = 4;
  using Items = Pack<S, kItems>;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * (kBlock * kLoads) + threadIdx.x;
  const int64_t packs = numel / kItems;
  Items x[kLoads], y[kLoads];
  DIOPI_UNROLL
  for (int j = 0; j < kLoads; ++j) {
    const int64_t i = first + j * kBlock;
    if (i < packs) x[j] = reinterpret_cast<const Items*>(a)[i];
    if (i < packs) y[j] = reinterpret_cast<const Items*>(b)[i];
  }
  bool differ = false;
  DIOPI_UNROLL
  for (int j = 0; j < kLoads; ++j) {
    if (first + j * kBlock >= packs) continue;
    DIOPI_UNROLL
    for (int k = 0; k < kItems; ++k) differ = differ || convert<T>(x[j].v[k]) != convert<T>(y[j].v[k]);
  }
  const int64_t last = packs * kItems + first;
  if (first < kItems && last < numel) differ = differ || convert<T>(a[last]) != convert<T>(b[last]);
  if (__syncthreads_or(differ ? 1 : 0) != 0 && threadIdx.x == 0) atomicExch(found, 1);
}

// Loops over two views of one shape.
diopi::LoopNest<2> nest_of(const TensorView& a, const TensorView& b) {
  diopi::LoopNest<2> nest = diopi::row_major_nest(a.shape, a.stride, b.stride);
  nest.drop_ones();
  nest.merge();
  return nest;
}

// Compares packed tensors that have the type of the comparison, or a 16-bit one for float. `*done` says whether they
// do.
template <typename T>
Status compare_packs(cudaStream_t stream, const TensorView& a, const TensorView& b, const diopi::LoopNest<2>& nest,
                     int* flag, bool* done) {
  const bool packed = nest.n == 0 || (nest.n == 1 && nest[0].stride[0] == 1 && nest[0].stride[1] == 1);
  if (!packed || a.dtype != b.dtype || !are_items_aligned(a.data, 1, 16) || !are_items_aligned(b.data, 1, 16)) {
    return diopiSuccess;
  }
  const auto compare = [&](auto tag) -> Status {
    using S = decltype(tag);
    constexpr int64_t kEach = int64_t{kBlock} * 4 * (16 / sizeof(S));
    *done = true;
    const dim3 grid(static_cast<unsigned>((a.numel + kEach - 1) / kEach));
    return checked(launch(set_if_packs_differ<T, S>, grid, dim3(kBlock), 0, stream, a.ptr<const S>(), b.ptr<const S>(),
                          a.numel, flag),
                   "a kernel");
  };
  if constexpr (std::is_same_v<T, bool>) {
    return a.dtype == diopi_dtype_bool ? compare(StoredBool()) : Status(diopiSuccess);
  } else {
    if (a.dtype == diopi::dtype_of<T>) return compare(T());
    if constexpr (std::is_same_v<T, float>) {
      if (a.dtype == diopi_dtype_float16) return compare(float16());
      if (a.dtype == diopi_dtype_bfloat16) return compare(bfloat16());
    }
    return diopiSuccess;
  }
}

template <typename T>
Status find_difference_in(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, bool* found) {
  *found = false;
  if (a.numel == 0) return diopiSuccess;
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  HostAnswer answer;
  DIOPI_TRY(answer.take(ctx));
  int* const flag = reinterpret_cast<int*>(answer.words());
  const diopi::LoopNest<2> nest = nest_of(a, b);
  bool done = false;
  DIOPI_TRY(compare_packs<T>(stream, a, b, nest, flag, &done));
  if (!done) {
    DIOPI_TRY(for_each_piece(nest, [&](const Piece<2>& piece) -> Status {
      const Source first{a.data + piece.base[0] * a.itemsize(), a.dtype};
      const Source second{b.data + piece.base[1] * b.itemsize(), b.dtype};
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(launch(set_if_different<T>, grid, dim3(kBlock), 0, stream, piece.nest, first, second, flag),
                     "a kernel");
    }));
  }
  DIOPI_TRY(answer.wait());
  *found = *flag != 0;
  return diopiSuccess;
}

// The smallest and the largest integer: an operation of rows/fold.cuh.
struct Range {
  static constexpr int kInputs = 1, kOutputs = 2;
  static constexpr bool kOrdered = false;
  using Value = int64_t;
  using Stored = diopi::TypeList<int32_t, int64_t>;
  struct Part {
    int64_t least, most;
  };

  __device__ Part identity() const { return {INT64_MAX, INT64_MIN}; }
  __device__ Part start() const { return identity(); }
  __device__ void add(Part* range, const int64_t* x, int64_t) const { merge(range, Part{x[0], x[0]}); }
  __device__ Part close(const Part& range) const { return range; }
  __device__ void merge(Part* a, const Part& b) const {
    a->least = min(a->least, b.least);
    a->most = max(a->most, b.most);
  }
  template <class Write>
  __device__ void finish(const Part& range, int64_t, const Write& write) const {
    write(0, range.least);
    write(1, range.most);
  }
};

}  // namespace

Status find_difference(diopiContextHandle_t ctx, const TensorView& a, const TensorView& b, diopiDtype_t dtype,
                       bool* found) {
  return diopi::visit_dtype<AllNumbers>(
      dtype, [&](auto tag) -> Status { return find_difference_in<diopi::tagged<decltype(tag)>>(ctx, a, b, found); });
}

Status find_range(diopiContextHandle_t ctx, const TensorView& view, int64_t* least, int64_t* most) {
  HostAnswer answer;
  DIOPI_TRY(answer.take(ctx));
  const TensorView once = diopi::without_repeats(view);
  FoldCall call;
  call.shape = once.shape;
  call.mask = (uint32_t{1} << once.ndim()) - 1;
  call.in[0] = once;
  for (int j = 0; j < Range::kOutputs; ++j) {
    call.out[j].dtype = diopi_dtype_int64;
    call.out[j].numel = 1;
    call.out[j].data = reinterpret_cast<char*>(answer.words() + j);
  }
  DIOPI_TRY(run_fold(ctx, Range{}, call));
  DIOPI_TRY(answer.wait());
  *least = answer.words()[0];
  *most = answer.words()[1];
  return diopiSuccess;
}

}  // namespace impl::cuda
