// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/random/random.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/random/blocks.hpp"

namespace impl::cpu {

namespace {

using diopi::TensorView;

void make_uniform_float(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  random_uniform_float(words, n, *static_cast<const UniformParams*>(params), static_cast<float*>(out));
}
void make_uniform_double(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  random_uniform_double(words, n, *static_cast<const UniformParams*>(params), static_cast<double*>(out));
}
void make_normal_float(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  random_normal_float(words, n, *static_cast<const NormalParams*>(params), static_cast<float*>(out));
}
void make_normal_double(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  random_normal_double(words, n, *static_cast<const NormalParams*>(params), static_cast<double*>(out));
}
void make_bernoulli(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  random_bernoulli_bytes(words, n, *static_cast<const BernoulliParams*>(params), static_cast<uint8_t*>(out));
}
template <typename T, void (*kNormal)(const uint32_t*, int64_t, const NormalParams&, T*)>
void make_normal_tensors(const uint32_t* words, int64_t n, const void*, const void* const* in, void* out) {
  const T *mean = static_cast<const T*>(in[0]), *std = static_cast<const T*>(in[1]);
  T* const values = static_cast<T*>(out);
  kNormal(words, n, NormalParams{0, 1}, values);
  for (int64_t i = 0; i < n; ++i) values[i] = values[i] * std[i] + mean[i];
}

void make_bernoulli_tensor(const uint32_t* words, int64_t n, const void*, const void* const* in, void* out) {
  const double* const p = static_cast<const double*>(in[0]);
  double* const values = static_cast<double*>(out);
  for (int64_t i = 0; i < n; ++i) values[i] = words[i] * 0x1p-32 < p[i] ? 1 : 0;
}

void make_integers(const uint32_t* words, int64_t n, const void* params, const void* const*, void* out) {
  const auto& p = *static_cast<const IntegerParams*>(params);
  auto* values = static_cast<int64_t*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t word = pair_of_words(words, i);
    const auto scaled = static_cast<uint64_t>((static_cast<unsigned __int128>(word) * p.range) >> 64);
    values[i] = static_cast<int64_t>(static_cast<uint64_t>(p.from) + (p.range == 0 ? word : scaled));
  }
}

}  // namespace

RandomKernel random_uniform(diopiDtype_t dtype, const UniformParams* params) {
  if (dtype == diopi_dtype_float64) return {make_uniform_double, params, 2, diopi_dtype_float64};
  return {make_uniform_float, params, 1, diopi_dtype_float32};
}

RandomKernel random_normal(diopiDtype_t dtype, const NormalParams* params) {
  if (dtype == diopi_dtype_float64) return {make_normal_double, params, 2, diopi_dtype_float64};
  return {make_normal_float, params, 1, diopi_dtype_float32};
}

RandomKernel random_normal_tensors(diopiDtype_t dtype) {
  if (dtype == diopi_dtype_float64) {
    return {make_normal_tensors<double, random_normal_double>, nullptr, 2, diopi_dtype_float64, 2};
  }
  return {make_normal_tensors<float, random_normal_float>, nullptr, 1, diopi_dtype_float32, 2};
}

RandomKernel random_bernoulli_tensor() { return {make_bernoulli_tensor, nullptr, 1, diopi_dtype_float64, 1}; }

RandomKernel random_bernoulli(const BernoulliParams* params) { return {make_bernoulli, params, 1, diopi_dtype_uint8}; }

RandomKernel random_integers(const IntegerParams* params) { return {make_integers, params, 2, diopi_dtype_int64}; }

void fill_random(RandomStream stream, const RandomKernel& kernel, const TensorView& out, const TensorView* inputs) {
  const CastFn cast = kernel.dtype == out.dtype ? nullptr : cast_function(kernel.dtype, out.dtype);
  const bool packed = out.is_contiguous();
  const int64_t size = out.itemsize();
  for_each_block(stream, out.numel, kernel.words_per_element, [&](int64_t first, int64_t count, const uint32_t* words) {
    alignas(64) unsigned char values[kRandomBlock * sizeof(double)], other[2][kRandomBlock * sizeof(double)];
    const void* const in[2] = {other[0], other[1]};
    for (int i = 0; i < kernel.num_inputs; ++i) gather_range(inputs[i], first, count, kernel.dtype, other[i]);
    char* const place = packed ? out.data + first * size : nullptr;
    const int64_t padded = with_padding(count);
    const bool direct = packed && cast == nullptr && count == padded;
    kernel.make(words, padded, kernel.params, in, direct ? static_cast<void*>(place) : values);
    if (direct) return;
    if (cast != nullptr) cast(packed ? static_cast<void*>(place) : other[0], values, count);
    const void* const result = cast != nullptr ? other[0] : values;
    if (!packed) {
      scatter_range(out, first, count, result);
    } else if (cast == nullptr) {
      std::memcpy(place, result, static_cast<size_t>(count * size));
    }
  });
}

void dropout_packed(RandomStream stream, const BernoulliParams& keep, double scale, diopiDtype_t dtype, const void* x,
                    int64_t n, void* out, uint8_t* mask) {
  const CastFn widen = cast_function(dtype, diopi_dtype_float32), round = cast_function(diopi_dtype_float32, dtype);
  const int64_t size = diopi::dtype_size(dtype);
  const auto narrow_scale = static_cast<float>(scale);
  for_each_block(stream, n, 1, [&](int64_t first, int64_t count, const uint32_t* words) {
    alignas(64) float wide[kRandomBlock];
    const char* const src = static_cast<const char*>(x) + first * size;
    char* const dst = static_cast<char*>(out) + first * size;
    const uint8_t* const kept = mask + first;
    random_bernoulli_bytes(words, count, keep, mask + first);
    if (dtype == diopi_dtype_float64) {
      random_dropout_double(kept, reinterpret_cast<const double*>(src), count, scale, reinterpret_cast<double*>(dst));
    } else if (dtype == diopi_dtype_float32) {
      random_dropout_float(kept, reinterpret_cast<const float*>(src), count, narrow_scale,
                           reinterpret_cast<float*>(dst));
    } else {
      widen(wide, src, count);
      random_dropout_float(kept, wide, count, narrow_scale, wide);
      round(dst, wide, count);
    }
  });
}

}  // namespace impl::cpu
