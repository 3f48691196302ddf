// SPDX-License-Identifier: BSD-3-Clause
// Deformable convolution and its gradients, one block of output positions at a time: the samples of a block are the
// rows of a matrix, and the product engine multiplies it with the weight.
#include <algorithm>

#include "impl/common/engine/deform.hpp"
#include "impl/common/engine/matmul.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/conv/image_sum.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/sampling/deform.hpp"

namespace impl::cpu {
namespace {

using diopi::Dims;

Dims dims_of(std::initializer_list<int64_t> extents) {
  Dims dims;
  for (const int64_t extent : extents) dims.push_back(extent);
  return dims;
}

// A packed view of the memory of another one.
TensorView reshaped(const TensorView& packed, std::initializer_list<int64_t> extents) {
  TensorView view = packed;
  view.shape = dims_of(extents);
  view.stride = diopi::contiguous_strides(view.shape);
  return view;
}

// [O, C, kernel...] as [O, kernel..., C].
TensorView channels_behind_kernel(const TensorView& weight) { return weight.transposed(1, 2).transposed(2, 3); }

constexpr int64_t kBands = 8;  // of the rows of a block

// The operands in the dtype of the computation, and the blocks.
struct Operands {
  TensorView image;  // channels last
  TensorView offset, mask;
  TensorView columns;             // [P, C * kernel]
  TensorView results;             // [O, P]: of the product, or gradients of the outputs
  int64_t* neighbours = nullptr;  // kBands + 1 numbers for each row of the image
  DeformTile tile;
  int64_t images = 0, outputs = 0, tiles_down = 0, tiles_across = 0;
  diopiDtype_t dtype = diopi_dtype_unsupported;

