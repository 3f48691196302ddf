// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/plan/advanced_index.hpp"

#include <algorithm>
#include <new>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"

namespace diopi {

Status AdvancedIndex::require_mask_fits(const Entry& entry) const {
  const TensorView& mask = entry.index;
  DIOPI_REQUIRE(mask.ndim() > 0, diopiErrorOccurred, "%s is a mask without dimensions, which selects none of %s",
                mask.name, input_->name);
  bool fits = entry.dim + mask.ndim() <= input_->ndim();
  for (int i = 0; fits && i < mask.ndim(); ++i) fits = mask.shape[i] == input_->shape[entry.dim + i];
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "the mask %s of shape %s does not match %s of shape %s from dimension %d on",
                mask.name, Text(mask.shape).c_str(), input_->name, Text(input_->shape).c_str(), entry.dim);
  return diopiSuccess;
}

Status AdvancedIndex::add(const TensorView* index) {
  if (index == nullptr) {
    ++next_;
    return diopiSuccess;
  }
  Entry& entry = *new (end()) Entry;
  ++num_entries_;
  entry.index = *index;
  entry.dim = next_;
  entry.is_mask = index->dtype == diopi_dtype_bool || index->dtype == diopi_dtype_uint8;
  if (entry.is_mask) {
    entry.dims = index->ndim();
    DIOPI_TRY(require_mask_fits(entry));
  } else {
    DIOPI_REQUIRE(index->dtype == diopi_dtype_int64 || index->dtype == diopi_dtype_int32, diopiDtypeNotSupported,
                  "%s has dtype %s, expected int64, int32, bool or uint8", index->name, dtype_name(index->dtype));
  }
  DIOPI_REQUIRE(next_ + entry.dims <= input_->ndim(), diopiErrorOccurred,
                "%s addresses dimension %d of %s, whose shape is %s", index->name, next_ + entry.dims - 1, input_->name,
                Text(input_->shape).c_str());
  std::fill_n(indexed_ + next_, entry.dims, true);
  next_ += entry.dims;
  return diopiSuccess;
}

Status AdvancedIndex::broadcast() {
  DIOPI_REQUIRE(next_ <= input_->ndim(), diopiErrorOccurred,
                "the indices address %d dimensions of %s, whose shape is %s", next_, input_->name,
                Text(input_->shape).c_str());
  for (const Entry& entry : *this) {
    TensorView shaped = entry.index;
    if (entry.is_mask) {
      shaped.shape.n = 1;
      shaped.shape[0] = entry.found.count;
    }
    if (&entry == begin()) {
      positions_ = shaped.shape;
    } else {
      DIOPI_TRY(broadcast_shapes(positions_, "the indices before it", shaped, &positions_));
    }
  }
  const int kept = static_cast<int>(std::count(indexed_, indexed_ + input_->ndim(), false));
  DIOPI_REQUIRE(kept + positions_.n <= kMaxDims, diopiErrorOccurred,
                "indices of shape %s and %s of shape %s make a result of %d dimensions; at most %d are supported",
                Text(positions_).c_str(), input_->name, Text(input_->shape).c_str(), kept + positions_.n, kMaxDims);
  find_shape();
  return require_countable(shape_, "the result of indices");
}

void AdvancedIndex::find_shape() {
  // The indexed dimensions are neighbours if no other dimension is between them.
  const int n = input_->ndim();
  int changes = 0, lead = -1;
  for (int d = 0; d < n; ++d) {
    if (indexed_[d] && lead < 0) lead = d;
    changes += indexed_[d] && (d == 0 || !indexed_[d - 1]) ? 1 : 0;
  }
  first_ = changes == 1 ? lead : 0;
  for (int d = 0, kept = 0; d <= n; ++d) {
    if (kept == first_ && shape_.n == first_) {
      for (int64_t extent : positions_) shape_.push_back(extent);
    }
    if (d < n && !indexed_[d]) {
      shape_.push_back(input_->shape[d]);
      ++kept;
    }
  }
}

}  // namespace diopi
