// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/softmax.hpp"

#include <algorithm>
#include <cmath>

#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

Status run_softmax(diopiContextHandle_t ctx, SoftmaxOp op, const TensorView& out, const TensorView* in, int dim,
                   diopiDtype_t dtype) {
  const bool forward = op == SoftmaxOp::kSoftmax || op == SoftmaxOp::kLogSoftmax;
  const bool logarithm = op == SoftmaxOp::kLogSoftmax || op == SoftmaxOp::kLogSoftmaxBackward;
  Elements x, other, y;
  DIOPI_TRY(x.read(ctx, in[0], out));
  DIOPI_TRY(other.read(ctx, in[forward ? 0 : 1], out));
  DIOPI_TRY(y.write(out));
  Dims rows = out.shape;
  const int64_t length = rows[dim];
  rows[dim] = length > 0 ? 1 : 0;
  for_each_index(rows, [&](const int64_t* first) {
    int64_t index[diopi::kMaxDims];
    std::copy_n(first, rows.n, index);
    const auto each = [&](auto f) {
      for (index[dim] = 0; index[dim] < length; ++index[dim]) f();
    };
    double most = -INFINITY, sum = 0;
    if (forward) {
      each([&] { most = !(x.get<double>(index) <= most) ? x.get<double>(index) : most; });
      each([&] { sum += std::exp(x.get<double>(index) - most); });
    } else {
      each([&] { sum += x.get<double>(index) * (logarithm ? 1 : other.get<double>(index)); });
    }
    each([&] {
      const double value = x.get<double>(index), output = other.get<double>(index);
      if (forward) return y.set(index, logarithm ? value - most - std::log(sum) : std::exp(value - most) / sum);
      y.set(index, logarithm ? value - std::exp(output) * sum : output * (value - sum));
    });
  });
  return diopiSuccess;
}

}  // namespace impl::skeleton
