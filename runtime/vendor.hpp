// SPDX-License-Identifier: BSD-3-Clause
// The callbacks of a vendor's library, and functions that call them. A missing callback gives its own error code.
#ifndef RUNTIME_VENDOR_HPP_
#define RUNTIME_VENDOR_HPP_

#include <diopi/diopi_register.h>

#include <atomic>
#include <cstdint>

#include "impl/common/error.hpp"

struct diopirtLibrary;

namespace diopirt {

using diopi::fail;
using diopi::OperatorScope;
using diopi::Status;

struct Vendor {
  std::atomic<create_stream_func_t> create_stream{nullptr};
  std::atomic<destroy_stream_func_t> destroy_stream{nullptr};
  std::atomic<sync_stream_func_t> sync_stream{nullptr};
  std::atomic<malloc_func_t> malloc_device{nullptr};
  std::atomic<free_func_t> free_device{nullptr};
  std::atomic<memcpy_h2d_async_func_t> copy_h2d{nullptr};
  std::atomic<memcpy_d2h_async_func_t> copy_d2h{nullptr};
  std::atomic<memcpy_d2d_async_func_t> copy_d2d{nullptr};
  std::atomic<get_last_error_string_func_t> last_error{nullptr};
  // The DLPack device of diopi_device memory: the CPU (1, 0) until the program sets another.
  std::atomic<int32_t> dlpack_type{1};
  std::atomic<int32_t> dlpack_index{0};
  // The number of contexts and blocks of memory that will still use the callbacks.
  std::atomic<int64_t> users{0};

  Status stream_create(diopiStreamHandle_t* stream) const;
  Status stream_destroy(diopiStreamHandle_t stream) const;
  Status stream_synchronize(diopiStreamHandle_t stream) const;
  // Fails without allocating if there is no callback to free the memory.
  Status allocate(uint64_t bytes, void** memory) const;
  void release(void* memory) const;
  Status copy_to_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const;
  Status copy_to_host(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const;
  Status copy_on_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const;

 private:
  Status check(int32_t code, const char* action) const;
};

// The callbacks registered outside of diopirtLoadLibrary().
Vendor& linked_vendor();
// Returns the vendor of `library`; the linked vendor if `library` is null.
Vendor& vendor_of(diopirtLibrary* library);

}  // namespace diopirt

#endif  // RUNTIME_VENDOR_HPP_
