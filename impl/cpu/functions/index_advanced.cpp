// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/functions/index_advanced.hpp"

#include <algorithm>

#include "impl/common/checked.hpp"
#include "impl/common/shape.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/tensor/nonzero.hpp"

namespace impl::cpu {

using diopi::Dims;
using diopi::Status;
using diopi::TensorView;
using diopi::Text;

namespace {

// Messages name an element of the list.
constexpr const char* kNames[] = {"indices[0]",  "indices[1]",  "indices[2]",  "indices[3]",
                                  "indices[4]",  "indices[5]",  "indices[6]",  "indices[7]",
                                  "indices[8]",  "indices[9]",  "indices[10]", "indices[11]",
                                  "indices[12]", "indices[13]", "indices[14]", "indices[15]"};

}  // namespace

Status AdvancedIndex::resolve(diopiContextHandle_t ctx, const TensorView& input,
                              const diopiConstTensorHandle_t* indices, int64_t nums) {
  input_ = &input;
  DIOPI_TRY(read_entries(ctx, indices, nums));
  DIOPI_TRY(broadcast());
  find_shape();
  return diopi::require_countable(shape_, "the result of indices");
}

Status AdvancedIndex::locate(diopiContextHandle_t ctx) {
  DIOPI_TRY(table_.reserve(ctx, count_));
  if (num_entries_ == 0 || entries_[0].mask) std::fill_n(table_.data(), count_, 0);
  for (int i = 0; i < num_entries_; ++i) DIOPI_TRY(add_entry(ctx, entries_[i], i == 0));
  return diopiSuccess;
}

Status AdvancedIndex::read_entries(diopiContextHandle_t ctx, const diopiConstTensorHandle_t* indices, int64_t nums) {
  DIOPI_REQUIRE(nums >= 0 && nums <= input_->ndim(), diopiErrorOccurred,
                "%lld indices for %s of shape %s, which has %d dimensions", static_cast<long long>(nums), input_->name,
                Text(input_->shape).c_str(), input_->ndim());
  int dim = 0;
  for (int64_t i = 0; i < nums; ++i) {
    if (indices[i] == nullptr) {
      ++dim;
      continue;
    }
    Entry& entry = entries_[num_entries_++];
    DIOPI_TRY(diopi::read_tensor(indices[i], kNames[i], &entry.index));
    entry.dim = dim;
    entry.mask = entry.index.dtype == diopi_dtype_bool || entry.index.dtype == diopi_dtype_uint8;
    if (entry.mask) {
      entry.dims = entry.index.ndim();
      DIOPI_TRY(read_mask(ctx, &entry));
    } else {
      DIOPI_REQUIRE(entry.index.dtype == diopi_dtype_int64 || entry.index.dtype == diopi_dtype_int32,
                    diopiDtypeNotSupported, "%s has dtype %s, expected int64, int32, bool or uint8", entry.index.name,
                    diopi::dtype_name(entry.index.dtype));
    }
    DIOPI_REQUIRE(dim + entry.dims <= input_->ndim(), diopiErrorOccurred,
                  "%s addresses dimension %d of %s, whose shape is %s", entry.index.name, dim + entry.dims - 1,
                  input_->name, Text(input_->shape).c_str());
    std::fill_n(indexed_ + dim, entry.dims, true);
    dim += entry.dims;
  }
  DIOPI_REQUIRE(dim <= input_->ndim(), diopiErrorOccurred, "the indices address %d dimensions of %s, whose shape is %s",
                dim, input_->name, Text(input_->shape).c_str());
  return diopiSuccess;
}

Status AdvancedIndex::read_mask(diopiContextHandle_t ctx, Entry* entry) {
  TensorView& mask = entry->index;
  DIOPI_REQUIRE(mask.ndim() > 0, diopiErrorOccurred, "%s is a mask without dimensions, which selects none of %s",
                mask.name, input_->name);
  bool fits = entry->dim + mask.ndim() <= input_->ndim();
  for (int i = 0; fits && i < mask.ndim(); ++i) fits = mask.shape[i] == input_->shape[entry->dim + i];
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "the mask %s of shape %s does not match %s of shape %s from dimension %d on",
                mask.name, Text(mask.shape).c_str(), input_->name, Text(input_->shape).c_str(), entry->dim);
  if (!mask.is_contiguous()) {
    TensorView packed;
    DIOPI_TRY(packed_copy(ctx, mask, &packed));
    mask = packed;
  }
  OffsetTable starts;
  DIOPI_TRY(starts.reserve(ctx, mask_chunks(mask.numel) + 1));
  entry->mask_bytes = mask.ptr<const uint8_t>();
  entry->selected = count_mask(entry->mask_bytes, mask.numel, starts.data());
  return diopiSuccess;
}

