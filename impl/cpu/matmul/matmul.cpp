// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/matmul/matmul.hpp"

#include <algorithm>
#include <type_traits>

#include "impl/common/shape.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/cache_sizes.hpp"
#include "impl/cpu/engine/cast/cast.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/elementwise/elementwise.hpp"
#include "impl/cpu/matmul/few_rows.hpp"
#include "impl/cpu/matmul/pairwise.hpp"
#include "impl/cpu/matmul/small.hpp"
#include "impl/cpu/onednn/program_cache.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kTiny = 2048;   // multiply-adds; a smaller product is cheaper than any library call
constexpr int64_t kLongDot = 64;  // terms; kernels with vectors are faster than a plain loop for such sums

template <typename T>
struct Factors {
  T alpha, beta;
};

template <typename T>
T factor_as(const Factor& factor) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(factor.i);
  } else {
    return static_cast<T>(factor.f);
  }
}

// Integers wrap around. They are computed as unsigned integers at least as wide as int, to avoid promotion.
template <typename T>
T weighted_sum(T alpha, T a, T beta, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
    return static_cast<T>(static_cast<U>(alpha) * static_cast<U>(a) + static_cast<U>(beta) * static_cast<U>(b));
  } else {
    return alpha * a + beta * b;
  }
}

template <typename T>
T product(T alpha, T a) {
  if constexpr (std::is_integral_v<T>) {
    return weighted_sum(alpha, a, T{0}, T{0});
  } else {
    return alpha * a;
  }
}

template <typename T>
void scale_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& f = *static_cast<const Factors<T>*>(params);
  T* dst = static_cast<T*>(out[0]);
  const T* acc = static_cast<const T*>(in[0]);
  for (int64_t i = 0; i < n; ++i) dst[i] = product(f.alpha, acc[i]);
}

template <typename T>
void combine_block(void* const* out, const void* const* in, int64_t n, const void* params) {
  const auto& f = *static_cast<const Factors<T>*>(params);
  T* dst = static_cast<T*>(out[0]);
  const T* acc = static_cast<const T*>(in[0]);
  const T* c = static_cast<const T*>(in[1]);
  for (int64_t i = 0; i < n; ++i) dst[i] = weighted_sum(f.alpha, acc[i], f.beta, c[i]);
}

using ComputeTypes = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, float,
                                     double, diopi::complex64, diopi::complex128>;

// Computes out = alpha * acc + beta * c and rounds once.
Status combine(diopiContextHandle_t ctx, const TensorView& out, const MatmulOptions& options, const TensorView& acc) {
  return diopi::visit_dtype<ComputeTypes>(acc.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    const Factors<T> factors{factor_as<T>(options.alpha), factor_as<T>(options.beta)};
    if (options.c == nullptr || options.beta.is(0)) {
      return run_elementwise(ctx, uniform_kernel(scale_block<T>, acc.dtype, 1, &factors), &out, &acc);
    }
    const TensorView inputs[] = {acc, options.c->expand(out.shape)};
    return run_elementwise(ctx, uniform_kernel(combine_block<T>, acc.dtype, 2, &factors), &out, inputs);
  });
}

// Products with fewer columns and sums of fewer terms are called narrow: kernels for large products mostly pack them.
constexpr int64_t kNarrow = 32, kShortSum = 16;

// Whether oneDNN would copy a float32 b that is multiplied by few rows and fits the second-level cache. It copies b if
// its rows are a power of two apart.
bool onednn_copies_for_few_rows(const MatmulProblem& p, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kFew = 24;
  BlasLayout b;
  return p.a.dtype == diopi_dtype_float32 && m <= kFew && k * n * p.a.itemsize() <= second_level_cache() &&
         blas_layout(p.b, &b) && !b.transposed && (b.ld & (b.ld - 1)) == 0;
}

