// SPDX-License-Identifier: BSD-3-Clause
// Filters of images that are enlarged with zeros, padded, filtered and reduced. All arrays of a call have one type,
// float or double.
#ifndef IMPL_CPU_FEATURE_MAPS_UPFIRDN_HPP_
#define IMPL_CPU_FEATURE_MAPS_UPFIRDN_HPP_

#include "impl/common/dtype.hpp"
#include "impl/cpu/feature_maps/phases.hpp"

namespace impl::cpu {

struct UpfirdnCall {
  const void* input = nullptr;   // [images, height] of rows `row`
  const void* kernel = nullptr;  // [kernel_height, kernel_width]
  PhaseRow row;                  // as many phases as positions are skipped between two outputs
  int64_t height = 0, out_height = 0, out_width = 0;
  int64_t kernel_height = 1, kernel_width = 1;
  int64_t up[2] = {1, 1}, down[2] = {1, 1}, pad[2] = {0, 0};  // vertical, horizontal; before the first element
};

// Writes rows [begin, end) of out [images, out_height, out_width, items].
using UpfirdnFn = void (*)(const UpfirdnCall& call, void* out, int64_t begin, int64_t end);
UpfirdnFn upfirdn_kernel(diopiDtype_t dtype);

}  // namespace impl::cpu

#endif  // IMPL_CPU_FEATURE_MAPS_UPFIRDN_HPP_
