// SPDX-License-Identifier: BSD-3-Clause
// The gradients of averages with respect to the shifts of bins and to the corners of regions.
#include "impl/cpu/engine/roi/shifts.hpp"
#include "impl/cpu/engine/roi/walk.hpp"

namespace impl::cpu {

namespace {

// The gradient of one bin with respect to its shift.
struct ShiftGradient {
  const RowKernels& kernels;
  const RegionFrame& frame;
  const ChannelRows& input;

  // The sums for y and x.
  struct Sums {
    double y, x;
  };
  Sums of_bin(const UprightRegion& region, int64_t image, const SampleLine& line_y, const SampleLine& line_x,
              const char* grad) const {
    const auto rows = line_y.inside(frame.height), columns = line_x.inside(frame.width);
    Sums sum{0, 0};
    for (double i = rows.first; i <= rows.last; ++i) {
      for (double j = columns.first; j <= columns.last; ++j)
        add(image, line_y.position(i), line_x.position(j), grad, &sum);
    }
    return {sum.y / region.divisor(), sum.x / region.divisor()};
  }

 private:
  // The formulas are mmcv's: y and x are not clamped, unlike the neighbours.
  void add(int64_t image, const Coordinate& at_y, const Coordinate& at_x, const char* grad, Sums* sum) const {
    if (!is_inside(at_y, frame.height) || !is_inside(at_x, frame.width)) return;
    const double y = at_y.exact, x = at_x.exact;
    const Neighbours in_y = neighbours(y, frame.height), in_x = neighbours(x, frame.width);
    const auto dot = [&](int64_t row, int64_t column) {
      return kernels.dot(input.at(image, row * frame.width + column), grad, input.channels());
    };
    const double f00 = dot(in_y.low, in_x.low), f10 = dot(in_y.low, in_x.high);
    const double f01 = dot(in_y.high, in_x.low), f11 = dot(in_y.high, in_x.high);
    const auto y0 = static_cast<double>(in_y.low), y1 = static_cast<double>(in_y.high);
    const auto x0 = static_cast<double>(in_x.low), x1 = static_cast<double>(in_x.high);
    sum->x += f11 * (y - y0) + f10 * (y1 - y) + f01 * (y0 - y) + f00 * (y - y1);
    sum->y += f11 * (x - x0) + f01 * (x1 - x) + f10 * (x0 - x) + f00 * (x - x1);
  }
};

// The slope of the sum over the channels of one bin with respect to one of its sides, times its area.
class CornerGradient {
 public:
  CornerGradient(const RowKernels& kernels, const ExactRegion& region, const ChannelRows& input, int64_t image,
                 const char* grad, const char* output)
      : kernels_(kernels), region_(region), input_(input), image_(image), grad_(grad) {
    mean_ = kernels.dot(output, grad, input.channels());
  }
  double at_y(double y, int64_t pw) const {
    return sum([&](auto* run) { region_.add_line_at_y(y, pw, run); }) - region_.width() * mean_;
  }
  double at_x(double x, int64_t ph) const {
    return sum([&](auto* run) { region_.add_line_at_x(x, ph, run); }) - region_.height() * mean_;
  }

 private:
  template <typename Add>
  double sum(const Add& add) const {
    double total = 0;
    const auto use = [&](const Tap* taps, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        total += taps[i].weight * kernels_.dot(input_.at(image_, taps[i].row), grad_, input_.channels());
      }
    };
    TapRun run(use);
    add(&run);
    run.flush();
    return total;
  }

  const RowKernels& kernels_;
  const ExactRegion& region_;
  const ChannelRows& input_;
  int64_t image_;
  const char* grad_;
  double mean_;
};

// Adds the slopes of a bin with respect to its sides to those of the corners: x1, y1, x2, y2.
void add_sides(double low, double high, int64_t p, int64_t bins, double* first, double* second) {
  const auto count = static_cast<double>(bins);
  const double before = static_cast<double>(p) / count, behind = static_cast<double>(p + 1) / count;
  *first += low * (1 - before) + high * (1 - behind);
  *second += low * before + high * behind;
}

struct CornerRows {
  ChannelRows output, grad, input;
};

// The gradient of a region: five numbers.
void region_gradient(const CornerRows& rows, const RegionBins& all, int64_t r, double* gradient) {
  std::fill_n(gradient, 5, 0.0);
  const RegionFrame& frame = all.frame;
  const ExactRegion region(frame, all.rois.row(r));
  if (region.is_empty()) return;
  const RowKernels kernels = row_kernels(rows.input.dtype());
  const double factor = frame.scale / (region.height() * region.width());
  for (int64_t bin = 0; bin < all.bins(); ++bin) {
    const int64_t ph = bin / frame.bins_x, pw = bin % frame.bins_x;
    const CornerGradient of(kernels, region, rows.input, all.rois.image(r), rows.grad.at(r, bin),
                            rows.output.at(r, bin));
    add_sides(-of.at_x(region.x(pw), ph) * factor, of.at_x(region.x(pw + 1), ph) * factor, pw, frame.bins_x,
              gradient + 1, gradient + 3);
    add_sides(-of.at_y(region.y(ph), pw) * factor, of.at_y(region.y(ph + 1), pw) * factor, ph, frame.bins_y,
              gradient + 2, gradient + 4);
  }
}

// What one call needs for both gradients of an average with shifts.
struct ShiftOperands {
  ChannelRows to, from, image;
  RegionRows regions;
  BinShifts shifts;
  TensorView moved;  // the gradient of the shifts in float64

