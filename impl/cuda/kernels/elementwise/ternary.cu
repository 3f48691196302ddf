// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/elementwise/ternary.hpp"

#include "impl/cuda/kernels/copy/copy.hpp"
#include "impl/cuda/kernels/elementwise/complex_functions.cuh"
#include "impl/cuda/kernels/elementwise/map.cuh"

namespace impl::cuda {

namespace {

template <typename T>
__device__ T addcmul(T a, T b, T c, T value) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(value) * static_cast<U>(b) * static_cast<U>(c));
  } else {
    return a + value * b * c;
  }
}

// Computed from the nearer end.
template <typename T>
__device__ T lerp_value(T a, T b, T w) {
  bool near_start = false;
  if constexpr (is_complex_type<T>) {
    near_start = w.re * w.re + w.im * w.im < 0.25;
  } else {
    near_start = (w < 0 ? -w : w) < T(0.5);
  }
  return near_start ? a + w * (b - a) : b - (b - a) * (T(1) - w);
}

// NaN if an operand is NaN.
template <typename T>
__device__ T clamp_value(T a, T low, T high) {
  const T raised = a != a || a > low ? a : low;
  const T limited = raised != raised || raised < high ? raised : high;
  return low != low ? low : limited;
}

template <typename T>
struct Ternary {
  static constexpr bool kGivesBool = false;
  Immediate value;
  TernaryOp op;
  uint32_t unused[3];  // no byte of a parameter holds what was on the stack

  __device__ T operator()(const T (&in)[3]) const {
    const T a = in[0], b = in[1], c = in[2];
    if (op == TernaryOp::kAddcmul) return addcmul(a, b, c, value.template as<T>());
    if constexpr (!std::is_integral_v<T>) {
      if (op == TernaryOp::kAddcdiv) return a + value.template as<T>() * b / c;
      if (op == TernaryOp::kLerp) return lerp_value(a, b, c);
    }
    if constexpr (is_complex_type<T>) {
      return a;
    } else {
      return clamp_value(a, b, c);
    }
  }
};

using TernaryNumbers = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float,
                                       double, Complex64, Complex128>;

// Operands of one width, of which the mask has bytes. Word has the size of an element.
template <typename Word>
struct SelectCall {
  Word* out;
  const uint8_t* mask;
  const Word *a, *b;  // null: the number
  Immediate number_a, number_b;

  __device__ Word first(int32_t offset) const { return a == nullptr ? number_a.template as<Word>() : a[offset]; }
  __device__ Word second(int32_t offset) const { return b == nullptr ? number_b.template as<Word>() : b[offset]; }
  __device__ void select(const int32_t (&at)[4]) const { out[at[0]] = mask[at[1]] != 0 ? first(at[2]) : second(at[3]); }
};

template <typename Word>
__global__ void select_words(Strided<4> nest, SelectCall<Word> call) {
  const int64_t item = thread_item();
  if (item >= nest.numel) return;
  int32_t at[4];
  nest.offsets(static_cast<uint32_t>(item), at);
  call.select(at);
}

template <typename Word, int kItems>
__global__ void select_runs(Runs<4> runs, SelectCall<Word> call) {
  const int64_t item = thread_item();
  if (item >= runs.threads()) return;
  int32_t at[4];
  const int count = runs.template locate<kItems>(static_cast<uint32_t>(item), at);
  if (count < kItems) {  // the end of a run
    for (int j = 0; j < count; ++j) {
      call.select(at);
      for (int k = 0; k < 4; ++k) at[k] += runs.step[k];
    }
    return;
  }
  uint8_t mask[kItems];
  Word a[kItems], b[kItems];
  runs.step[1] != 0 ? load_items(call.mask + at[1], mask) : repeat_item(call.mask[at[1]], mask);
  runs.step[2] != 0 ? load_items(call.a + at[2], a) : repeat_item(call.first(at[2]), a);
  runs.step[3] != 0 ? load_items(call.b + at[3], b) : repeat_item(call.second(at[3]), b);
  DIOPI_UNROLL
  for (int j = 0; j < kItems; ++j) {
    if (mask[j] == 0) a[j] = b[j];
  }
  store_items(call.out + at[0], a);
}

