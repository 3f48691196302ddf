// Large bfloat16 products through oneDNN. Processors with a matrix unit are fastest on packed blocks that fit into the
// second-level cache, which oneDNN does not cut by itself; and where one thread computes a whole block, no sum is
// divided. So operands are packed into blocks, where they are not such already, and blocks of out are shared out.
#include <omp.h>

#include <algorithm>
#include <atomic>

#include "copy.hpp"
#include "gemm_onednn.hpp"
#include "gemm_tiles.hpp"
#include "impl/common/workspace.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kEdge = 256, kDepth = 1024;  // the largest block
constexpr int64_t kFewLines = 64;              // up to here an operand is read about as fast as it could be packed

// Equal parts of at most `most`, in whole units.
int64_t part_size(int64_t extent, int64_t most, int64_t unit) {
  const int64_t count = (extent + most - 1) / most;
  return (extent + count * unit - 1) / (count * unit) * unit;
}

// One dimension and its parts.
struct Cut {
  int64_t extent, size;
  int64_t count() const { return (extent + size - 1) / size; }
  int64_t begin(int64_t i) const { return i * size; }
  int64_t length(int64_t i) const { return std::min(size, extent - i * size); }
};

// An operand as [lines, depth], each of its blocks a matrix without gaps.
class Blocks {
 public:
  Blocks(const TensorView& view, const Cut& lines, const Cut& depth) : view_(view), lines_(lines), depth_(depth) {
    BlasLayout layout;
    blas_layout(view, &layout);
    along_depth_ = !layout.transposed;
    const bool gapless = layout.ld == view.shape[along_depth_ ? 1 : 0];
    in_place_ = gapless && (along_depth_ ? depth.count() : lines.count()) == 1;
    if (in_place_) packed_ = view.data;
  }

  Status pack(diopiContextHandle_t ctx) {
    if (in_place_) return diopiSuccess;
    DIOPI_TRY(diopi::Workspace(ctx).take(view_.numel * view_.itemsize(), &packed_));
    const Cut whole{lines_.extent, lines_.extent};
    const Cut& lines = along_depth_ ? whole : lines_;  // where depth is packed, blocks of lines follow each other
    for (int64_t k = 0; k < depth_.count(); ++k) {
      for (int64_t i = 0; i < lines.count(); ++i) {
        const TensorView source = view_.narrow(0, lines.begin(i), lines.length(i));
        copy_view(block(lines, i, k), source.narrow(1, depth_.begin(k), depth_.length(k)));
      }
    }
    return diopiSuccess;
  }

  TensorView at(int64_t line, int64_t depth) const { return block(lines_, line, depth); }

 private:
  TensorView block(const Cut& lines, int64_t i, int64_t k) const {
    TensorView result = view_;
    const int64_t count = lines.length(i), depth = depth_.length(k);
    result.data = packed_ + (depth_.begin(k) * view_.shape[0] + lines.begin(i) * depth) * view_.itemsize();
    result.shape[0] = count;
    result.shape[1] = depth;
    result.stride[0] = along_depth_ ? depth : 1;
    result.stride[1] = along_depth_ ? 1 : count;
    result.numel = count * depth;
    return result;
  }

  TensorView view_;
  Cut lines_, depth_;
  bool along_depth_ = true, in_place_ = false;
  char* packed_ = nullptr;
};

struct Plan {
  Plan(const Product& p, const Cut& rows, const Cut& cols, const Cut& depth)
      : product(p), rows(rows), cols(cols), depth(depth), a(p.a, rows, depth), b(p.b.transposed(0, 1), cols, depth) {
    const bool gapless = cols.count() == 1 && (p.out.stride[0] == cols.extent || rows.extent == 1);
    in_place = gapless && (depth.count() == 1 || p.out.dtype == diopi_dtype_float32);
  }

  TensorView target(int64_t row, int64_t col) const {
    return product.out.narrow(0, rows.begin(row), rows.length(row)).narrow(1, cols.begin(col), cols.length(col));
  }