  int64_t tiles() const { return images * tiles_down * tiles_across; }
  int64_t positions() const { return tile.rows * tile.cols; }
  int64_t depth() const { return tile.channels / tile.groups * tile.kernel_area(); }  // of the products of a group
  TensorView columns_by_group() const {                                               // [groups, P, depth]
    return reshaped(columns, {positions(), tile.groups, depth()}).transposed(0, 1);
  }
  TensorView results_by_group() const {  // [groups, O / groups, P]
    return reshaped(results, {tile.groups, outputs / tile.groups, positions()});
  }
};

// The block has so many bytes of columns that they fit a second-level cache of 1 MiB or more. The order of sums in the
// gradients depends on it, so it is the same on all processors. All blocks have about the same size,
// because a thread gets no work for positions behind the image.
void choose_block(Operands* o) {
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

Status prepare(diopiContextHandle_t ctx, const DeformSamples& s, int64_t outputs, Operands* o) {
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
  DIOPI_TRY(make_temporary(ctx, dims_of({o->positions(), t.channels * t.kernel_area()}), o->dtype, &o->columns));
  DIOPI_TRY(make_temporary(ctx, dims_of({outputs, o->positions()}), o->dtype, &o->results));
  TensorView zeros;
  DIOPI_TRY(make_temporary(ctx, dims_of({t.channels}), o->dtype, &zeros));
  fill_zero(zeros);
  DIOPI_TRY(diopi::Workspace(ctx).take((kBands + 1) * t.height, &o->neighbours));
  t.zeros = zeros.data;
  t.columns = o->columns.data;
  return diopiSuccess;
}

// Points the block at image and position of its number; returns the number of the image.
int64_t move_to(Operands* o, int64_t index) {
  DeformTile& t = o->tile;
  t.first_col = index % o->tiles_across * t.cols;
  index /= o->tiles_across;
  t.first_row = index % o->tiles_down * t.rows;
  const int64_t n = index / o->tiles_down, size = diopi::dtype_size(o->dtype);
  const int64_t space = t.out_height * t.out_width, points = t.deform_groups * t.kernel_area();
  t.image = o->image.data + n * t.channels * t.height * t.width * size;
  t.offset = o->offset.data + n * 2 * points * space * size;
  t.mask = o->mask.data == nullptr ? nullptr : o->mask.data + n * points * space * size;
  return n;
}

// The part of `image` [O, Ho, Wo] that the block covers, and the same part of the block's results.
struct Covered {
  TensorView outside, inside;
};
Covered covered(const Operands& o, const TensorView& image) {
  const DeformTile& t = o.tile;
  const int64_t rows = std::min(t.rows, t.out_height - t.first_row);
  const int64_t cols = std::min(t.cols, t.out_width - t.first_col);
  const TensorView whole = reshaped(o.results, {o.outputs, t.rows, t.cols});
  return {image.narrow(1, t.first_row, rows).narrow(2, t.first_col, cols), whole.narrow(1, 0, rows).narrow(2, 0, cols)};
}

void fill_columns(const Operands& o) {
  const DeformColumnsFn kernel = deform_columns_kernel(o.dtype);
  const DeformTile* tile = &o.tile;
  diopi::parallel_for(o.positions(), diopi::Picoseconds{o.tile.channels * o.tile.kernel_area() * 600},
                      [=](int64_t begin, int64_t end) { kernel(*tile, begin, end); });
}

// Copies the gradients of the block's outputs; positions behind the image get zeros.
void load_gradients(const Operands& o, const TensorView& grad) {
  const Covered part = covered(o, grad);
  if (part.inside.numel != o.results.numel) fill_zero(o.results);
  copy_view(part.inside, part.outside);
}

// Calls tile(index) for all blocks. All calls use the temporaries of the first one.
template <typename F>
Status for_each_block(const Operands& o, const F& block) {
  diopi::StepMemory memory;
  DIOPI_TRY(memory.reserve([&] { return block(0); }));
  for (int64_t i = 0; i < o.tiles() && !diopi::in_dry_run(); ++i) {
    DIOPI_TRY(memory.run([&] { return block(i); }));
  }
  return diopiSuccess;
}

// The weight as [groups, O / groups, depth] in the dtype of the computation.
Status pack_weight(diopiContextHandle_t ctx, const Operands& o, const TensorView& weight, TensorView* packed) {
  const TensorView permuted = channels_behind_kernel(weight);
  DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, packed));
  copy_view(*packed, permuted);
  *packed = reshaped(*packed, {o.tile.groups, o.outputs / o.tile.groups, o.depth()});
  return diopiSuccess;
}

// Some rows of a block.
DeformTile band_of(const Operands& o, int64_t band) {
  const int64_t first = o.tile.rows * band / kBands, behind = o.tile.rows * (band + 1) / kBands;
  DeformTile tile = o.tile;
  tile.first_row += first;
  tile.rows = behind - first;
  const int64_t position_bytes = tile.channels * tile.kernel_area() * diopi::dtype_size(o.dtype);
  tile.columns = static_cast<char*>(tile.columns) + first * tile.cols * position_bytes;
  return tile;
}

// Counts the neighbours that the points of each band have in each row of the image: counts[band * height + row]. Sets
// above[row] to the number of all neighbours above a row, and returns the number of all neighbours.
int64_t count_neighbours(const Operands& o, int64_t* counts, int64_t* above) {
  const DeformRowCountsFn count = deform_row_counts_kernel(o.dtype);
  const int64_t height = o.tile.height;
  const diopi::Picoseconds each{o.positions() / kBands * o.tile.deform_groups * o.tile.kernel_area() * 5000};
  diopi::parallel_for(kBands, each, [=, &o](int64_t begin, int64_t end) {
    std::fill(counts + begin * height, counts + end * height, int64_t{0});
    for (int64_t band = begin; band < end; ++band) count(band_of(o, band), counts + band * height);
  });
  int64_t all = 0;
  for (int64_t row = 0; row < height; ++row) {
    above[row] = all;
    for (int64_t band = 0; band < kBands; ++band) all += counts[band * height + row];
  }
  return all;
}

// Adds all positions to the image. Each thread adds to some rows, with as many neighbours of points as those of another
// thread, and reads only bands that have neighbours there.
void add_to_rows(const Operands& o, char* image) {
  const DeformImageGradientFn add = deform_image_gradient_kernel(o.dtype);
  const int64_t channels = o.tile.channels, height = o.tile.height;
  if (omp_get_max_threads() == 1) return add(o.tile, image, {0, channels, 0, height});
  int64_t *const above = o.neighbours, *const counts = o.neighbours + height;
  const int64_t all = count_neighbours(o, counts, above);
  diopi::parallel_for(all, diopi::Picoseconds{channels * 400}, [=, &o](int64_t begin, int64_t end) {
    const int64_t first = std::lower_bound(above, above + height, begin) - above;
    const int64_t behind = std::lower_bound(above, above + height, end) - above;
    for (int64_t band = 0; band < kBands; ++band) {
      const int64_t *from = counts + band * height + first, *to = counts + band * height + behind;
      const bool has_some = std::any_of(from, to, [](int64_t count) { return count > 0; });
      if (has_some) add(band_of(o, band), image, {0, channels, first, behind});
    }
  });
}

// Each thread adds all positions to its part of the image, so that the order of the sums is fixed: to some channels, or
// to some rows if there are few channels.
void add_image_gradient(const Operands& o, char* image) {
  constexpr int64_t kChannels = 16, kFewParts = 4;
  const DeformImageGradientFn add = deform_image_gradient_kernel(o.dtype);
  const DeformTile* tile = &o.tile;
  const int64_t parts = (tile->channels + kChannels - 1) / kChannels, points = o.positions() * tile->kernel_area();
  if (parts < kFewParts) return add_to_rows(o, image);
  diopi::parallel_for(parts, diopi::Picoseconds{points * kChannels * 800}, [=](int64_t begin, int64_t end) {
    add(*tile, image, {begin * kChannels, std::min(end * kChannels, tile->channels), 0, tile->height});
  });
}

Status backward_block(diopiContextHandle_t ctx, Operands* o, const TensorView& weight, const TensorView& grad,
                      int64_t index, const TensorView& grad_image, const TensorView& grad_offset,
                      const TensorView& grad_mask) {
  const int64_t n = move_to(o, index), size = diopi::dtype_size(o->dtype);
  if (!diopi::in_dry_run()) load_gradients(*o, grad.select(0, n));
  DIOPI_TRY(run_matmul(ctx, o->columns_by_group(), o->results_by_group().transposed(1, 2), weight));
  if (diopi::in_dry_run()) return diopiSuccess;
  const DeformTile* tile = &o->tile;
  const int64_t points = tile->deform_groups * tile->kernel_area(), space = tile->out_height * tile->out_width;
  char* to_offset = grad_offset.data + n * 2 * points * space * size;
  char* to_mask = grad_mask.data == nullptr ? nullptr : grad_mask.data + n * points * space * size;
  char* to_image = grad_image.data + n * tile->channels * tile->height * tile->width * size;
  const DeformOffsetGradientsFn offsets = deform_offset_gradients_kernel(o->dtype);
  diopi::parallel_for(o->positions(), diopi::Picoseconds{tile->channels * tile->kernel_area() * 800},
                      [=](int64_t begin, int64_t end) { offsets(*tile, to_offset, to_mask, begin, end); });
  add_image_gradient(*o, to_image);
  return diopiSuccess;
}

// sum = scale * sum, plus `held` if that is not null.
template <typename T>
void scale_sum(const TensorView& sum, const TensorView& held, double scale) {
  T* values = sum.ptr<T>();
  const T* more = held.ptr<T>();
  const auto factor = static_cast<T>(scale);
  for (int64_t i = 0; i < sum.numel; ++i) values[i] = factor * values[i] + (more == nullptr ? T{0} : more[i]);
}

}  // namespace