// Whether the small kernel is faster than the others. It is for products that take some microseconds, for narrow ones,
// for long sums whose result and operand b fit a cache, and where oneDNN would copy b for a few rows.
bool is_better_small(const MatmulProblem& p, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kLine = 16, kNarrowWork = int64_t{1} << 15;  // columns; multiply-adds
  constexpr int64_t kWork = int64_t{7} << 18, kWorkFloat64 = int64_t{1} << 22;
  constexpr int64_t kDeep = 1024, kResult = int64_t{1} << 16, kOperand = int64_t{1} << 20;
  if (n < kNarrow) return k < kShortSum || m * k * ((n + kLine - 1) / kLine * kLine) <= kNarrowWork;
  if (m * k * n <= (p.a.dtype == diopi_dtype_float64 ? kWorkFloat64 : kWork)) return true;
  if (onednn_copies_for_few_rows(p, m, k, n)) return true;
  return k >= kDeep && m * n <= kResult && k * n <= kOperand;
}

// An operand of a product with few rows does not fit the caches if it has at least so many bytes.
constexpr int64_t kFromMemory = int64_t{2} << 20;
constexpr int64_t kVeryFewRows = 4;
constexpr int64_t kLongRow = 256;  // terms of a sum; with fewer, adding the lanes of vectors takes too large a share

// Returns the view with extent 1 in broadcast batch dimensions, so that it has each matrix once.
TensorView unexpanded(TensorView view) {
  for (int i = 0; i < view.ndim() - 2; ++i) {
    if (view.stride[i] == 0 && view.shape[i] > 1) view.shape[i] = 1;
  }
  view.numel = view.shape.product();
  return view;
}

// Makes a packed copy in `dtype` that is broadcast like `view`.
Status packed_copy(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype, TensorView* result) {
  const TensorView once = unexpanded(view);
  TensorView copy;
  DIOPI_TRY(make_temporary(ctx, once.shape, dtype, &copy));
  copy_view(copy, once);
  copy.name = view.name;
  *result = copy.expand(view.shape);
  return diopiSuccess;
}

// Whether b is transposed, and small enough to be packed for several rows of the small kernel.
bool packs_small(const MatmulProblem& p, int64_t m) {
  constexpr int64_t kRows = 8, kOperand = int64_t{1} << 13;
  const int row = p.b.ndim() - 2;
  if (p.b.stride[row] != 1 || p.b.stride[row + 1] == 1 || p.out.stride[row + 1] != 1 || m < kRows) return false;
  return unexpanded(p.b).numel <= kOperand && small_kernel(p.a.dtype) != nullptr;
}

SkipReason matmul_suited_small(const MatmulProblem& p, Status* status) {
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t m = p.out.shape[row], n = p.out.shape[col], k = p.a.shape[col];
  if (!is_better_small(p, m, k, n)) return "the product is not small";
  if (!small_has_vectors()) return "without vectors, any library is faster";
  if (m <= kFewRows && k * n * p.a.itemsize() >= kFromMemory) return "the large operand does not fit the caches";
  if (m <= kVeryFewRows && k >= kLongRow) return "packing the columns of b takes longer than a few rows";
  if (!packs_small(p, m)) return matmul_small(p, status);
  MatmulProblem product = p;
  *status = packed_copy(p.ctx, p.b, p.b.dtype, &product.b);
  return status->ok() ? matmul_small(product, status) : nullptr;
}

SkipReason matmul_tiny(const MatmulProblem& p, Status* status) {
  const int64_t k = p.a.shape[p.a.ndim() - 1];
  if (p.out.numel * k > kTiny) return "the product is not tiny";
  if (k >= kLongDot && diopi::is_floating(p.a.dtype)) return "vectors add long sums faster";
  return matmul_reference(p, status);
}

