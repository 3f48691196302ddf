// SPDX-License-Identifier: BSD-3-Clause
// Large bfloat16 products through oneDNN. Processors with a matrix unit are fastest on packed tiles that fit the
// second-level cache. oneDNN does not make such tiles itself. One thread computes a whole tile, so no sum is divided
// among threads. A tile of b is packed once in the order in which the instructions read it, and is used for all rows
// of a that the thread multiplies with it.

#include <algorithm>
#include <atomic>

#include "impl/common/alignment.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/matmul/onednn.hpp"
#include "impl/cpu/matmul/pack_vnni.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {
namespace {

constexpr int64_t kRows = 128, kCols = 256, kDepth = 2048;  // largest tile; that of b fits the second-level cache
constexpr int64_t kFewLines = 64;                           // with fewer rows, packing b does not pay

// The size of equal tiles of at most `most`, a multiple of `step`.
int64_t tile_size(int64_t extent, int64_t most, int64_t step) {
  const int64_t count = (extent + most - 1) / most;
  return (extent + count * step - 1) / (count * step) * step;
}

// One dimension and its tiles.
struct TiledDim {
  int64_t extent, size;
  int64_t count() const { return (extent + size - 1) / size; }
  int64_t begin(int64_t i) const { return i * size; }
  int64_t length(int64_t i) const { return std::min(size, extent - i * size); }
};

// The left operand as tiles [rows, depth] without gaps. It is used in place if it has no gaps itself.
class RowTiles {
 public:
  RowTiles(const TensorView& view, const TiledDim& depth) : view_(view), depth_(depth) {
    BlasLayout layout;
    blas_layout(view, &layout);
    in_place_ = depth.count() == 1 && !layout.transposed && layout.ld == depth.extent;
    if (in_place_) packed_ = view.data;
  }

  Status pack(diopiContextHandle_t ctx) {
    if (in_place_) return diopiSuccess;
    DIOPI_TRY(diopi::Workspace(ctx).take(view_.numel * view_.itemsize(), &packed_));
    for (int64_t k = 0; k < depth_.count(); ++k) {
      copy_view(at(0, view_.shape[0], k), view_.narrow(1, depth_.begin(k), depth_.length(k)));
    }
    return diopiSuccess;
  }

  TensorView at(int64_t row, int64_t rows, int64_t k) const {
    TensorView result = view_;
    const int64_t depth = depth_.length(k);
    result.data = packed_ + (depth_.begin(k) * view_.shape[0] + row * depth) * view_.itemsize();
    result.shape[0] = rows;
    result.shape[1] = depth;
    result.stride[0] = depth;
    result.stride[1] = 1;
    result.numel = rows * depth;
    return result;
  }

 private:
  TensorView view_;
  TiledDim depth_;
  bool in_place_ = false;
  char* packed_ = nullptr;
};

// Whether `a` has few rows and the columns of b are packed without gaps: then b is used in place.
bool few_rows(const MatmulProblem& p) {
  BlasLayout layout;
  blas_layout(p.b, &layout);
  return p.out.shape[0] <= kFewLines && layout.transposed && layout.ld == p.b.shape[0];
}

// The tiles of a product. The row tiles form groups; a thread packs a tile of b once for each group.
struct Plan {
  Plan(const MatmulProblem& p, const TiledDim& rows, const TiledDim& cols, const TiledDim& depth,
       const TiledDim& groups)
      : product(p), rows(rows), cols(cols), depth(depth), groups(groups), a(p.a, depth), b_as_it_is(few_rows(p)) {
    const bool has_rows = p.out.stride[1] == 1;
    const bool gapless = has_rows && cols.count() == 1 && (p.out.stride[0] == cols.extent || rows.extent == 1);
    in_place = gapless && (depth.count() == 1 || p.out.dtype == diopi_dtype_float32);
    const int64_t sum_rows = in_place ? 0 : depth.count() == 1 ? rows.size : groups.size * rows.size;
    const bool wide = depth.count() > 1 || p.out.dtype == diopi_dtype_float32;
    sum_bytes = diopi::aligned(sum_rows * cols.size * (wide ? 4 : 2));
    const bool same_dtype = depth.count() == 1 || p.out.dtype == diopi_dtype_float32;
    streams = has_rows && !in_place && same_dtype && p.out.numel * p.out.itemsize() >= stream_bytes();
    vnni_bytes = b_as_it_is ? 0 : diopi::aligned(vnni_size(depth.size, cols.size) * 4);
  }