Status run_deform_conv(diopiContextHandle_t ctx, const DeformSamples& samples, const TensorView& weight,
                       const TensorView* bias, const TensorView& out) {
  Operands o;
  TensorView matrix, wide_bias;
  DIOPI_TRY(prepare(ctx, samples, weight.shape[0], &o));
  DIOPI_TRY(pack_weight(ctx, o, weight, &matrix));
  MatmulOptions options;
  if (bias != nullptr) {
    DIOPI_TRY(make_temporary(ctx, bias->shape, o.dtype, &wide_bias));
    copy_view(wide_bias, *bias);
    wide_bias = reshaped(wide_bias, {o.tile.groups, o.outputs / o.tile.groups, 1});
    options.c = &wide_bias;
  }
  return for_each_block(o, [&](int64_t index) -> Status {
    const int64_t n = move_to(&o, index);
    if (!diopi::in_dry_run()) fill_columns(o);
    DIOPI_TRY(run_matmul(ctx, o.results_by_group(), matrix, o.columns_by_group().transposed(1, 2), options));
    if (diopi::in_dry_run()) return diopiSuccess;
    const Covered part = covered(o, out.select(0, n));
    copy_view(part.outside, part.inside);
    return diopiSuccess;
  });
}

Status run_deform_conv_backward_samples(diopiContextHandle_t ctx, const DeformSamples& samples,
                                        const TensorView& weight, const TensorView& grad_output,
                                        const DeformGradients& gradients) {
  if (samples.input.shape[0] == 0) return diopiSuccess;
  Operands o;
  TensorView matrix, image, offset, mask;
  DIOPI_TRY(prepare(ctx, samples, weight.shape[0], &o));
  DIOPI_TRY(pack_weight(ctx, o, weight, &matrix));
  DIOPI_TRY(arrange(ctx, gradients.input, true, o.dtype, false, &image));
  DIOPI_TRY(arrange(ctx, gradients.offset, false, o.dtype, false, &offset));
  if (gradients.mask != nullptr) DIOPI_TRY(arrange(ctx, *gradients.mask, false, o.dtype, false, &mask));
  bool cleared = false;
  DIOPI_TRY(for_each_block(o, [&](int64_t index) -> Status {
    if (!cleared && !diopi::in_dry_run()) {
      fill_zero(image);
      cleared = true;
    }
    return backward_block(ctx, &o, matrix, grad_output, index, image, offset, mask);
  }));
  if (diopi::in_dry_run()) return diopiSuccess;
  put_back(gradients.input, image);
  put_back(gradients.offset, offset);
  if (gradients.mask != nullptr) put_back(*gradients.mask, mask);
  return diopiSuccess;
}

