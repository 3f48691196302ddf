// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/class_loss/class_loss.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/doubles.hpp"

namespace impl::cpu {

Status pack_classes(diopiContextHandle_t ctx, const ClassLoss& loss, PackedClasses* packed) {
  if (loss.weight != nullptr) {
    double* weight = nullptr;
    DIOPI_TRY(read_doubles(ctx, *loss.weight, &weight));
    packed->weight = weight;
  }
  if (loss.has_probabilities()) return diopiSuccess;
  packed->targets = loss.target.ptr<const int64_t>();
  if (loss.target.dtype != diopi_dtype_int64 || !loss.target.is_contiguous()) {
    TensorView target;
    DIOPI_TRY(diopi::make_temporary(ctx, loss.target.shape, diopi_dtype_int64, "targets", &target));
    copy_view(target, loss.target);
    packed->targets = target.ptr<const int64_t>();
  }
  const int64_t bad = find_bad_class(packed->targets, loss.samples, loss.classes, loss.ignore_index);
  return bad < 0 ? Status(diopiSuccess) : diopi::refuse_class(loss, packed->targets[bad]);
}

NllSamples samples_of(const ClassLoss& loss, const PackedClasses& packed) {
  NllSamples s;
  s.classes = loss.classes;
  s.samples = loss.samples;
  s.targets = packed.targets;
  s.weight = packed.weight;
  s.ignore_index = loss.ignore_index;
  return s;
}

Status write_loss(diopiContextHandle_t ctx, const TensorView& out, const ClassLoss& loss, double* sample_losses,
                  double divisor) {
  if (loss.reduction == ReductionNone) return write_doubles(ctx, out, sample_losses);
  const double total = pairwise_sum(sample_losses, loss.samples) / divisor;
  return write_doubles(ctx, out, &total);
}

}  // namespace impl::cpu
