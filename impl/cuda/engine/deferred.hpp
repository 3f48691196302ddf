// SPDX-License-Identifier: BSD-3-Clause
// Checks that kernels make while they compute. Their errors show when the host waits for the stream.
#ifndef IMPL_CUDA_ENGINE_DEFERRED_HPP_
#define IMPL_CUDA_ENGINE_DEFERRED_HPP_

#include <new>
#include <type_traits>

#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

// Makes the error of a check from the position and the value of the first bad element. It may be called after the call
// has returned, so it must hold copies of all that it needs, names included.
class Refusal {
 public:
  template <typename F>
  explicit Refusal(const F& refuse) {
    static_assert(std::is_trivially_copyable_v<F> && sizeof(F) <= kBytes && alignof(F) <= alignof(int64_t));
    new (bytes_) F(refuse);
    call_ = [](const unsigned char* bytes, int64_t position, int64_t value) -> Status {
      return (*std::launder(reinterpret_cast<const F*>(bytes)))(position, value);
    };
  }
  Status operator()(int64_t position, int64_t value) const { return call_(bytes_, position, value); }

 private:
  static constexpr size_t kBytes = 320;
  alignas(int64_t) unsigned char bytes_[kBytes] = {};
  Status (*call_)(const unsigned char*, int64_t, int64_t);
};

// The number whose bits as float32 a kernel has reported as the value: messages show no more digits.
double number_of(int64_t bits);

// The name of a parameter, copied.
struct ParameterName {
  char text[48];
  explicit ParameterName(const char* name);
};

struct StreamChecks;

// A check of one call. Kernels that are launched between begin() and end() may report to bad().
class DeferredCheck {
 public:
  DeferredCheck() = default;
  ~DeferredCheck() { close(); }
  DeferredCheck(const DeferredCheck&) = delete;
  DeferredCheck& operator=(const DeferredCheck&) = delete;

  // Returns the error of an earlier call of the stream if one has been reported and no one has waited since.
  Status begin(diopiContextHandle_t ctx, const Refusal& refusal);
  // Nothing, if the check has not begun. If checks_wait(), waits for the stream and returns the error of the check.
  Status end();
  const FirstBad& bad() const { return bad_; }

 private:
  void close();
  StreamChecks* checks_ = nullptr;
  FirstBad bad_;
};

// Whether the variable CUDA_LAUNCH_BLOCKING is 1: then end() waits.
bool checks_wait();

// Waits for the stream. Returns its error, or that of the first call whose check has failed since the last time.
Status synchronize(cudaStream_t stream);
// The same for a stream that is about to be destroyed; forgets its checks.
Status forget_checks(cudaStream_t stream);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_ENGINE_DEFERRED_HPP_
