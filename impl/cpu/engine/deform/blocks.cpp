// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/deform/blocks.hpp"

#include <algorithm>
#include <cstdio>
#include <new>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/step_threads.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/matmul/tiling.hpp"

namespace impl::cpu {

using diopi::Dims;

Dims dims_of(std::initializer_list<int64_t> extents) {
  Dims dims;
  for (const int64_t extent : extents) dims.push_back(extent);
  return dims;
}

TensorView reshaped(const TensorView& packed, std::initializer_list<int64_t> extents) {
  TensorView view = packed;
  view.shape = dims_of(extents);
  view.stride = diopi::contiguous_strides(view.shape);
  return view;
}

namespace {

// The block has so many bytes of columns that they fit a second-level cache of 1 MiB or more. The order of sums in the
// gradients depends on it, so it is the same on all processors. All blocks have about the same size,
// because a thread gets no work for positions behind the image.
void choose_block(DeformOperands* o) {
  constexpr int64_t kBytes = int64_t{1} << 20, kLeast = 32;
  DeformTile& t = o->tile;
  const int64_t row_bytes = std::max<int64_t>(1, t.channels * t.kernel_area() * diopi::dtype_size(o->dtype));
  const int64_t wanted = std::max(kLeast, kBytes / row_bytes);
  const auto parts = [](int64_t extent, int64_t most) { return (extent + most - 1) / most; };
  o->tiles_across = parts(t.out_width, wanted);
  t.cols = parts(t.out_width, o->tiles_across);
  o->tiles_down = parts(t.out_height, std::max<int64_t>(wanted / t.cols, 1));
  t.rows = parts(t.out_height, o->tiles_down);
}

}  // namespace

Status prepare_deform(diopiContextHandle_t ctx, const DeformSamples& s, int64_t outputs, DeformOperands* o) {
  DeformTile& t = o->tile;
  o->dtype = diopi::compute_dtype(s.input.dtype);
  o->images = s.input.shape[0];
  o->outputs = outputs;
  t.channels = s.input.shape[1];
  t.groups = s.groups;
  t.deform_groups = s.deform_groups;
  for (int i = 0; i < 2; ++i) {
    const diopi::Window& w = s.windows.at(i);
    (i == 0 ? t.height : t.width) = w.in;
    (i == 0 ? t.out_height : t.out_width) = w.out;
    t.kernel[i] = w.kernel;
    t.stride[i] = w.stride;
    t.padding[i] = w.padding;
    t.dilation[i] = w.dilation;
  }
  choose_block(o);
  DIOPI_TRY(arrange_input(ctx, s.input, nullptr, true, o->dtype, &o->image));
  DIOPI_TRY(arrange_input(ctx, s.offset, nullptr, false, o->dtype, &o->offset));
  if (s.mask != nullptr) DIOPI_TRY(arrange_input(ctx, *s.mask, nullptr, false, o->dtype, &o->mask));
  TensorView zeros;
  DIOPI_TRY(make_temporary(ctx, dims_of({t.channels}), o->dtype, &zeros));
  fill_zero(zeros);
  t.zeros = zeros.data;
  return diopiSuccess;
}

int64_t DeformOperands::move_to(int64_t index) {
  tile.first_col = index % tiles_across * tile.cols;
  index /= tiles_across;
  tile.first_row = index % tiles_down * tile.rows;
  const int64_t n = index / tiles_down, size = diopi::dtype_size(dtype);
  const int64_t space = tile.out_height * tile.out_width, points = tile.deform_groups * tile.kernel_area();
  tile.image = image.data + n * tile.channels * tile.height * tile.width * size;
  tile.offset = offset.data + n * 2 * points * space * size;
  tile.mask = mask.data == nullptr ? nullptr : mask.data + n * points * space * size;
  return n;
}

namespace {

// The parts of all images. A part of an image has about as many blocks as another one.
struct Parts {
  int64_t of_image, blocks_of_image, count;
  int64_t begin(int64_t part) const {
    return part / of_image * blocks_of_image + blocks_of_image * (part % of_image) / of_image;
  }
};

// Takes the memory of one block at a time.
Status take_block(diopiContextHandle_t ctx, DeformOperands* o) {
  DeformTile& t = o->tile;
  DIOPI_TRY(make_temporary(ctx, dims_of({o->positions(), t.channels * t.kernel_area()}), o->dtype, &o->columns));
  DIOPI_TRY(make_temporary(ctx, dims_of({o->outputs, o->positions()}), o->dtype, &o->results));
  DIOPI_TRY(diopi::Workspace(ctx).take((kBands + 1) * t.height, &o->neighbours));
  t.columns = o->columns.data;
  return diopiSuccess;
}

// What a thread needs. All blocks use the temporaries of the first one.
struct BlockThread {
  diopiContextHandle_t ctx;
  DeformOperands o;
  diopi::StepMemory memory;
  Status status;
  char message[256];  // if the status is a failure