// Runs the kernel for few rows if reading the large operand is most of the work: if it does not fit the caches, if
// there are very few rows, or if other kernels would transpose it first. Processors with bfloat16 products are faster
// without it for more than a few dot products.
SkipReason matmul_suited_few_rows(const MatmulProblem& p, Status* status) {
  constexpr int64_t kWide = 2048;
  const int row = p.out.ndim() - 2, col = row + 1;
  const int64_t m = p.out.shape[row], n = p.out.shape[col], rows = std::min(m, n);
  const TensorView large = m <= n ? p.b : p.a.transposed(row, col);
  const bool multiplies = p.a.dtype == diopi_dtype_bfloat16 && onednn::multiplies_bfloat16();
  const bool dots = large.stride[row] == 1;
  if (rows > kFewRows) return "neither the rows nor the columns are few";
  if (m > n && dots && p.a.shape[col] < kShortSum) return "the dot products are too short for vectors";
  if (rows > kVeryFewRows && multiplies && dots) return "oneDNN's bfloat16 kernels are faster for more than a few rows";
  const int64_t depth_step = m <= n ? p.a.stride[col] : p.b.stride[row];  // of the few rows
  const bool long_dots = dots && depth_step == 1 && p.a.shape[col] >= kLongRow;
  if (rows > kVeryFewRows && !long_dots) {
    const int64_t cols = std::max(m, n);
    if (cols * p.a.shape[col] * p.a.itemsize() < kFromMemory) return "the large operand stays in cache";
    const bool has_onednn = multiplies || p.a.dtype == diopi_dtype_float32;
    if (!dots && cols < kWide && has_onednn) return "oneDNN is faster for short rows";
  }
  return matmul_few_rows(p, status);
}

// Whether oneDNN would read the rows of b line by line although these lie far apart in memory, in a product that is
// large enough for this to matter. Such rows are on different pages and, if their distance is a multiple of 4 KiB, in
// the same set of the first-level cache. oneDNN copies b only if the distance is a power of two.
bool has_far_rows(const TensorView& view, int64_t k) {
  constexpr int64_t kFar = 1024, kVeryFar = 2048, kManyRows = 256;  // elements
  BlasLayout b;
  return blas_layout(view, &b) && !b.transposed && b.ld > kFar && (b.ld & (b.ld - 1)) != 0 &&
         (k > kManyRows || b.ld > kVeryFar);
}

// Whether oneDNN would transpose b in small parts: for long sums of few results, or if b's columns are a multiple of 4
// KiB apart, so that they are in the same set of the first-level cache.
bool onednn_transposes_slowly(const MatmulProblem& p, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kPage = 1024, kFew = 256;  // elements
  BlasLayout b;
  if (!blas_layout(p.b, &b) || !b.transposed || k < kPage) return false;
  return onednn_has_depth_chunks(p) || (b.ld % kPage == 0 && std::min(m, n) <= kFew);
}

// Whether the blocked kernel is faster than oneDNN for a float32 product. It is if the product is large, also if it has
// fewer rows but needs a transposed; if it mostly reads a large operand with packed rows; if it writes a large result
// with long rows; if rows are no multiple of a cache line; if rows lie far apart; or if oneDNN would transpose b
// slowly.
bool is_better_packed(const MatmulProblem& p, int64_t m, int64_t k, int64_t n) {
  constexpr int64_t kFewRows = 64, kNarrow = 128, kShallow = 192, kLarge = int64_t{1} << 18, kLine = 16;  // elements
  constexpr int64_t kManyRows = 1024, kWide = 512, kOddWide = 256, kOddRows = 256;
  BlasLayout a;
  const bool transposed = blas_layout(p.a, &a) && a.transposed;
  if (k <= kShallow && n >= kNarrow && m * n >= kLarge) return true;
  if (std::min(m, n) >= kWide && (m >= kManyRows || transposed)) return true;
  if (onednn_transposes_slowly(p, m, k, n)) return true;
  const int64_t all_rows = p.out.numel / n;
  if (n % kLine != 0 && m >= kFewRows && all_rows >= kOddRows && k > kShallow && n > kOddWide) return true;
  if (onednn_has_columns(p) || onednn_has_depth_chunks(p)) return false;
  return (m <= kFewRows && k * n >= 4 * kLarge) || has_far_rows(p.b, k);
}

