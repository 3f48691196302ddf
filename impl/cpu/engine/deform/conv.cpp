// SPDX-License-Identifier: BSD-3-Clause
// Deformable convolution and its gradients: the product engine multiplies the samples of a block with the weight.
#include <algorithm>

#include "impl/common/engine/matmul.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/deform/blocks.hpp"
#include "impl/cpu/engine/norm/layout.hpp"
#include "impl/cpu/engine/pairwise_sum.hpp"

namespace impl::cpu {
namespace {

// [O, C, kernel...] as [O, kernel..., C].
TensorView channels_behind_kernel(const TensorView& weight) { return weight.transposed(1, 2).transposed(2, 3); }

// The part of `image` [O, Ho, Wo] that the block covers, and the same part of the block's results.
struct Covered {
  TensorView outside, inside;
};
Covered covered(const DeformOperands& o, const TensorView& image) {
  const DeformTile& t = o.tile;
  const int64_t rows = std::min(t.rows, t.out_height - t.first_row);
  const int64_t cols = std::min(t.cols, t.out_width - t.first_col);
  const TensorView whole = reshaped(o.results, {o.outputs, t.rows, t.cols});
  return {image.narrow(1, t.first_row, rows).narrow(2, t.first_col, cols), whole.narrow(1, 0, rows).narrow(2, 0, cols)};
}

void fill_columns(const DeformOperands& o) {
  const DeformColumnsFn kernel = deform_columns_kernel(o.dtype);
  const DeformTile* tile = &o.tile;
  diopi::parallel_for(o.positions(), diopi::Picoseconds{o.tile.channels * o.tile.kernel_area() * 600},
                      [=](int64_t begin, int64_t end) { kernel(*tile, begin, end); });
}

// Copies the gradients of the block's outputs; positions behind the image get zeros.
void load_gradients(const DeformOperands& o, const TensorView& grad) {
  const Covered part = covered(o, grad);
  if (part.inside.numel != o.results.numel) fill_zero(o.results);
  copy_view(part.inside, part.outside);
}

// The weight as [groups, O / groups, depth] in the dtype of the computation.
Status pack_weight(diopiContextHandle_t ctx, const DeformOperands& o, const TensorView& weight, TensorView* packed) {
  const TensorView permuted = channels_behind_kernel(weight);
  DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, packed));
  copy_view(*packed, permuted);
  *packed = reshaped(*packed, {o.tile.groups, o.outputs / o.tile.groups, o.depth()});
  return diopiSuccess;
}

