// SPDX-License-Identifier: BSD-3-Clause
// Shifts of frames in time, and rotated copies of filters.
#include <cstring>

#include "impl/common/engine/feature_maps.hpp"
#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {
namespace {

// Planes of E entries: filters [O, I] and their rotations [O, R, I]; target[l * R + r] is the entry, from 1 on, to
// which rotation r moves entry l.
struct Rotations {
  int64_t inputs, rotations, entries;
  const int32_t* target;

  // The plane of rotation r of plane p.
  int64_t rotated(int64_t p, int64_t r) const { return (p / inputs * rotations + r) * inputs + p % inputs; }
};

Status pack_rotations(diopiContextHandle_t ctx, const TensorView& filters, const TensorView& indices, Rotations* r) {
  TensorView packed;
  DIOPI_TRY(arrange_input(ctx, indices, nullptr, false, diopi_dtype_int32, &packed));
  r->inputs = filters.shape[1];
  r->rotations = indices.shape[3];
  r->entries = filters.shape[2] * filters.shape[3] * filters.shape[4];
  r->target = packed.ptr<int32_t>();
  return diopiSuccess;
}

template <typename T>
struct Storage {
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
};

template <typename T>
void add_rotations(const Rotations& r, T* grad, const T* grad_rotated, int64_t plane) {
  for (int64_t l = 0; l < r.entries; ++l) {
    double sum = 0;
    for (int64_t k = 0; k < r.rotations; ++k) {
      const T value = grad_rotated[r.rotated(plane, k) * r.entries + r.target[l * r.rotations + k] - 1];
      sum += static_cast<double>(static_cast<typename Storage<T>::Compute>(value));
    }
    grad[plane * r.entries + l] = static_cast<T>(static_cast<typename Storage<T>::Compute>(sum));
  }
}

}  // namespace

Status shift_frames(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in, const TensorView& shift) {
  TensorView from, to, by;
  DIOPI_TRY(arrange_input(ctx, in, nullptr, false, in.dtype, &from));
  DIOPI_TRY(arrange_input(ctx, shift, nullptr, false, diopi_dtype_int32, &by));
  DIOPI_TRY(arrange(ctx, out, false, in.dtype, false, &to));
  if (out.numel == 0) return diopiSuccess;
  const int64_t frames = in.shape[1], channels = in.shape[2], bytes = in.shape[3] * in.itemsize();
  const int64_t groups = shift.shape[1], per_group = channels / groups;
  const int32_t* steps = by.ptr<int32_t>();
  const char* source = from.data;
  char* target = to.data;
  diopi::parallel_for(in.shape[0] * frames, diopi::Picoseconds{groups * (per_group * bytes * 50 + 5000)},
                      [=](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) {
                          for (int64_t g = 0; g < groups; ++g) {
                            const int64_t step = steps[i / frames * groups + g], t = i % frames - step;
                            char* row = target + (i * channels + g * per_group) * bytes;
                            const auto size = static_cast<size_t>(per_group * bytes);
                            if (t < 0 || t >= frames) {
                              std::memset(row, 0, size);
                            } else {
                              std::memcpy(row, source + ((i - step) * channels + g * per_group) * bytes, size);
                            }
                          }
                        }
                      });
  put_back(out, to);
  return diopiSuccess;
}

Status check_rotations(diopiContextHandle_t ctx, const TensorView& indices, int64_t entries) {
  TensorView packed;
  DIOPI_TRY(arrange_input(ctx, indices, nullptr, false, diopi_dtype_int32, &packed));
  for (int64_t i = 0; i < packed.numel; ++i) {
    const int32_t value = packed.ptr<int32_t>()[i];
    DIOPI_REQUIRE(value >= 1 && value <= entries, diopiErrorOccurred,
                  "%s holds %d at position %lld, expected 1 to %lld", indices.name, value, static_cast<long long>(i),
                  static_cast<long long>(entries));
  }
  return diopiSuccess;
}

Status rotate_filters(diopiContextHandle_t ctx, const TensorView& rotated, const TensorView& filters,
                      const TensorView& indices) {
  TensorView from, to;
  Rotations r{};
  DIOPI_TRY(pack_rotations(ctx, filters, indices, &r));
  DIOPI_TRY(arrange_input(ctx, filters, nullptr, false, filters.dtype, &from));
  DIOPI_TRY(arrange(ctx, rotated, false, filters.dtype, false, &to));
  if (rotated.numel == 0) return diopiSuccess;
  fill_zero(to);
  diopi::for_itemsize(filters.itemsize(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* out = to.ptr<T>();
    diopi::parallel_for(filters.shape[0] * r.inputs, diopi::Picoseconds{r.entries * r.rotations * 2000},
                        [=](int64_t begin, int64_t end) {
                          for (int64_t p = begin; p < end; ++p) {
                            for (int64_t k = 0; k < r.rotations; ++k) {
                              T* plane = out + r.rotated(p, k) * r.entries;
                              for (int64_t l = 0; l < r.entries; ++l) {
                                plane[r.target[l * r.rotations + k] - 1] = in[p * r.entries + l];
                              }
                            }
                          }
                        });
    return 0;
  });
  put_back(rotated, to);
  return diopiSuccess;
}

Status rotate_filters_backward(diopiContextHandle_t ctx, const TensorView& grad, const TensorView& grad_rotated,
                               const TensorView& indices) {
  TensorView from, to;
  Rotations r{};
  DIOPI_TRY(pack_rotations(ctx, grad, indices, &r));
  DIOPI_TRY(arrange_input(ctx, grad_rotated, nullptr, false, grad.dtype, &from));
  DIOPI_TRY(arrange(ctx, grad, false, grad.dtype, false, &to));
  if (grad.numel == 0) return diopiSuccess;
  DIOPI_TRY(diopi::visit_dtype<diopi::FloatingTypes>(grad.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const T* in = from.ptr<T>();
    T* out = to.ptr<T>();
    diopi::parallel_for(grad.shape[0] * r.inputs, diopi::Picoseconds{r.entries * r.rotations * 2000},
                        [=](int64_t begin, int64_t end) {
                          for (int64_t p = begin; p < end; ++p) add_rotations(r, out, in, p);
                        });
    return diopiSuccess;
  }));
  put_back(grad, to);
  return diopiSuccess;
}

}  // namespace impl::cpu
