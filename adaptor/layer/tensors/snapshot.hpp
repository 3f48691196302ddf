// SPDX-License-Identifier: BSD-3-Clause
// Copies on the host of the memory that the tensors of a call occupy, before and after the call.
#ifndef ADAPTOR_LAYER_TENSORS_SNAPSHOT_HPP_
#define ADAPTOR_LAYER_TENSORS_SNAPSHOT_HPP_

#include <memory>
#include <vector>

#include "adaptor/entry/fallback/image.hpp"
#include "adaptor/layer/call.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi::layer {

class Snapshot {
 public:
  enum Part { kWhole, kCrowIndices, kColIndices, kValues };  // the last three belong to a sparse tensor
  // The name of a part in messages and files.
  static const char* name_of(Part part);
  struct Tensor {
    int parameter;
    int64_t index;  // in a list
    Part part;
    diopiConstTensorHandle_t handle;
    bool read, written, on_host, sparse;
    TensorView view;   // of a sparse tensor: only the shape and the dtype
    int storage = -1;  // -1 without elements, or if sparse
  };
  // A range of memory. Tensors whose ranges overlap are in one storage.
  struct Storage {
    uintptr_t begin, end;
    bool on_host;
    bool read = false, written = false;
    std::unique_ptr<fallback::Image> before, after;
  };

  // Describes the tensors that the caller made.
  Status describe(const Call& call);
  // Adds the tensors that the operator has created.
  Status describe_created(const Call& call);
  // The bytes of the elements of the tensors that `chosen` returns true for.
  template <typename Chosen>
  int64_t bytes(Chosen&& chosen) const;
  // Copies the tensors that the operator reads.
  Status copy_before(diopiContextHandle_t ctx);
  // Copies the tensors that the operator writes or has created, or all.
  Status copy_after(diopiContextHandle_t ctx, bool all);

  const std::vector<Tensor>& tensors() const { return tensors_; }
  const std::vector<Storage>& storages() const { return storages_; }
  // The tensor of a parameter, or null.
  const Tensor* find(int parameter, int64_t index, Part part = kWhole) const;
  // The tensor as it was after the call, on the host.
  TensorView after(const Tensor& tensor) const;

 private:
  Status add(const Call& call, int parameter, int64_t index, Part part, diopiConstTensorHandle_t handle);
  void make_storages(size_t first);
  Status copy(diopiContextHandle_t ctx, bool after, bool all);

  std::vector<Tensor> tensors_;
  std::vector<Storage> storages_;
};

template <typename Chosen>
int64_t Snapshot::bytes(Chosen&& chosen) const {
  int64_t sum = 0;
  for (const Tensor& tensor : tensors_) {
    if (tensor.storage >= 0 && chosen(tensor)) sum += tensor.view.numel * tensor.view.itemsize();
  }
  return sum;
}

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_TENSORS_SNAPSHOT_HPP_