  Status make(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
              const TensorView& grad_output, const TensorView& input, const TensorView& rois) {
    const diopiDtype_t dtype = diopi::compute_dtype(grad_input.dtype);
    DIOPI_TRY(to.write(ctx, grad_input, dtype));
    DIOPI_TRY(from.read(ctx, grad_output, dtype));
    DIOPI_TRY(image.read(ctx, input, dtype));
    DIOPI_TRY(regions.read(ctx, rois));
    DIOPI_TRY(shifts.read(ctx, grid));
    DIOPI_TRY(make_temporary(ctx, grid.offset->shape, diopi_dtype_float64, &moved));
    from.load();
    image.load();
    regions.load();
    shifts.load();
    return diopiSuccess;
  }
};

void shift_gradients(const RoiGrid& grid, const RegionBins& all, const ShiftOperands& used) {
  const RegionFrame& frame = all.frame;
  const RowKernels kernels = row_kernels(used.image.dtype());
  const ShiftGradient gradient{kernels, frame, used.image};
  const diopi::Picoseconds each{all.taps() * used.image.channels() * kTapTime * 2};
  diopi::parallel_for(all.all(), each, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / all.bins(), bin = i % all.bins();
      const UprightRegion region(frame, all.rois.row(r));
      const auto by = used.shifts.of(region, r, bin);
      const auto found = gradient.of_bin(region, all.rois.image(r), region.line_y(bin / frame.bins_x, by.y),
                                         region.line_x(bin % frame.bins_x, by.x), used.from.at(r, bin));
      double* moved = used.moved.ptr<double>() + r * 2 * all.bins() + bin;
      moved[0] = grid.gamma * region.width().exact * found.x;
      moved[all.bins()] = grid.gamma * region.height().exact * found.y;
    }
  });
}

}  // namespace

Status run_roi_offset_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_input,
                               const TensorView& grad_offset, const TensorView& grad_output, const TensorView& input,
                               const TensorView& rois) {
  ShiftOperands used;
  DIOPI_TRY(used.make(ctx, grid, grad_input, grad_output, input, rois));
  const RegionFrame frame = frame_of(grid, input, grad_output);
  const RegionBins all{used.regions, frame};
  shift_gradients(grid, all, used);
  used.to.clear();
  scatter_bins(
      all, input.shape[0], used.to, used.from, [&](int64_t r) { return UprightRegion(frame, used.regions.row(r)); },
      [&](const UprightRegion& region, int64_t r, int64_t bin, auto* run) {
        const auto by = used.shifts.of(region, r, bin);
        region.add_bin(bin / frame.bins_x, bin % frame.bins_x, by.y, by.x, run);
      });
  used.to.store();
  copy_view(grad_offset, used.moved);
  return diopiSuccess;
}

Status run_roi_corner_backward(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& grad_rois,
                               const TensorView& output, const TensorView& grad_output, const TensorView& input,
                               const TensorView& rois) {
  if (grad_rois.numel == 0) return diopiSuccess;
  const diopiDtype_t dtype = diopi::compute_dtype(input.dtype);
  CornerRows rows;
  RegionRows regions;
  TensorView result;
  DIOPI_TRY(rows.output.read(ctx, output, dtype));
  DIOPI_TRY(rows.grad.read(ctx, grad_output, dtype));
  DIOPI_TRY(rows.input.read(ctx, input, dtype));
  DIOPI_TRY(regions.read(ctx, rois));
  DIOPI_TRY(make_temporary(ctx, grad_rois.shape, diopi_dtype_float64, &result));
  rows.output.load();
  rows.grad.load();
  rows.input.load();
  regions.load();
  const RegionFrame frame = frame_of(grid, input, output);
  const RegionBins all{regions, frame};
  const diopi::Picoseconds each{all.bins() * 64 * rows.input.channels() * kTapTime};
  diopi::parallel_for(regions.count(), each, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) region_gradient(rows, all, r, result.ptr<double>() + r * 5);
  });
  copy_view(grad_rois, result);
  return diopiSuccess;
}

}  // namespace impl::cpu
