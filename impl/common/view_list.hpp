// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a list, read once, because a second read could fail after the first write.
#ifndef IMPL_COMMON_VIEW_LIST_HPP_
#define IMPL_COMMON_VIEW_LIST_HPP_

#include <new>

#include "impl/common/tensor_view.hpp"
#include "impl/common/workspace.hpp"

namespace diopi {

class ViewList {
 public:
  ViewList() = default;
  ViewList(const ViewList&) = delete;
  ViewList& operator=(const ViewList&) = delete;

  // Makes room for `count` views; many views are stored in a temporary.
  Status reserve(diopiContextHandle_t ctx, int64_t count) {
    size_ = count;
    if (count <= kInline) return diopiSuccess;
    DIOPI_TRY(host_workspace(ctx).take(count, &views_));
    for (int64_t i = 0; i < count; ++i) new (views_ + i) TensorView;
    return diopiSuccess;
  }
  // Reads `count` handles of one parameter; the entry has checked that none is null.
  template <typename Handle>
  Status read(diopiContextHandle_t ctx, const Handle* handles, int64_t count, const char* name) {
    DIOPI_TRY(reserve(ctx, count));
    for (int64_t i = 0; i < count; ++i) DIOPI_TRY(read_tensor(handles[i], name, &views_[i]));
    return diopiSuccess;
  }
  int64_t size() const { return size_; }
  const TensorView* begin() const { return views_; }
  const TensorView* end() const { return views_ + size_; }
  TensorView& operator[](int64_t i) { return views_[i]; }
  const TensorView& operator[](int64_t i) const { return views_[i]; }

 private:
  static constexpr int64_t kInline = 8;
  TensorView inline_[kInline];
  TensorView* views_ = inline_;
  int64_t size_ = 0;
};

}  // namespace diopi

#endif  // IMPL_COMMON_VIEW_LIST_HPP_