// oneDNN's float32 products are fast if they use the operands in place and undivided, and if they are large enough for
// large chunks.
SkipReason matmul_suited_onednn(const MatmulProblem& p, Status* status) {
  constexpr int64_t kLargeChunk = 512;
  if (p.a.dtype == diopi_dtype_float32) {
    const int row = p.out.ndim() - 2, col = row + 1;
    const int64_t m = p.out.shape[row], n = p.out.shape[col], k = p.a.shape[col];
    const bool suited = onednn_runs_whole(p) || onednn_has_columns(p) || onednn_has_depth_chunks(p);
    if (is_better_packed(p, m, k, n)) return "the blocked product is faster";
    if (!suited && std::min(m, n) < kLargeChunk) return "the float32 product would be divided into small parts";
  }
  return matmul_onednn(p, status);
}

const Forced& forced_matmul() {
  static const Forced forced("DIOPI_CPU_MATMUL");
  return forced;
}

Status run_short_matmul(const MatmulProblem& product) {
  static constexpr Candidate<MatmulProblem> kCandidates[] = {
      {"small", matmul_suited_small},   {"reference", matmul_tiny}, {"few_rows", matmul_suited_few_rows},
      {"onednn", matmul_suited_onednn}, {"goto", matmul_goto},      {"openblas", matmul_openblas},
      {"reference", matmul_reference},  {"small", matmul_small},    {"few_rows", matmul_few_rows},
      {"onednn", matmul_onednn},  // only if an environment variable forces them
  };
  return run_candidates(forced_matmul(), kCandidates, product);
}

Status run_product(const MatmulProblem& product) { return run_in_chunks(product, run_short_matmul); }

// Computes a product of float16 or bfloat16 in float32.
Status run_promoted(MatmulProblem product) {
  const TensorView out = product.out;
  const diopiDtype_t dtype = product.a.dtype;
  DIOPI_TRY(packed_copy(product.ctx, product.a, diopi_dtype_float32, &product.a));
  DIOPI_TRY(packed_copy(product.ctx, product.b, diopi_dtype_float32, &product.b));
  if (product.bias != nullptr) {
    const int64_t n = out.shape[out.ndim() - 1];
    float* bias = nullptr;
    DIOPI_TRY(diopi::Workspace(product.ctx).take(n, &bias));
    cast_contiguous(bias, diopi_dtype_float32, product.bias, dtype, n);
    product.bias = reinterpret_cast<const char*>(bias);
  }
  if (out.dtype == diopi_dtype_float32) return run_product(product);
  DIOPI_TRY(make_temporary(product.ctx, out.shape, diopi_dtype_float32, &product.out));
  DIOPI_TRY(run_product(product));
  copy_view(out, product.out);
  return diopiSuccess;
}

// Whether a product of float16 or bfloat16 is better computed in float32: if it is narrow, unless it is tiny, or oneDNN
// has bfloat16 products.
bool is_better_promoted(const MatmulProblem& p) {
  const int col = p.out.ndim() - 1;
  const int64_t k = p.a.shape[col], n = p.out.shape[col];
  const bool multiplies = p.a.dtype == diopi_dtype_bfloat16 && onednn::multiplies_bfloat16();
  return forced_matmul().name() == nullptr && !multiplies && small_has_vectors() && k < kShortSum && n < kNarrow &&
         p.out.numel * k > kTiny;
}

// A forced implementation that cannot compute float16 and bfloat16 gets them as float32.
Status run_any_product(const MatmulProblem& product) {
  const bool reduced = diopi::is_reduced_float(product.a.dtype);
  const bool by_name =
      forced_matmul().is("openblas") ||
      (forced_matmul().is("onednn") && (product.a.dtype == diopi_dtype_float16 || !onednn::multiplies_bfloat16()));
  return reduced && (by_name || is_better_promoted(product)) ? run_promoted(product) : run_product(product);
}

void drop_dim(TensorView* view, int dim) {
  std::copy(view->shape.v + dim + 1, view->shape.v + view->shape.n, view->shape.v + dim);
  std::copy(view->stride.v + dim + 1, view->stride.v + view->stride.n, view->stride.v + dim);
  --view->shape.n;
  --view->stride.n;
}

