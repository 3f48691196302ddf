// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sparse/voxel_rows.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/sparse/compute_type.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sparse/voxel_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// Plain loops without branches, which the compiler vectorises for the target.

template <typename T>
HWY_INLINE double wide(T value) {
  return static_cast<double>(static_cast<ComputeType<T>>(value));
}
template <typename T>
HWY_INLINE T narrow(double value) {
  return static_cast<T>(static_cast<ComputeType<T>>(value));
}

template <typename T>
void add(double* HWY_RESTRICT total, const void* row, int64_t n) {
  const T* HWY_RESTRICT x = static_cast<const T*>(row);
  for (int64_t c = 0; c < n; ++c) total[c] += wide(x[c]);
}

template <typename T>
void maximum(double* HWY_RESTRICT total, const void* row, int64_t n) {
  const T* HWY_RESTRICT x = static_cast<const T*>(row);
  for (int64_t c = 0; c < n; ++c) {
    const double value = wide(x[c]);
    total[c] = value > total[c] ? value : total[c];
  }
}

template <typename T>
void divide(void* out, const double* HWY_RESTRICT total, double divisor, int64_t n) {
  T* HWY_RESTRICT y = static_cast<T*>(out);
  for (int64_t c = 0; c < n; ++c) y[c] = narrow<T>(total[c] / divisor);
}

template <typename T>
void divide_row(void* out, const void* row, double divisor, int64_t n) {
  T* HWY_RESTRICT y = static_cast<T*>(out);
  const T* HWY_RESTRICT x = static_cast<const T*>(row);
  for (int64_t c = 0; c < n; ++c) y[c] = narrow<T>(wide(x[c]) / divisor);
}

template <typename T>
constexpr VoxelRowKernels kKernels{add<T>, maximum<T>, divide<T>, divide_row<T>};

const VoxelRowKernels* GetVoxelRows(diopiDtype_t dtype) {
  return diopi::kernel_for<diopi::FloatingTypes>(dtype,
                                                 [](auto tag) { return &kKernels<diopi::tagged<decltype(tag)>>; });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetVoxelRows);

VoxelRowKernels voxel_row_kernels(diopiDtype_t dtype) { return *HWY_DYNAMIC_DISPATCH(GetVoxelRows)(dtype); }

}  // namespace impl::cpu
#endif
