// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/random/random.hpp"

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/items.cuh"
#include "impl/cuda/kernels/random/normal.cuh"

namespace impl::cuda {

using diopi::TensorView;

namespace {

// A maker computes the values of the elements of one counter block: kElements numbers of type T. T is also the type in
// which the two inputs are read; finish() combines a value with them.
template <typename Number, int kCount, int kNumInputs = 0>
struct Maker {
  using T = Number;
  static constexpr int kElements = kCount, kInputs = kNumInputs;
  __device__ T finish(T value, T, T) const { return value; }
};

struct UniformFloat : Maker<float, 4> {
  float from, range, limit, unit;
  int shift;

  __device__ void make(const PhiloxBlock& block, float (&value)[4]) const {
    for (int i = 0; i < 4; ++i) {
      const Rounded<float> bits{static_cast<float>(block.word[i] >> shift)};
      const float v = (bits * Rounded<float>{unit} * Rounded<float>{range} + Rounded<float>{from}).v;
      value[i] = v >= limit ? from : v;
    }
  }
};

struct UniformDouble : Maker<double, 2> {
  double from, range, limit;

  __device__ void make(const PhiloxBlock& block, double (&value)[2]) const {
    for (int i = 0; i < 2; ++i) {
      const double u = static_cast<double>(block.pair(i) >> 11) * 0x1p-53;
      const double v = (Rounded<double>{u} * Rounded<double>{range} + Rounded<double>{from}).v;
      value[i] = v >= limit ? from : v;
    }
  }
};

template <typename Number, int kNumInputs = 0>
struct Normal : Maker<Number, sizeof(Number) == 4 ? 4 : 2, kNumInputs> {
  Number mean, std;

  __device__ void make(const PhiloxBlock& block, Number (&value)[sizeof(Number) == 4 ? 4 : 2]) const {
    constexpr int kPairs = sizeof(Number) == 4 ? 2 : 1;
    for (int i = 0; i < kPairs; ++i) {
      Number z[2];
      if constexpr (kPairs == 2) {
        normal_pair(block.word[2 * i], block.word[2 * i + 1], z);
      } else {
        normal_pair(block.pair(0), block.pair(1), z);
      }
      for (int k = 0; k < 2; ++k) value[2 * i + k] = scaled(z[k], std, mean);
    }
  }
  __device__ static Number scaled(Number z, Number by, Number plus) {
    return (Rounded<Number>{z} * Rounded<Number>{by} + Rounded<Number>{plus}).v;
  }
};

// Inputs: mean and standard deviation.
template <typename Number>
struct NormalOfTensors : Normal<Number, 2> {
  __device__ Number finish(Number z, Number mean, Number std) const { return Normal<Number, 2>::scaled(z, std, mean); }
};

struct Bernoulli : Maker<int64_t, 4> {
  uint32_t last;
  bool any;

  __device__ void make(const PhiloxBlock& block, int64_t (&value)[4]) const {
    for (int i = 0; i < 4; ++i) value[i] = any && block.word[i] <= last ? 1 : 0;
  }
};

// Input: the probability.
struct BernoulliOfTensor : Maker<double, 4, 1> {
  __device__ void make(const PhiloxBlock& block, double (&value)[4]) const {
    for (int i = 0; i < 4; ++i) value[i] = block.word[i] * 0x1p-32;
  }
  __device__ double finish(double unit, double p, double) const { return unit < p ? 1 : 0; }
};

struct Integers : Maker<int64_t, 2> {
  int64_t from;
  uint64_t range;