// Whether the matrices along batch dimension `dim`, the innermost one, are evenly spaced rows of one larger matrix.
bool continues_rows(const TensorView& view, int dim) {
  const int row = view.ndim() - 2;
  return view.stride[dim] == view.stride[row] * view.shape[row];
}

// Turns batches that share b into rows of one larger product, and drops batch dimensions of extent 1.
void fold_batches(TensorView* out, TensorView* a, TensorView* b) {
  for (int dim = out->ndim() - 3; dim >= 0; --dim) {
    const int row = out->ndim() - 2;
    if (out->shape[dim] != 1) {
      const bool single_row = a->shape[row] == 1;
      if (dim != row - 1 || b->stride[dim] != 0) continue;
      if (!single_row && (!continues_rows(*a, dim) || !continues_rows(*out, dim))) continue;
      for (TensorView* view : {out, a}) {
        if (single_row) view->stride[row] = view->stride[dim];
        view->shape[row] *= view->shape[dim];
      }
    }
    drop_dim(out, dim);
    drop_dim(a, dim);
    drop_dim(b, dim);
  }
}

bool is_row_vector(const TensorView& c, int64_t n) {
  return c.shape[c.ndim() - 1] == n && c.numel == n && (n == 1 || c.stride[c.ndim() - 1] == 1);
}

}  // namespace

bool blas_layout(const TensorView& view, BlasLayout* layout) {
  const int row = view.ndim() - 2, col = view.ndim() - 1;
  const int64_t rows = view.shape[row], cols = view.shape[col];
  const int64_t row_stride = view.stride[row], col_stride = view.stride[col];
  if ((cols == 1 || col_stride == 1) && (rows == 1 || row_stride >= cols)) {
    *layout = {false, rows == 1 ? std::max<int64_t>(cols, 1) : row_stride};
    return true;
  }
  if ((rows == 1 || row_stride == 1) && (cols == 1 || col_stride >= rows)) {
    *layout = {true, cols == 1 ? std::max<int64_t>(rows, 1) : col_stride};
    return true;
  }
  return false;
}

Status as_blas_operand(diopiContextHandle_t ctx, const TensorView& view, TensorView* operand) {
  BlasLayout layout;
  if (blas_layout(view, &layout)) {
    *operand = view;
    return diopiSuccess;
  }
  return packed_copy(ctx, view, view.dtype, operand);
}

Status run_matmul(diopiContextHandle_t ctx, const TensorView& out, const TensorView& a, const TensorView& b,
                  const MatmulOptions& options) {
  if (out.numel == 0) return diopiSuccess;
  const diopiDtype_t compute = diopi::compute_dtype(a.dtype);
  const int last = out.ndim() - 1;
  const bool has_addend = options.c != nullptr && !options.beta.is(0);
  if (a.shape[last] == 0 || options.alpha.is(0)) {  // the sum is zero: only beta * c is left
    int64_t zero[2] = {0, 0};
    TensorView nothing = out;
    nothing.data = reinterpret_cast<char*>(zero);
    nothing.dtype = compute;
    std::fill_n(nothing.stride.v, nothing.ndim(), 0);
    return combine(ctx, out, options, nothing);
  }
  MatmulProblem product{ctx, out, a, b, nullptr, false, options.conj_a, options.conj_b, options.run};
  const bool overlaps =
      diopi::may_overlap(out, a) || diopi::may_overlap(out, b) || (has_addend && diopi::may_overlap(out, *options.c));
  BlasLayout layout;
  bool direct = options.alpha.is(1) && !overlaps && blas_layout(out, &layout);
  if (has_addend && direct) {
    direct = options.beta.is(1) && !layout.transposed && is_row_vector(*options.c, out.shape[last]);
    product.bias = options.c->data;
  }
  TensorView acc = out;
  if (!direct) {
    DIOPI_TRY(make_temporary(ctx, out.shape, compute, &acc));
    product.out = acc;
    product.bias = nullptr;
  }
  fold_batches(&product.out, &product.a, &product.b);
  DIOPI_TRY(run_any_product(product));
  return direct ? Status() : combine(ctx, out, options, acc);
}

}  // namespace impl::cpu