  // target(): the tile of `out` with rows `row` and columns `col`. sums(): where its sums are kept, in `out` or in
  // `memory`.
  TensorView target(int64_t row, int64_t col) const {
    return product.out.narrow(0, rows.begin(row), rows.length(row)).narrow(1, cols.begin(col), cols.length(col));
  }
  TensorView sums(int64_t row, int64_t col, char* memory) const {
    TensorView view = target(row, col);
    if (in_place) return view;
    if (depth.count() > 1) view.dtype = diopi_dtype_float32;
    view.data = memory;
    view.stride[0] = view.shape[1];
    view.stride[1] = 1;
    return view;
  }

  // The request for tile k of the sums, which are written (k = 0) or added to `out`.
  MatmulRequest step(const TensorView& out, int64_t row, int64_t col, int64_t k, const char* pairs) const {
    MatmulProblem tile = product;
    tile.a = a.at(rows.begin(row), rows.length(row), k);
    tile.b = product.b.narrow(0, depth.begin(k), depth.length(k)).narrow(1, cols.begin(col), cols.length(col));
    if (!b_as_it_is) {
      tile.b.data = const_cast<char*>(pairs);
      tile.b.stride[0] = tile.b.shape[1];
      tile.b.stride[1] = 1;
    }
    tile.out = out;
    tile.bias = k > 0 || product.bias == nullptr ? nullptr : product.bias + cols.begin(col) * product.a.itemsize();
    tile.accumulate = k > 0;
    return MatmulRequest(tile, !b_as_it_is);
  }

  // Copies finished sums to the result, with non-temporal stores if the result is too large for the caches.
  void deliver(int64_t row, int64_t col, const TensorView& sum) const {
    const TensorView to = target(row, col);
    if (!streams) return copy_view(to, sum);
    const int64_t size = to.itemsize();
    stream_rows(to.data, to.stride[0] * size, sum.data, sum.stride[0] * size, to.shape[1] * size, to.shape[0]);
  }

  void pack_tile(int64_t col, int64_t k, char* pairs) const {
    if (b_as_it_is) return;
    BlasLayout layout;
    blas_layout(product.b, &layout);
    const int64_t row_stride = layout.transposed ? 1 : layout.ld, col_stride = layout.transposed ? layout.ld : 1;
    const uint16_t* source = reinterpret_cast<const uint16_t*>(product.b.data);
    pack_vnni(source + depth.begin(k) * row_stride + cols.begin(col) * col_stride, row_stride, col_stride,
              depth.length(k), cols.length(col), reinterpret_cast<uint32_t*>(pairs));
  }