Status run_deform_conv_backward_weight(diopiContextHandle_t ctx, const DeformSamples& samples,
                                       const TensorView& grad_output, const TensorView& grad_weight, double scale,
                                       bool accumulate) {
  Operands o;
  TensorView sum, held;
  DIOPI_TRY(prepare(ctx, samples, grad_weight.shape[0], &o));
  const TensorView permuted = channels_behind_kernel(grad_weight);
  DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, &sum));
  if (accumulate) {
    DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, &held));
    copy_view(held, permuted);
  }
  const auto by_group = [&](const TensorView& view) {
    return reshaped(view, {o.tile.groups, o.outputs / o.tile.groups, o.depth()});
  };
  const auto add_block = [&](int64_t index, const TensorView& total, bool add) -> Status {
    const int64_t n = move_to(&o, index);
    if (!diopi::in_dry_run()) {
      const Covered part = covered(o, grad_output.select(0, n));
      if (part.inside.numel != o.results.numel) fill_zero(o.columns);
      load_gradients(o, grad_output.select(0, n));
      fill_columns(o);
    }
    MatmulOptions options;
    const TensorView matrix = by_group(total);
    if (add) options.c = &matrix;
    return run_matmul(ctx, matrix, o.results_by_group(), o.columns_by_group(), options);
  };
  DIOPI_TRY(sum_images(ctx, {o.tiles(), o.positions()}, sum, add_block));
  if (diopi::in_dry_run()) return diopiSuccess;
  (o.dtype == diopi_dtype_float64 ? scale_sum<double> : scale_sum<float>)(sum, held, scale);
  copy_view(permuted, sum);
  return diopiSuccess;
}

}  // namespace impl::cpu