Status AdvancedIndex::broadcast() {
  for (int i = 0; i < num_entries_; ++i) {
    TensorView shaped = entries_[i].index;
    if (entries_[i].mask) {
      shaped.shape.n = 1;
      shaped.shape[0] = entries_[i].selected;
    }
    if (i == 0) {
      positions_ = shaped.shape;
    } else {
      DIOPI_TRY(diopi::broadcast_shapes(positions_, "the indices before it", shaped, &positions_));
    }
  }
  count_ = positions_.product();
  const int kept = static_cast<int>(std::count(indexed_, indexed_ + input_->ndim(), false));
  DIOPI_REQUIRE(kept + positions_.n <= diopi::kMaxDims, diopiErrorOccurred,
                "indices of shape %s and %s of shape %s make a result of %d dimensions; at most %d are supported",
                Text(positions_).c_str(), input_->name, Text(input_->shape).c_str(), kept + positions_.n,
                diopi::kMaxDims);
  return diopiSuccess;
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

Status AdvancedIndex::add_entry(diopiContextHandle_t ctx, const Entry& entry, bool first) {
  if (count_ == 0) return diopiSuccess;
  OffsetTable scratch;
  const int64_t* values = nullptr;
  if (!entry.mask) {
    DIOPI_TRY(packed_index(ctx, entry.index, positions_, &scratch, &values));
    const IndexedDim at{input_, entry.dim, input_->shape[entry.dim], input_->stride[entry.dim], true};
    return add_checked_offsets(table_.data(), values, count_, entry.index, at, first);
  }
  // The offsets of a mask's true elements are broadcast like an index.
  OffsetTable starts, offsets;
  DIOPI_TRY(starts.reserve(ctx, mask_chunks(entry.index.numel) + 1));
  DIOPI_TRY(offsets.reserve(ctx, entry.selected));
  count_mask(entry.mask_bytes, entry.index.numel, starts.data());
  Dims stride;
  stride.n = entry.dims;
  std::copy_n(input_->stride.v + entry.dim, entry.dims, stride.v);
  mask_offsets(entry.mask_bytes, entry.index.shape, stride, starts.data(), offsets.data());
  TensorView list = entry.index;
  list.data = reinterpret_cast<char*>(offsets.data());
  list.dtype = diopi_dtype_int64;
  list.numel = list.shape[0] = entry.selected;
  list.shape.n = list.stride.n = 1;
  list.stride[0] = 1;
  DIOPI_TRY(packed_index(ctx, list, positions_, &scratch, &values));
  for (int64_t k = 0; k < count_; ++k) table_.data()[k] += values[k];
  return diopiSuccess;
}

Status AdvancedIndex::plan(diopiContextHandle_t ctx, const Dims& packed_stride, IndexMap* map, IndexSlices* slices) {
  map->count = count_;
  map->table = table_.data();
  map->reach = 0;
  for (int d = 0; d < input_->ndim(); ++d) map->reach += (input_->shape[d] - 1) * input_->stride[d];
  Dims stride;
  stride.n = positions_.n;
  std::copy_n(packed_stride.v + first_, positions_.n, stride.v);
  DIOPI_TRY(packed_positions(ctx, positions_, stride, &packed_, map));
  int at = first_ == 0 ? positions_.n : 0;
  for (int d = 0; d < input_->ndim(); ++d) {
    if (indexed_[d]) continue;
    slices->push_back(input_->shape[d], input_->stride[d], packed_stride[at]);
    if (++at == first_) at += positions_.n;
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