  Status block(int64_t index, bool is_first, const BlockSteps& steps) {
    DIOPI_TRY(take_block(ctx, &o));
    DIOPI_TRY(steps.take_memory(&o));
    return steps.block(&o, index, is_first);
  }
  Status reserve(const BlockSteps& steps) {
    return memory.reserve([&] { return block(0, true, steps); });
  }
  Status run(const Parts& parts, int64_t part, const BlockSteps& steps) {
    const int64_t begin = parts.begin(part), end = parts.begin(part + 1);
    for (int64_t i = begin; i < end; ++i) DIOPI_TRY(memory.run([&] { return block(i, i == begin, steps); }));
    return diopiSuccess;
  }
};

// Takes the memory of one thread whose blocks are shared.
Status reserve_thread(diopiContextHandle_t ctx, const DeformOperands& o, const BlockSteps& steps,
                      BlockThread** thread) {
  DIOPI_TRY(diopi::Workspace(ctx).take(1, thread));
  return (new (*thread) BlockThread{ctx, o, {}, {}, {}})->reserve(steps);
}

// Takes the memory of threads that compute whole parts. A block needs none for other threads: it sees one thread here
// and in run_parts().
Status reserve_threads(diopiContextHandle_t ctx, int64_t count, const DeformOperands& o, const BlockSteps& steps,
                       BlockThread** threads) {
  const SingleThread single;
  void* memory = nullptr;
  BlockThread* all = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(count, &all));
  for (int64_t i = 0; i < count; ++i) new (all + i) BlockThread{ctx, o, {}, {}, {}};
  DIOPI_TRY(all[0].reserve(steps));
  const int64_t bytes = all[0].memory.bytes();
  DIOPI_TRY(diopi::Workspace(ctx).take_items(count - 1, bytes, &memory));
  for (int64_t i = 1; i < count; ++i) {
    all[i].memory.place_like(all[0].memory, static_cast<char*>(memory) + (i - 1) * bytes);
  }
  *threads = all;
  return diopiSuccess;
}

// Each thread of the claim computes whole parts; one at a time if they must be added.
Status run_parts(const diopi::PoolClaim& claim, BlockThread* all, const Parts& parts, const BlockSteps& steps) {
  const int64_t threads = claim.threads(), together = steps.has_parts_to_add() ? threads : parts.count;
  steps.start();
  for (int64_t first = 0; first < parts.count; first += together) {
    const int64_t count = std::min(together, parts.count - first);
    claim.on_each_thread(static_cast<int>(std::min(threads, count)), [=, &parts, &steps](int64_t i, int64_t chunks) {
      const SingleThread single;
      BlockThread& mine = all[i];
      for (int64_t p = count * i / chunks; p < count * (i + 1) / chunks && mine.status.ok(); ++p) {
        mine.status = mine.run(parts, first + p, steps);
      }
      if (!mine.status.ok()) std::snprintf(mine.message, sizeof(mine.message), "%s", diopi::last_error());
    });
    for (int64_t i = 0; i < threads; ++i) DIOPI_REQUIRE(all[i].status.ok(), all[i].status, "%s", all[i].message);
    for (int64_t i = 0; steps.has_parts_to_add() && i < count; ++i) DIOPI_TRY(steps.add_part(all[i].o));
  }
  return diopiSuccess;
}

// The approximate time of all blocks with one thread, in picoseconds.
double work_of(const DeformOperands& o) {
  constexpr double kSample = 600, kTerm = 15;  // of a sample; of a term of the product
  const auto samples = static_cast<double>(o.images * o.blocks_of_image() * o.positions()) *
                       static_cast<double>(o.tile.channels * o.tile.kernel_area());
  return samples * (kSample + kTerm * static_cast<double>(o.outputs) / static_cast<double>(o.tile.groups));
}

}  // namespace

Status run_blocks(diopiContextHandle_t ctx, const DeformOperands& o, const BlockSteps& steps) {
  const Parts parts{steps.parts, o.blocks_of_image(), steps.parts * o.images};
  BlockThread* threads = nullptr;
  if (diopi::in_dry_run()) {
    const int64_t most = omp_get_max_threads();
    if (divide_well(parts.count, most)) DIOPI_TRY(reserve_threads(ctx, most, o, steps, &threads));
    return reserve_thread(ctx, o, steps, &threads);
  }
  const double work = work_of(o);
  if (work >= 2 * diopi::PoolClaim::kWorthAThread) {
    const diopi::PoolClaim claim(work);
    if (divide_well(parts.count, claim.threads())) {
      DIOPI_TRY(reserve_threads(ctx, claim.threads(), o, steps, &threads));
      return run_parts(claim, threads, parts, steps);
    }
  }
  DIOPI_TRY(reserve_thread(ctx, o, steps, &threads));
  steps.start();
  for (int64_t part = 0; part < parts.count; ++part) {
    DIOPI_TRY(threads->run(parts, part, steps));
    if (steps.has_parts_to_add()) DIOPI_TRY(steps.add_part(threads->o));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