  __device__ void make(const PhiloxBlock& block, int64_t (&value)[2]) const {
    for (int i = 0; i < 2; ++i) {
      const uint64_t word = block.pair(i), scaled = range == 0 ? word : __umul64hi(word, range);
      value[i] = static_cast<int64_t>(static_cast<uint64_t>(from) + scaled);
    }
  }
};

template <typename T>
struct RandomCall {
  diopi::RandomStream words;
  Strided<3> nest;
  int64_t first;  // the number of the first element
  void* out;
  const void* in[2];  // null: number[k]
  diopiDtype_t out_dtype, dtype[2];
  T number[2];
  int32_t packed;  // 1: threads access the elements of a counter block at once
};

// The values of a whole counter block, with accesses of up to 16 bytes.
template <class M, typename T>
__device__ void finish_block(const M& maker, const RandomCall<T>& call, int64_t first, T (&values)[M::kElements]) {
  T input[2][M::kElements];
  DIOPI_UNROLL
  for (int k = 0; k < 2; ++k) {
    if (k < M::kInputs && call.in[k] != nullptr) {
      load_items(call.in[k], first, call.dtype[k], input[k]);
    } else {
      repeat_item(call.number[k], input[k]);
    }
  }
  DIOPI_UNROLL
  for (int j = 0; j < M::kElements; ++j) values[j] = maker.finish(values[j], input[0][j], input[1][j]);
  store_items(call.out, first, call.out_dtype, values);
}

// A thread for each counter block.
template <class M>
__global__ void fill_random(M maker, RandomCall<typename M::T> call) {
  using T = typename M::T;
  constexpr int kElements = M::kElements;
  const int64_t block = call.first / kElements + thread_item();
  const int64_t begin = block * kElements - call.first;
  if (begin >= call.nest.numel) return;
  T values[kElements];
  maker.make(philox(call.words, static_cast<uint64_t>(block)), values);
  if (call.packed != 0 && begin + kElements <= call.nest.numel) {
    finish_block(maker, call, begin, values);
    return;
  }
  for (int j = 0; j < kElements; ++j) {
    const int64_t item = begin + j;
    if (item < 0 || item >= call.nest.numel) continue;
    int32_t offset[3];
    call.nest.offsets(static_cast<uint32_t>(item), offset);
    T input[2] = {call.number[0], call.number[1]};
    for (int k = 0; k < M::kInputs; ++k) {
      if (call.in[k] != nullptr) input[k] = load_as<T>(call.in[k], offset[k + 1], call.dtype[k]);
    }
    store_as(call.out, offset[0], call.out_dtype, maker.finish(values[j], input[0], input[1]));
  }
}

// Whether the piece begins at a counter block, and all its tensors are contiguous and aligned.
template <class M>
bool is_packed(const RandomCall<typename M::T>& call) {
  const Strided<3>& nest = call.nest;
  if (nest.loops != 1 || nest.stride[0][0] != 1 || call.first % M::kElements != 0) return false;
  bool packed = are_items_aligned(call.out, diopi::dtype_size(call.out_dtype), M::kElements);
  for (int k = 0; k < M::kInputs; ++k) {
    if (call.in[k] == nullptr) continue;
    packed = packed && nest.stride[0][k + 1] == 1 &&
             are_items_aligned(call.in[k], diopi::dtype_size(call.dtype[k]), M::kElements);
  }
  return packed;
}

template <class M>
Status launch_random(const RandomFill& fill, const M& maker,
                     const TensorView* const (&inputs)[2] = {nullptr, nullptr}) {
  using T = typename M::T;
  const TensorView& out = fill.out;
  if (out.numel == 0) return diopiSuccess;
  diopi::Dims stride[2];
  for (int k = 0; k < 2; ++k) {
    stride[k] = inputs[k] != nullptr ? inputs[k]->stride : out.stride;
    for (int d = 0; inputs[k] == nullptr && d < out.ndim(); ++d) stride[k][d] = 0;
  }
  diopi::LoopNest<3> nest = diopi::row_major_nest(out.shape, out.stride, stride[0], stride[1]);
  nest.drop_ones();
  nest.merge();
  return for_each_piece(nest, [&](const Piece<3>& piece) -> Status {
    RandomCall<T> call{};
    call.words = fill.words;
    call.nest = piece.nest;
    call.first = piece.first;
    call.out = out.data + piece.base[0] * out.itemsize();
    call.out_dtype = out.dtype;
    for (int k = 0; k < M::kInputs; ++k) {
      const TensorView& in = *inputs[k];
      call.dtype[k] = in.dtype;
      if (on_host(in.data)) {
        call.number[k] = load_as<T>(in.data, 0, in.dtype);
      } else {
        call.in[k] = in.data + piece.base[k + 1] * in.itemsize();
      }
    }
    call.packed = is_packed<M>(call) ? 1 : 0;
    const dim3 grid = blocks_for(piece.nest.numel / M::kElements + 2);
    return checked(launch(fill_random<M>, grid, dim3(kBlock), 0, fill.stream, maker, call), "a kernel");
  });
}

}  // namespace

Status random_uniform(const RandomFill& fill, const diopi::UniformParams& params) {
  if (fill.out.dtype == diopi_dtype_float64) {
    UniformDouble maker{};
    maker.from = params.from;
    maker.range = params.to - params.from;
    maker.limit = params.limit;
    return launch_random(fill, maker);
  }
  UniformFloat maker{};
  maker.from = static_cast<float>(params.from);
  maker.range = static_cast<float>(params.to) - static_cast<float>(params.from);
  maker.limit = static_cast<float>(params.limit);
  maker.unit = params.bits == 24 ? 0x1p-24f : params.bits == 11 ? 0x1p-11f : 0x1p-8f;
  maker.shift = 32 - params.bits;
  return launch_random(fill, maker);
}

Status random_normal(const RandomFill& fill, const diopi::NormalParams& params) {
  if (fill.out.dtype == diopi_dtype_float64) {
    Normal<double> maker{};
    maker.mean = params.mean;
    maker.std = params.std;
    return launch_random(fill, maker);
  }
  Normal<float> maker{};
  maker.mean = static_cast<float>(params.mean);
  maker.std = static_cast<float>(params.std);
  return launch_random(fill, maker);
}

Status random_normal_tensors(const RandomFill& fill, const TensorView& mean, const TensorView& std) {
  const TensorView* const inputs[2] = {&mean, &std};
  if (fill.out.dtype == diopi_dtype_float64) {
    NormalOfTensors<double> maker{};
    maker.std = 1;
    return launch_random(fill, maker, inputs);
  }
  NormalOfTensors<float> maker{};
  maker.std = 1;
  return launch_random(fill, maker, inputs);
}

Status random_integers(const RandomFill& fill, const diopi::IntegerParams& params) {
  Integers maker{};
  maker.from = params.from;
  maker.range = params.range;
  return launch_random(fill, maker);
}

Status random_bernoulli(const RandomFill& fill, const diopi::BernoulliParams& params) {
  Bernoulli maker{};
  maker.last = params.last;
  maker.any = params.any;
  return launch_random(fill, maker);
}

Status random_bernoulli_tensor(const RandomFill& fill, const TensorView& p) {
  const TensorView* const inputs[2] = {&p, nullptr};
  return launch_random(fill, BernoulliOfTensor{}, inputs);
}

}  // namespace impl::cuda
