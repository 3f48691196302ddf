// SPDX-License-Identifier: BSD-3-Clause
// Scaling of gradients for mixed precision.
#include <atomic>
#include <cmath>

#include "impl/common/engine/tensor_list.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/tensor_list/chunks.hpp"
#include "impl/cpu/pointwise/list.hpp"

namespace impl::cpu {

namespace {

bool unscale_chunk(const TensorView& view, int64_t first, int64_t count, double factor) {
  const UnscaleFn fn = unscale_kernel(view.dtype);
  if (view.is_dense()) return fn(view.data + first * view.itemsize(), count, factor);
  alignas(8) char elements[kElementRange * sizeof(double)];
  bool found = false;
  for (int64_t done = 0; done < count; done += kElementRange) {
    const int64_t n = std::min(kElementRange, count - done);
    gather_range(view, first + done, n, view.dtype, elements);
    found = fn(elements, n, factor) || found;
    if (factor != 1) scatter_range(view, first + done, n, elements);
  }
  return found;
}

}  // namespace

Status run_unscale(diopiContextHandle_t, const ViewList& grads, const TensorView& found_inf,
                   const TensorView& inv_scale) {
  const double factor = static_cast<double>(*inv_scale.ptr<float>());
  std::atomic<bool> found{false};
  for_list_chunks(grads, 80, [&grads, &found, factor](int64_t k, int64_t, int64_t first, int64_t n) {
    if (unscale_chunk(grads[k], first, n, factor)) found.store(true, std::memory_order_relaxed);
  });
  if (found.load()) *found_inf.ptr<float>() = 1;
  return diopiSuccess;
}

Status run_update_scale(diopiContextHandle_t, const TensorView& scale, const TensorView& tracker,
                        const TensorView& found_inf, double growth, double backoff, int32_t interval) {
  float* value = scale.ptr<float>();
  int32_t* steps = tracker.ptr<int32_t>();
  const double current = static_cast<double>(*value);
  if (*found_inf.ptr<float>() != 0) {
    *value = static_cast<float>(current * backoff);
    *steps = 0;
    return diopiSuccess;
  }
  const auto next = static_cast<int32_t>(static_cast<uint32_t>(*steps) + 1);
  const auto grown = static_cast<float>(current * growth);
  if (next == interval && std::isfinite(grown)) *value = grown;
  *steps = next == interval ? 0 : next;
  return diopiSuccess;
}

}  // namespace impl::cpu
