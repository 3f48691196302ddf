// SPDX-License-Identifier: BSD-3-Clause
// The deferred error for an index that is out of range.
#ifndef IMPL_CUDA_ENGINE_INDEX_REFUSAL_HPP_
#define IMPL_CUDA_ENGINE_INDEX_REFUSAL_HPP_

#include "impl/common/rules/indices.hpp"
#include "impl/cuda/engine/deferred.hpp"

namespace impl::cuda {

// `index` has numbers of the elements of dimension `dim` of `indexed`: diopi::refuse_index().
class IndexRefusal {
 public:
  IndexRefusal(const diopi::TensorView& index, const diopi::TensorView& indexed, int dim, bool wrap)
      : index_(index.name), indexed_(indexed.name), ndim_(indexed.ndim()), dim_(dim), wrap_(wrap) {
    for (int d = 0; d < ndim_; ++d) shape_[d] = indexed.shape[d];
  }
  Status operator()(int64_t position, int64_t value) const {
    diopi::TensorView index, indexed;
    index.name = index_.text;
    indexed.name = indexed_.text;
    indexed.shape = diopi::Dims(diopiSize_t{shape_, ndim_});
    return diopi::refuse_index(index, value, position, indexed, dim_, wrap_);
  }

 private:
  ParameterName index_, indexed_;
  int64_t shape_[diopi::kMaxDims];
  int ndim_, dim_;
  bool wrap_;
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_INDEX_REFUSAL_HPP_