  const MatmulProblem& product;
  TiledDim rows, cols, depth, groups;  // a group is a range of row tiles
  RowTiles a;
  bool b_as_it_is;
  bool in_place = false, streams = false;
  int64_t sum_bytes = 0, vnni_bytes = 0;
};

// Prepares all kinds of steps. `bytes` becomes the largest workspace of a step.
const char* prepare(const Plan& plan, int64_t* bytes) {
  const SingleThread single;
  const int64_t last_row = plan.rows.count() - 1, last_col = plan.cols.count() - 1, last = plan.depth.count() - 1;
  for (const int64_t row : {int64_t{0}, last_row}) {
    for (const int64_t col : {int64_t{0}, last_col}) {
      for (const int64_t k : {int64_t{0}, std::min<int64_t>(1, last), last}) {
        int64_t needed = 0;
        const char* reason = plan.step(plan.sums(row, col, nullptr), row, col, k, nullptr).prepare(&needed);
        if (reason != nullptr) return reason;
        *bytes = std::max(*bytes, needed);
      }
    }
  }
  return nullptr;
}

// Computes one group of rows with one tile of columns.
Status run_item(const Plan& plan, int64_t index, char* memory) {
  const int64_t col = index / plan.groups.count(), group = index % plan.groups.count();
  const int64_t begin = plan.groups.begin(group), end = begin + plan.groups.length(group);
  const int64_t last = plan.depth.count() - 1;
  char *const pairs = memory + plan.sum_bytes, *const workspace = pairs + plan.vnni_bytes;
  for (int64_t k = 0; k <= last; ++k) {
    plan.pack_tile(col, k, pairs);
    for (int64_t row = begin; row < end; ++row) {
      const int64_t sum_row = last == 0 ? 0 : plan.rows.begin(row - begin);
      const TensorView out = plan.sums(row, col, memory + sum_row * plan.cols.length(col) * 4);
      Status status;
      const char* reason = plan.step(out, row, col, k, pairs).run_in(workspace, &status);
      DIOPI_REQUIRE(reason == nullptr, diopiErrorOccurred, "%s", reason);
      DIOPI_TRY(status);
      if (k == last && !plan.in_place) plan.deliver(row, col, out);
    }
  }
  if (plan.streams) finish_stores();
  return diopiSuccess;
}

// The division of row tiles into groups: few groups, but work for every thread. It does not change the bits of the
// result.
TiledDim make_groups(int64_t row_tiles, int64_t col_tiles, int64_t threads) {
  constexpr int64_t kMostTiles = 16;
  int64_t groups = (row_tiles + kMostTiles - 1) / kMostTiles;
  while (groups < row_tiles && groups * col_tiles % threads != 0 && groups * col_tiles < 4 * threads) ++groups;
  return {row_tiles, (row_tiles + groups - 1) / groups};
}

}  // namespace

SkipReason run_bfloat16_tiles(const MatmulProblem& p, Status* status) {
  const int64_t m = p.out.shape[0], n = p.out.shape[1], k = p.a.shape[1];
  const int64_t threads = omp_in_parallel() ? 1 : omp_get_max_threads();
  const TiledDim rows{m, tile_size(m, kRows, 16)}, cols{n, tile_size(n, kCols, kVnniColumns)};
  const TiledDim depth{k, few_rows(p) || n <= kFewLines ? k : tile_size(k, kDepth, kVnniDepth)};
  if (depth.length(depth.count() - 1) == kWrongDepthBfloat16) return "oneDNN has no right kernel for this depth";
  Plan plan(p, rows, cols, depth, make_groups(rows.count(), cols.count(), threads));
  int64_t bytes = 0;
  const char* reason = prepare(plan, &bytes);
  if (reason != nullptr) return reason;
  *status = plan.a.pack(p.ctx);
  if (!status->ok()) return nullptr;
  const int64_t room = plan.sum_bytes + plan.vnni_bytes + diopi::aligned(bytes);
  char* memory = nullptr;
  *status = diopi::Workspace(p.ctx).take(room * threads, &memory);
  if (!status->ok() || diopi::in_dry_run()) return nullptr;
  std::atomic<int> code{diopiSuccess};
  const bool nested = omp_in_parallel() != 0;  // if so, parallel_for uses only this thread
  diopi::parallel_for(cols.count() * plan.groups.count(), 1, [&](int64_t begin, int64_t end) {
    const SingleThread single;
    char* mine = memory + (nested ? 0 : omp_get_thread_num()) * room;
    for (int64_t i = begin; i < end; ++i) {
      const Status result = run_item(plan, i, mine);
      if (!result.ok()) code.store(result);
    }
  });
  const auto result = static_cast<diopiError_t>(code.load());
  if (result != diopiSuccess) *status = diopi::fail(result, "a block of the matrix product failed");
  return nullptr;
}

}  // namespace impl::cpu