// Some rows of a block.
DeformTile band_of(const DeformOperands& o, int64_t band) {
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
int64_t count_neighbours(const DeformOperands& o, int64_t* counts, int64_t* above) {
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
void add_to_rows(const DeformOperands& o, char* image) {
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
void add_image_gradient(const DeformOperands& o, char* image) {
  constexpr int64_t kChannels = 16, kFewParts = 4;
  const DeformImageGradientFn add = deform_image_gradient_kernel(o.dtype);
  const DeformTile* tile = &o.tile;
  const int64_t parts = (tile->channels + kChannels - 1) / kChannels, points = o.positions() * tile->kernel_area();
  if (parts < kFewParts) return add_to_rows(o, image);
  diopi::parallel_for(parts, diopi::Picoseconds{points * kChannels * 800}, [=](int64_t begin, int64_t end) {
    add(*tile, image, {begin * kChannels, std::min(end * kChannels, tile->channels), 0, tile->height});
  });
}

class Forward final : public BlockSteps {
 public:
  Forward(diopiContextHandle_t ctx, const DeformOperands& o, const TensorView& weight, const TensorView* bias,
          const TensorView& out)
      : BlockSteps(o.blocks_of_image()), ctx_(ctx), weight_(weight), out_(out) {
    options_.c = bias;
  }

  Status block(DeformOperands* o, int64_t index, bool) const override {
    const int64_t n = o->move_to(index);
    if (!diopi::in_dry_run()) fill_columns(*o);
    DIOPI_TRY(run_matmul(ctx_, o->results_by_group(), weight_, o->columns_by_group().transposed(1, 2), options_));
    if (diopi::in_dry_run()) return diopiSuccess;
    const Covered part = covered(*o, out_.select(0, n));
    copy_view(part.outside, part.inside);
    return diopiSuccess;
  }

 private:
  diopiContextHandle_t ctx_;
  const TensorView &weight_, &out_;
  MatmulOptions options_;
};

// The gradients of images, offsets and masks. The blocks of an image are one part: they add to the same pixels.
class SampleGradients final : public BlockSteps {
 public:
  SampleGradients(diopiContextHandle_t ctx, const TensorView& weight, const TensorView& grad_output,
                  const TensorView& image, const TensorView& offset, const TensorView& mask)
      : BlockSteps(1), ctx_(ctx), weight_(weight), grad_(grad_output), image_(image), offset_(offset), mask_(mask) {}

  void start() const override { fill_zero(image_); }

  Status block(DeformOperands* o, int64_t index, bool) const override {
    const int64_t n = o->move_to(index), size = diopi::dtype_size(o->dtype);
    if (!diopi::in_dry_run()) load_gradients(*o, grad_.select(0, n));
    DIOPI_TRY(run_matmul(ctx_, o->columns_by_group(), o->results_by_group().transposed(1, 2), weight_));
    if (diopi::in_dry_run()) return diopiSuccess;
    const DeformTile* tile = &o->tile;
    const int64_t points = tile->deform_groups * tile->kernel_area(), space = tile->out_height * tile->out_width;
    char* to_offset = offset_.data + n * 2 * points * space * size;
    char* to_mask = mask_.data == nullptr ? nullptr : mask_.data + n * points * space * size;
    const DeformOffsetGradientsFn offsets = deform_offset_gradients_kernel(o->dtype);
    diopi::parallel_for(o->positions(), diopi::Picoseconds{tile->channels * tile->kernel_area() * 800},
                        [=](int64_t begin, int64_t end) { offsets(*tile, to_offset, to_mask, begin, end); });
    add_image_gradient(*o, image_.data + n * tile->channels * tile->height * tile->width * size);
    return diopiSuccess;
  }

 private:
  diopiContextHandle_t ctx_;
  const TensorView &weight_, &grad_, &image_, &offset_, &mask_;
};

// The gradient of the weight is a sum over blocks. The sums of the parts are added pairwise.
class WeightGradient final : public BlockSteps {
 public:
  WeightGradient(diopiContextHandle_t ctx, const DeformOperands& o, const TensorView& grad_output,
                 const diopi::Dims& shape, PairwiseSum* sum)
      : BlockSteps(parts_of(o)), ctx_(ctx), grad_(grad_output), shape_(shape), sum_(sum) {}

  Status take_memory(DeformOperands* o) const override { return make_temporary(ctx_, shape_, o->dtype, &o->sum); }

  Status block(DeformOperands* o, int64_t index, bool is_first) const override {
    const TensorView grad = grad_.select(0, o->move_to(index));
    if (!diopi::in_dry_run()) {
      if (is_first) fill_zero(o->sum);
      if (covered(*o, grad).inside.numel != o->results.numel) fill_zero(o->columns);
      load_gradients(*o, grad);
      fill_columns(*o);
    }
    const TensorView total = reshaped(o->sum, {o->tile.groups, o->outputs / o->tile.groups, o->depth()});
    MatmulOptions options;
    options.c = &total;
    return run_matmul(ctx_, total, o->results_by_group(), o->columns_by_group(), options);
  }

  bool has_parts_to_add() const override { return true; }
  Status add_part(const DeformOperands& o) const override {
    TensorView next;
    DIOPI_TRY(sum_->next(&next));
    copy_view(next, o.sum);
    sum_->add();
    return diopiSuccess;
  }

 private:
  // A part has some blocks, because its sum is copied and added, but not too many, so that its error is small.
  static int64_t parts_of(const DeformOperands& o) {
    constexpr int64_t kBlocks = 8;
    const int64_t blocks = std::clamp<int64_t>(kLongestSum / o.positions(), 1, kBlocks);
    return (o.blocks_of_image() + blocks - 1) / blocks;
  }

  diopiContextHandle_t ctx_;
  const TensorView& grad_;
  const diopi::Dims& shape_;
  PairwiseSum* sum_;
};

// sum = scale * sum, plus `held` if that is not null.
template <typename T>
void scale_sum(const TensorView& sum, const TensorView& held, double scale) {
  T* values = sum.ptr<T>();
  const T* more = held.ptr<T>();
  const auto factor = static_cast<T>(scale);
  diopi::parallel_for(sum.numel, diopi::Picoseconds{500}, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] = factor * values[i] + (more == nullptr ? T{0} : more[i]);
  });
}

}  // namespace

