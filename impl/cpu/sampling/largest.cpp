// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/sampling/largest.hpp"

#include <limits>

#include "impl/common/kernel_table.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/sampling/largest.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
#include "impl/cpu/simd/load_store-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

template <typename S>
double block_maximum(const S* x, int64_t n) {
  const TagOf<S> d;
  const int64_t lanes = lanes_of<S>();
  const auto lowest = hn::Set(d, -std::numeric_limits<ComputeOf<S>>::infinity());
  auto most = lowest;
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto v = load_vector(x + i);
    most = hn::Max(most, hn::IfThenElse(hn::IsNaN(v), lowest, v));
  }
  auto found = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; i < n; ++i) {
    const auto v = static_cast<ComputeOf<S>>(x[i]);
    if (v > found) found = v;
  }
  return static_cast<double>(found);
}

template <typename S>
void find_maxima(const void* logits, int64_t n, int64_t block, double* maxima) {
  const S* x = static_cast<const S*>(logits);
  for (int64_t i = 0; i < n; i += block) *maxima++ = block_maximum(x + i, std::min(block, n - i));
}

template <typename S>
int64_t collect(const void* logits, int64_t begin, int64_t end, double least, Candidate* found) {
  const TagOf<S> d;
  const S* x = static_cast<const S*>(logits);
  const int64_t lanes = lanes_of<S>();
  const auto bound = hn::Set(d, static_cast<ComputeOf<S>>(least));
  int64_t count = 0;
  for (int64_t first = begin; first < end; first += lanes) {
    const int64_t last = std::min(end, first + lanes);
    if (last - first == lanes && hn::AllTrue(d, hn::Lt(load_vector(x + first), bound))) continue;
    for (int64_t i = first; i < last; ++i) {
      const double logit = static_cast<double>(static_cast<ComputeOf<S>>(x[i]));
      const double clean = logit == logit ? logit : -std::numeric_limits<double>::infinity();
      if (clean >= least) found[count++] = {clean, i};
    }
  }
  return count;
}

LogitKernels GetLogitKernels(diopiDtype_t dtype) {
  LogitKernels kernels{};
  (void)diopi::visit_dtype<diopi::FloatingTypes>(dtype, [&](auto tag) -> diopi::Status {
    using S = diopi::tagged<decltype(tag)>;
    kernels = {find_maxima<S>, collect<S>};
    return diopiSuccess;
  });
  return kernels;
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetLogitKernels);

LogitKernels logit_kernels(diopiDtype_t dtype) { return HWY_DYNAMIC_DISPATCH(GetLogitKernels)(dtype); }
}  // namespace impl::cpu
#endif
