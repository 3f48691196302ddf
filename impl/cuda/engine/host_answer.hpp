// SPDX-License-Identifier: BSD-3-Clause
// Pinned memory of the host to which the kernels of a call write its answer, so that the answer needs neither memory of
// the device nor a copy.
#ifndef IMPL_CUDA_ENGINE_HOST_ANSWER_HPP_
#define IMPL_CUDA_ENGINE_HOST_ANSWER_HPP_

#include "impl/cuda/engine/stream.hpp"

namespace impl::cuda {

class HostAnswer {
 public:
  static constexpr int kWords = 8;

  HostAnswer() = default;
  ~HostAnswer();
  HostAnswer(const HostAnswer&) = delete;
  HostAnswer& operator=(const HostAnswer&) = delete;

  // Takes kWords words that are 0, for kernels of the context's stream.
  Status take(diopiContextHandle_t ctx);
  int64_t* words() const { return words_; }
  // Waits for the stream; then the host may read the words.
  Status wait();

 private:
  cudaStream_t stream_ = nullptr;
  int64_t* words_ = nullptr;
  bool pending_ = true;  // a kernel may still write to the words
};

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_HOST_ANSWER_HPP_
