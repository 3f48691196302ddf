// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/lmdeploy_layer.hpp"

#include <algorithm>

#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"

namespace impl::cpu {

namespace {

template <typename T>
void write_angles(const RopeAngles& p, const int64_t* padding) {
  T *cos = p.cos.ptr<T>(), *sin = p.sin.ptr<T>();
  const int64_t half = p.cos.shape[3];
  for (int64_t b = 0; b < p.cos.shape[0]; ++b) {
    for (int64_t t = 0; t < p.cos.shape[1]; ++t) {
      const double position = static_cast<double>(p.first) + static_cast<double>(t) -
                              (padding != nullptr ? static_cast<double>(padding[b]) : 0.0);
      for (int64_t i = 0; i < half; ++i) {
        const double angle = position * std::pow(p.theta, -static_cast<double>(i) / static_cast<double>(half));
        *cos++ = static_cast<T>(std::cos(angle));
        *sin++ = static_cast<T>(std::sin(angle));
      }
    }
  }
}

}  // namespace

Status make_rope_angles(diopiContextHandle_t ctx, const RopeAngles& p) {
  const int64_t* padding = nullptr;
  DIOPI_TRY(read_list(ctx, p.padding, &padding));
  if (padding != nullptr) DIOPI_TRY(require_elements(p.padding->name, padding, p.padding->numel, 0, p.first));
  p.cos.dtype == diopi_dtype_float64 ? write_angles<double>(p, padding) : write_angles<float>(p, padding);
  return diopiSuccess;
}

Status read_ring(diopiContextHandle_t ctx, const TensorView& lengths, const TensorView* finished, int64_t places,
                 int64_t* places_of, int64_t* counts) {
  const int64_t* length = nullptr;
  const bool* ended = nullptr;
  DIOPI_TRY(read_list(ctx, lengths, &length));
  DIOPI_TRY(require_elements(lengths.name, length, lengths.numel, 0));
  DIOPI_TRY(read_list(ctx, finished, &ended));
  for (int64_t b = 0; b < lengths.numel; ++b) {
    const bool skipped = ended != nullptr && ended[b];
    places_of[b] = skipped ? -1 : length[b] % places;
    counts[b] = skipped ? 0 : std::min(length[b], places - 1) + 1;
  }
  return diopiSuccess;
}

Status store_tokens(diopiContextHandle_t, const TensorView& cache, const TensorView& tokens, const int64_t* places) {
  for (int64_t b = 0; b < cache.shape[0]; ++b) {
    if (places[b] >= 0) copy_view(cache.select(0, b).select(0, places[b]), tokens.select(0, b).select(0, 0));
  }
  return diopiSuccess;
}

Status replace_rows(diopiContextHandle_t, const TensorView& out, const TensorView& in, const int64_t* places) {
  for (int64_t b = 0; b < out.shape[0]; ++b) {
    if (places[b] >= 0) copy_view(out.select(0, b), in.select(0, b));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
