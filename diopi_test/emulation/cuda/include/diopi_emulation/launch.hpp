// SPDX-License-Identifier: BSD-3-Clause
// Queues a kernel on a stream, as <<<>>> does. The arguments are converted to the types of the kernel's parameters.
#ifndef DIOPI_EMULATION_LAUNCH_HPP_
#define DIOPI_EMULATION_LAUNCH_HPP_

#include <cuda_runtime_api.h>

#include <memory>
#include <tuple>
#include <type_traits>

namespace diopi::emulation {

// A kernel with its arguments: run(arguments) is one CUDA thread.
struct Kernel {
  const void* function;
  void (*run)(const void* arguments);
  std::shared_ptr<const void> arguments;
};

cudaError_t queue_kernel(Kernel kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
// Ends the process if the address is neither null nor memory that a kernel can access.
void check_address(const void* address);
// Ends the process if eight aligned bytes of the object are an address on the caller's stack or in the host's heap.
void check_object(const void* object, size_t bytes);

template <typename T>
void check_argument(const T& argument) {
  static_assert(std::is_trivially_copyable_v<T>, "the arguments of a kernel are copied as bytes");
  if constexpr (std::is_pointer_v<T>) {
    check_address(argument);
  } else if constexpr (std::is_class_v<T>) {
#if __has_builtin(__builtin_clear_padding)  // padding may hold what was in the memory before
    T copy = argument;
    __builtin_clear_padding(&copy);
    check_object(&copy, sizeof(T));
#endif
  }
}

template <typename... P, typename... A>
cudaError_t launch(void (*kernel)(P...), dim3 grid, dim3 block, size_t shared, cudaStream_t stream, A... arguments) {
  static_assert((sizeof(P) + ... + 0) <= 32764, "the parameters of a kernel take at most 32764 bytes");
  using Call = std::pair<void (*)(P...), std::tuple<P...>>;
  auto call = std::make_shared<const Call>(kernel, std::tuple<P...>(static_cast<P>(arguments)...));
  std::apply([](const P&... values) { (check_argument(values), ...); }, call->second);
  const auto run = [](const void* opaque) {
    const Call& stored = *static_cast<const Call*>(opaque);
    std::apply(stored.first, stored.second);
  };
  return queue_kernel({reinterpret_cast<const void*>(kernel), run, std::move(call)}, grid, block, shared, stream);
}

}  // namespace diopi::emulation

#endif  // DIOPI_EMULATION_LAUNCH_HPP_