Status run_deform_conv(diopiContextHandle_t ctx, const DeformSamples& samples, const TensorView& weight,
                       const TensorView* bias, const TensorView& out) {
  DeformOperands o;
  TensorView matrix, wide_bias;
  DIOPI_TRY(prepare_deform(ctx, samples, weight.shape[0], &o));
  DIOPI_TRY(pack_weight(ctx, o, weight, &matrix));
  if (bias != nullptr) {
    DIOPI_TRY(make_temporary(ctx, bias->shape, o.dtype, &wide_bias));
    copy_view(wide_bias, *bias);
    wide_bias = reshaped(wide_bias, {o.tile.groups, o.outputs / o.tile.groups, 1});
  }
  return run_blocks(ctx, o, Forward(ctx, o, matrix, bias != nullptr ? &wide_bias : nullptr, out));
}

Status run_deform_conv_backward_samples(diopiContextHandle_t ctx, const DeformSamples& samples,
                                        const TensorView& weight, const TensorView& grad_output,
                                        const DeformGradients& gradients) {
  if (samples.input.shape[0] == 0) return diopiSuccess;
  DeformOperands o;
  TensorView matrix, image, offset, mask;
  DIOPI_TRY(prepare_deform(ctx, samples, weight.shape[0], &o));
  DIOPI_TRY(pack_weight(ctx, o, weight, &matrix));
  DIOPI_TRY(arrange(ctx, gradients.input, true, o.dtype, false, &image));
  DIOPI_TRY(arrange(ctx, gradients.offset, false, o.dtype, false, &offset));
  if (gradients.mask != nullptr) DIOPI_TRY(arrange(ctx, *gradients.mask, false, o.dtype, false, &mask));
  DIOPI_TRY(run_blocks(ctx, o, SampleGradients(ctx, matrix, grad_output, image, offset, mask)));
  if (diopi::in_dry_run()) return diopiSuccess;
  put_back(gradients.input, image);
  put_back(gradients.offset, offset);
  if (gradients.mask != nullptr) put_back(*gradients.mask, mask);
  return diopiSuccess;
}

Status run_deform_conv_backward_weight(diopiContextHandle_t ctx, const DeformSamples& samples,
                                       const TensorView& grad_output, const TensorView& grad_weight, double scale,
                                       bool accumulate) {
  DeformOperands o;
  TensorView sum, held;
  DIOPI_TRY(prepare_deform(ctx, samples, grad_weight.shape[0], &o));
  const TensorView permuted = channels_behind_kernel(grad_weight);
  DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, &sum));
  if (accumulate) {
    DIOPI_TRY(make_temporary(ctx, permuted.shape, o.dtype, &held));
    copy_view(held, permuted);
  }
  PairwiseSum parts(ctx, permuted.shape, o.dtype);
  DIOPI_TRY(run_blocks(ctx, o, WeightGradient(ctx, o, grad_output, permuted.shape, &parts)));
  if (diopi::in_dry_run()) return diopiSuccess;
  parts.finish(sum);
  (o.dtype == diopi_dtype_float64 ? scale_sum<double> : scale_sum<float>)(sum, held, scale);
  copy_view(permuted, sum);
  return diopiSuccess;
}

}  // namespace impl::cpu
