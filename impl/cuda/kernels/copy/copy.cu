// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/copy/copy.hpp"

#include "impl/cuda/engine/words.hpp"
#include "impl/cuda/kernels/copy/transpose.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"

namespace impl::cuda {

using diopi::LoopNest;

namespace {

constexpr int kEach = 4;  // words of a thread, whose loads do not wait for each other

// Copies elements without a look at their values. A word is one element, or several that are adjacent in both tensors.
template <typename Word>
__global__ void __launch_bounds__(kBlock) move_words(Strided<2> nest, Word* out, const Word* in) {
  uint32_t number[kEach];
  int32_t offset[kEach][2];
  Word word[kEach];
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) number[j] = (blockIdx.x * kEach + j) * kBlock + threadIdx.x;
  nest.offsets(number, offset);
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] < nest.numel) word[j] = in[offset[j][1]];
  }
  DIOPI_UNROLL
  for (int j = 0; j < kEach; ++j) {
    if (number[j] < nest.numel) out[offset[j][0]] = word[j];
  }
}

template <typename Word>
__global__ void fill_words(Strided<1> nest, Word* out, Word value) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t offset[1];
  nest.offsets(static_cast<uint32_t>(item), offset);
  out[offset[0]] = value;
}

// Each thread writes 16 bytes, of which the last may lie behind the end.
__global__ void fill_packed(char* out, int64_t bytes, uint4 value) {
  const int64_t first = thread_item() * 16;
  if (first + 16 <= bytes) {
    *reinterpret_cast<uint4*>(out + first) = value;
    return;
  }
  const char* const rest = reinterpret_cast<const char*>(&value);
  for (int j = 0; j < 16; ++j) {  // a constant length, so that `value` stays in registers
    if (first + j < bytes) out[first + j] = rest[j];
  }
}

template <typename T>
struct Identity {
  static constexpr bool kGivesBool = false;
  __host__ __device__ T operator()(const T (&in)[1]) const { return in[0]; }
};

// The type that holds every number of a dtype, and from which each conversion gives the same as from the dtype itself.
diopiDtype_t widest(diopiDtype_t dtype) {
  if (diopi::is_complex(dtype)) return diopi_dtype_complex128;
  if (dtype == diopi_dtype_float64 || dtype == diopi_dtype_uint64) return dtype;
  return diopi::is_floating(dtype) ? diopi_dtype_float32 : diopi_dtype_int64;
}

using Widest = diopi::TypeList<int64_t, uint64_t, float, double, Complex128>;

Status convert_elements(const MapCall& call) {
  return diopi::visit_dtype<Widest>(widest(call.in[0].dtype), [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Identity<T>, T, 1, 8>(call, Identity<T>{});
  });
}

}  // namespace

bool has_same_bits(diopiDtype_t a, diopiDtype_t b) {
  return a == b || (diopi::is_integral(a) && diopi::is_integral(b) && diopi::dtype_size(a) == diopi::dtype_size(b));
}

Status copy_elements(cudaStream_t stream, const TensorView& out, const TensorView& in) {
  MapCall call;
  call.stream = stream;
  call.out = out;
  call.in[0] = in.expand(out.shape);
  call.is_number[0] = in.numel == 1 && in.ndim() == 0 && on_host(in.data);
  if (out.numel == 0) return diopiSuccess;
  if (call.is_number[0] || !has_same_bits(out.dtype, in.dtype)) return convert_elements(call);
  LoopNest<2> nest = map_nest<1>(call);
  if (is_packed<1>(call, nest)) {
    const auto bytes = static_cast<size_t>(out.numel * out.itemsize());
    return checked(cudaMemcpyAsync(out.data, in.data, bytes, cudaMemcpyDeviceToDevice, stream), "a copy");
  }
  const int size = widen(&nest, out.itemsize(), {out.data, in.data});
  return for_each_piece(nest, [&](const Piece<2>& piece) -> Status {
    return diopi::for_itemsize(size, [&](auto tag) -> Status {
      using Word = AlignedWord<diopi::tagged<decltype(tag)>>;
      Word* const to = out.ptr<Word>() + piece.base[0];
      const Word* const from = in.ptr<Word>() + piece.base[1];
      Transpose transpose;
      if (find_transpose(piece.nest, &transpose)) {
        const auto error =
            launch(transpose_words<Word>, dim3(transpose.tiles()), dim3(kBlock), 0, stream, transpose, to, from);
        return checked(error, "a copy");
      }
      const dim3 grid = blocks_for(piece.nest.numel, kBlock * kEach);
      return checked(launch(move_words<Word>, grid, dim3(kBlock), 0, stream, piece.nest, to, from), "a copy");
    });
  });
}

void convert_number(const TensorView& number, diopiDtype_t dtype, void* element) {
  (void)diopi::visit_dtype<Widest>(widest(number.dtype), [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    store_as(element, 0, dtype, load_as<T>(number.data, 0, number.dtype));
    return diopiSuccess;
  });
}

Status fill_elements(cudaStream_t stream, const TensorView& out, const void* element) {
  if (out.numel == 0) return diopiSuccess;
  LoopNest<1> nest = diopi::row_major_nest(out.shape, out.stride);
  nest.drop_ones();
  nest.sort([](const auto& a, const auto& b) { return std::abs(a.stride[0]) > std::abs(b.stride[0]); });
  nest.merge();
  alignas(16) char word[16];
  std::memcpy(word, element, out.itemsize());
  repeat_element(word, out.itemsize());
  const bool packed = nest.n == 0 || (nest.n == 1 && nest[0].stride[0] == 1);
  if (packed && reinterpret_cast<uintptr_t>(out.data) % 16 == 0) {
    uint4 value;
    std::memcpy(&value, word, sizeof(value));
    const int64_t bytes = out.numel * out.itemsize();
    const dim3 grid = blocks_for((bytes + 15) / 16);
    return checked(launch(fill_packed, grid, dim3(kBlock), 0, stream, out.data, bytes, value), "a fill");
  }
  const int size = widen(&nest, out.itemsize(), {out.data});
  return for_each_piece(nest, [&](const Piece<1>& piece) -> Status {
    return diopi::for_itemsize(size, [&](auto tag) -> Status {
      using Word = AlignedWord<diopi::tagged<decltype(tag)>>;
      Word value;
      std::memcpy(&value, word, sizeof(Word));
      Word* const to = out.ptr<Word>() + piece.base[0];
      const dim3 grid = blocks_for(piece.nest.numel);
      return checked(launch(fill_words<Word>, grid, dim3(kBlock), 0, stream, piece.nest, to, value), "a fill");
    });
  });
}

}  // namespace impl::cuda