template <typename Word>
Status launch_words(const MapCall& call) {
  constexpr int kSize = sizeof(Word), kItems = kSize < 8 ? 16 / kSize : 32 / kSize;
  SelectCall<Word> base{};
  if (call.is_number[1]) convert_number(call.in[1], call.out.dtype, base.number_a.bytes);
  if (call.is_number[2]) convert_number(call.in[2], call.out.dtype, base.number_b.bytes);
  return for_each_piece(map_nest<3>(call), [&](const Piece<4>& piece) -> Status {
    SelectCall<Word> part = base;
    part.out = call.out.ptr<Word>() + piece.base[0];
    part.mask = call.in[0].ptr<uint8_t>() + piece.base[1];
    if (!call.is_number[1]) part.a = call.in[1].ptr<Word>() + piece.base[2];
    if (!call.is_number[2]) part.b = call.in[2].ptr<Word>() + piece.base[3];
    Runs<4> runs;
    if (find_runs(piece.nest, kItems, {part.out, part.mask, part.a, part.b}, {kSize, 1, kSize, kSize}, &runs)) {
      const auto kernel = select_runs<Word, kItems>;
      return checked(launch(kernel, blocks_for(runs.threads()), dim3(kBlock), 0, call.stream, runs, part), "a kernel");
    }
    const dim3 grid = blocks_for(piece.nest.numel);
    return checked(launch(select_words<Word>, grid, dim3(kBlock), 0, call.stream, piece.nest, part), "a kernel");
  });
}

// Converts the operands to T, and, if it is float, to the 16-bit dtype `rounded`. The mask is read as a number, which
// keeps whether it is 0.
template <typename T>
struct Select {
  static constexpr bool kGivesBool = false;
  diopiDtype_t rounded;
  __device__ T operator()(const T (&in)[3]) const {
    const T chosen = in[0] != T(0) ? in[1] : in[2];
    if constexpr (std::is_same_v<T, float>) {
      if (rounded == diopi_dtype_float16) return widen(narrow<float16>(chosen));
      if (rounded == diopi_dtype_bfloat16) return widen(narrow<bfloat16>(chosen));
    }
    return chosen;
  }
};

}  // namespace

bool has_ternary(TernaryOp op, diopiDtype_t dtype) {
  if (dtype == diopi_dtype_bool) return false;
  if (op == TernaryOp::kClamp) return !diopi::is_complex(dtype);
  return op == TernaryOp::kAddcmul || !diopi::is_integral(dtype);
}

Status launch_ternary(const MapCall& call, TernaryOp op, diopiDtype_t dtype, const void* params) {
  return diopi::visit_dtype<TernaryNumbers>(dtype, [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    Ternary<T> f{};
    f.op = op;
    if (params != nullptr) std::memcpy(f.value.bytes, params, sizeof(T));
    return launch_map<Ternary<T>, T, 3>(call, f);
  });
}

Status launch_select(const MapCall& call, diopiDtype_t dtype) {
  if (call.idle) return diopiSuccess;
  bool moves = call.out.dtype == dtype && !call.is_number[0];
  for (int k = 1; k < 3; ++k) moves = moves && (call.is_number[k] || call.in[k].dtype == dtype);
  if (moves) {
    return diopi::for_itemsize(diopi::dtype_size(dtype), [&](auto tag) -> Status {
      return launch_words<AlignedWord<diopi::tagged<decltype(tag)>>>(call);
    });
  }
  return diopi::visit_dtype<AllNumbers>(diopi::compute_dtype(dtype), [&](auto tag) -> Status {
    using T = diopi::tagged<decltype(tag)>;
    return launch_map<Select<T>, T, 3>(call, Select<T>{dtype});
  });
}

}  // namespace impl::cuda
