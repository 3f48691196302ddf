// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/loop_nest.hpp"

namespace impl::cpu {

void Nest::collapse() {
  int kept = 0;
  for (int i = 0; i < n; ++i) {
    if (extent[i] == 1) continue;
    if (kept > 0 && stride[kept - 1] == stride[i] * extent[i]) {
      extent[kept - 1] *= extent[i];
      stride[kept - 1] = stride[i];
    } else {
      extent[kept] = extent[i];
      stride[kept++] = stride[i];
    }
  }
  n = kept;
}

void Nest::sort() {
  for (int i = 1; i < n; ++i) {
    for (int j = i; j > 0 && stride[j] > stride[j - 1]; --j) {
      std::swap(stride[j], stride[j - 1]);
      std::swap(extent[j], extent[j - 1]);
    }
  }
}

}  // namespace impl::cpu
