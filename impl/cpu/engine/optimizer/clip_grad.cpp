// SPDX-License-Identifier: BSD-3-Clause
// The joint norm of several tensors, and multiplication of tensors by a number.

#include <algorithm>
#include <cmath>

#include "impl/common/engine/optimizer.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/element_range.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kChunk = 16 * kElementRange;

template <typename T>
void scale_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const T factor = static_cast<T>(*static_cast<const double*>(params));
  const T* x = static_cast<const T*>(in[0]);
  T* result = static_cast<T*>(out[0]);
  for (int64_t i = 0; i < n; ++i) result[i] = x[i] * factor;
}

// The number of chunks of a tensor's sum. It does not depend on the number of threads.
int64_t norm_chunks(int64_t numel) { return (numel + kChunk - 1) / kChunk; }

class GradientNorm {
 public:
  explicit GradientNorm(double p);
  // `partial` has room for norm_chunks(tensor.numel) numbers.
  void add(const TensorView& tensor, double* partial);
  double value() const;

 private:
  double term(double magnitude) const;
  double join(double a, double b) const;
  double finish(double joined) const;

  double p_;
  double joined_;
  bool empty_ = true;
};

GradientNorm::GradientNorm(double p) : p_(p), joined_(p == -INFINITY ? INFINITY : 0) {}

double GradientNorm::term(double magnitude) const {
  if (p_ == 2) return magnitude * magnitude;
  if (p_ == 0) return magnitude != 0 ? 1 : 0;
  return std::isinf(p_) || p_ == 1 ? magnitude : std::pow(magnitude, p_);
}

double GradientNorm::join(double a, double b) const {
  if (!std::isinf(p_)) return a + b;
  if (a != a || b != b) return NAN;
  return p_ > 0 ? std::max(a, b) : std::min(a, b);
}

double GradientNorm::finish(double joined) const {
  if (p_ == 2) return std::sqrt(joined);
  return p_ == 0 || p_ == 1 || std::isinf(p_) ? joined : std::pow(joined, 1 / p_);
}

void GradientNorm::add(const TensorView& tensor, double* partial) {
  const double start = p_ == -INFINITY ? INFINITY : 0;
  const int64_t chunks = norm_chunks(tensor.numel);
  diopi::parallel_for(chunks, 2, [&](int64_t begin, int64_t end) {
    double values[kElementRange];
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      double sum = start;
      const int64_t stop = std::min(tensor.numel, (chunk + 1) * kChunk);
      for (int64_t first = chunk * kChunk; first < stop; first += kElementRange) {
        const int64_t count = std::min(kElementRange, stop - first);
        gather_range(tensor, first, count, diopi_dtype_float64, values);
        for (int64_t i = 0; i < count; ++i) sum = join(sum, term(std::fabs(values[i])));
      }
      partial[chunk] = sum;
    }
  });
  double sum = start;
  for (int64_t chunk = 0; chunk < chunks; ++chunk) sum = join(sum, partial[chunk]);
  joined_ = join(joined_, term(finish(sum)));
  empty_ = false;
}

double GradientNorm::value() const { return empty_ ? 0 : finish(joined_); }

}  // namespace

Status norm_of_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double p, double* norm) {
  int64_t longest = 0;
  for (const TensorView& tensor : tensors) longest = std::max(longest, tensor.numel);
  double* partial = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(norm_chunks(longest), &partial));
  GradientNorm joint(p);
  for (const TensorView& tensor : tensors) joint.add(tensor, partial);
  *norm = joint.value();
  return diopiSuccess;
}

// Elements are scaled in place, in the compute dtype, which needs no memory.
Status scale_tensors(diopiContextHandle_t ctx, const ViewList& tensors, double factor) {
  for (const TensorView& tensor : tensors) {
    const diopiDtype_t compute = diopi::compute_dtype(tensor.dtype);
    const BlockFn fn = compute == diopi_dtype_float64 ? scale_block<double> : scale_block<float>;
    DIOPI_TRY(run_elementwise(ctx, uniform_kernel(fn, compute, 1, &factor), &tensor, &tensor));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