  // The part of a sum that writes, or adds, to `out`, which is target(row, col) or a temporary for it.
  Product step(const TensorView& out, int64_t row, int64_t col, int64_t k) const {
    Product result = product;
    result.a = a.at(row, k);
    result.b = b.at(col, k).transposed(0, 1);
    result.out = out;
    result.bias = k > 0 || product.bias == nullptr ? nullptr : product.bias + cols.begin(col) * product.a.itemsize();
    result.accumulate = k > 0;
    return result;
  }

  // Where a block is summed: in out itself or in `memory`.
  TensorView sum_view(int64_t row, int64_t col, char* memory) const {
    TensorView view = target(row, col);
    if (in_place) return view;
    if (depth.count() > 1) view.dtype = diopi_dtype_float32;
    view.data = memory;
    view.stride[0] = view.shape[1];
    view.stride[1] = 1;
    return view;
  }

  const Product& product;
  Cut rows, cols, depth;
  Blocks a, b;
  bool in_place = false;
};

// The largest workspace of any step.
const char* prepare(const Plan& plan, int64_t* bytes) {
  const SingleThread single;
  const int64_t last_row = plan.rows.count() - 1, last_col = plan.cols.count() - 1, last = plan.depth.count() - 1;
  for (const int64_t row : {int64_t{0}, last_row}) {
    for (const int64_t col : {int64_t{0}, last_col}) {
      for (const int64_t k : {int64_t{0}, std::min<int64_t>(1, last), last}) {
        int64_t needed = 0;
        const MatmulRequest request(plan.step(plan.sum_view(row, col, nullptr), row, col, k));
        const char* reason = request.prepare(&needed);
        if (reason != nullptr) return reason;
        *bytes = std::max(*bytes, needed);
      }
    }
  }
  return nullptr;
}

Status run_block(const Plan& plan, int64_t index, char* sums, char* workspace) {
  const int64_t row = index / plan.cols.count(), col = index % plan.cols.count();
  const TensorView out = plan.sum_view(row, col, sums);
  for (int64_t k = 0; k < plan.depth.count(); ++k) {
    Status status;
    const char* reason = MatmulRequest(plan.step(out, row, col, k)).run_in(workspace, &status);
    DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
    DIOPI_TRY(status);
  }
  if (!plan.in_place) copy_view(plan.target(row, col), out);
  return diopiSuccess;
}

}  // namespace

Status run_bfloat16_blocks(const Product& p) {
  const int64_t m = p.out.shape[0], n = p.out.shape[1], k = p.a.shape[1];
  const bool few = std::min(m, n) <= kFewLines;
  const Cut rows{m, part_size(m, kEdge, 16)}, cols{n, part_size(n, kEdge, 64)};
  const Cut depth{k, few ? k : part_size(k, kDepth, 32)};
  Plan plan(p, rows, cols, depth);
  DIOPI_TRY(plan.a.pack(p.ctx));
  DIOPI_TRY(plan.b.pack(p.ctx));
  int64_t bytes = 0;
  const char* reason = prepare(plan, &bytes);
  DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
  const int64_t sums = plan.in_place ? 0 : rows.size * cols.size * static_cast<int64_t>(sizeof(float));
  const int64_t room = sums + (bytes + 63) / 64 * 64, blocks = rows.count() * cols.count();
  char* memory = nullptr;
  if (room > 0) DIOPI_TRY(diopi::Workspace(p.ctx).take(room * omp_get_max_threads(), &memory));
  std::atomic<int> code{diopiSuccess};
  const bool nested = omp_in_parallel() != 0;  // then parallel_for stays on this thread
  diopi::parallel_for(blocks, (int64_t{1} << 20) / (rows.size * cols.size * k) + 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    char* mine = memory + (nested ? 0 : omp_get_thread_num()) * room;
    for (int64_t i = begin; i < end; ++i) {
      const Status status = run_block(plan, i, mine, mine + sums);
      if (!status.ok()) code.store(status);
    }
  });
  const auto result = static_cast<diopiError_t>(code.load());
  DIOPI_REQUIRE(result == diopiSuccess, result, "a block of the matrix product failed");
  return diopiSuccess;
}

}  // namespace impl::cpu
