// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "impl/common/engine/softmax.hpp"
#include "impl/common/temporary.hpp"
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {
namespace {

// Tells which elements are hidden.
class Hidden {
 public:
  Status read(diopiContextHandle_t ctx, const diopi::MaskedSoftmaxProblem& p, const TensorView& like) {
    has_mask_ = p.mask != nullptr;
    if (!has_mask_) return diopiSuccess;
    TensorView packed;
    DIOPI_TRY(diopi::make_temporary(ctx, like.shape, p.mask->dtype, p.mask->name, &packed));
    DIOPI_TRY(copy_elements(packed, *p.mask));
    return mask_.read(ctx, packed, like);
  }
  bool operator()(const int64_t* index) const {
    return has_mask_ ? mask_.get<double>(index) != 0 : index[3] > index[2];
  }

 private:
  Elements mask_;
  bool has_mask_ = false;
};

// Calls f(index, each) for each row of four dimensions; each(g) calls g for the elements of the row.
template <typename F>
void for_each_row(const Dims& shape, F f) {
  Dims rows = shape;
  rows[3] = shape[3] > 0 ? 1 : 0;
  for_each_index(rows, [&](const int64_t* first) {
    int64_t index[diopi::kMaxDims];
    std::copy_n(first, rows.n, index);
    f(index, [&](auto g) {
      for (index[3] = 0; index[3] < shape[3]; ++index[3]) g();
    });
  });
}

}  // namespace

Status run_masked_softmax(diopiContextHandle_t ctx, const diopi::MaskedSoftmaxProblem& p, const TensorView& out,
                          const TensorView& in) {
  Elements x, y;
  Hidden hidden;
  DIOPI_TRY(x.read(ctx, in, out));
  DIOPI_TRY(hidden.read(ctx, p, out));
  DIOPI_TRY(y.write(out));
  for_each_row(out.shape, [&](const int64_t* index, auto each) {
    const auto score = [&] { return hidden(index) ? -10000.0 : p.scale * x.get<double>(index); };
    double most = -INFINITY, sum = 0;
    each([&] { most = !(score() <= most) ? score() : most; });
    each([&] { sum += std::exp(score() - most); });
    each([&] { y.set(index, std::exp(score() - most) / sum); });
  });
  return diopiSuccess;
}

Status run_masked_softmax_backward(diopiContextHandle_t ctx, const diopi::MaskedSoftmaxProblem& p,
                                   const TensorView& grad_in, const TensorView& grad_out, const TensorView& out) {
  Elements g, y, result;
  Hidden hidden;
  DIOPI_TRY(g.read(ctx, grad_out, grad_in));
  DIOPI_TRY(y.read(ctx, out, grad_in));
  DIOPI_TRY(hidden.read(ctx, p, grad_in));
  DIOPI_TRY(result.write(grad_in));
  for_each_row(grad_in.shape, [&](const int64_t* index, auto each) {
    double sum = 0;
    each([&] { sum += g.get<double>(index) * y.get<double>(index); });
    each([&] {
      const double value = p.scale * y.get<double>(index) * (g.get<double>(index) - sum);
      result.set(index, hidden(index) ? 0.0 : value);
    });
  });
  return diopiSuccess;
}

}  // namespace impl::skeleton
