// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/vendor.hpp"

#include <dlfcn.h>

#include <diopirt_host.h>

#include <mutex>
#include <new>
#include <vector>

struct diopirtLibrary {
  diopirt::Vendor vendor;
  void* image = nullptr;
  int loads = 0;
};

namespace diopirt {
namespace {

using InitFunction = int32_t (*)();

std::mutex library_mutex;

std::vector<diopirtLibrary*>& libraries() {
  static auto* list = new std::vector<diopirtLibrary*>;  // never destroyed, so static objects may hold libraries
  return *list;
}

// While a library's initLibrary() runs, registrations by this thread belong to that library.
thread_local Vendor* registering = nullptr;

Vendor& registration_target() { return registering != nullptr ? *registering : linked_vendor(); }

// Makes the symbols of this library global, because a vendor's library refers to them. They are not global if this
// library was loaded with RTLD_LOCAL, for example by an interpreter.
void make_own_symbols_global() {
  static const bool done = [] {
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&diopirtLoadLibrary), &info) != 0 && info.dli_fname != nullptr) {
      dlopen(info.dli_fname, RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
    }
    return true;
  }();
  static_cast<void>(done);
}

InitFunction find_hook(void* image, const char* name) { return reinterpret_cast<InitFunction>(dlsym(image, name)); }

// Returns the library's own message for its last failure. The library may have failed before it registered the
// callback.
const char* own_error(void* image) {
  const auto describe = reinterpret_cast<const char* (*)()>(dlsym(image, "diopiGetLastErrorString"));
  const char* const text = describe != nullptr ? describe() : nullptr;
  return text != nullptr ? text : "";
}

Status initialize(diopirtLibrary* library, const char* path) {
  const InitFunction init = find_hook(library->image, "initLibrary");
  DIOPI_REQUIRE(init != nullptr, diopiErrorOccurred, "%s has no initLibrary", path);
  Vendor* const outer = registering;
  registering = &library->vendor;
  const int32_t code = init();
  registering = outer;
  const char* const detail = code != 0 ? own_error(library->image) : "";
  DIOPI_REQUIRE(code == 0, diopiErrorOccurred, "initLibrary of %s failed with %d%s%s", path, static_cast<int>(code),
                detail[0] != '\0' ? ": " : "", detail);
  return diopiSuccess;
}

Status load(const char* path, diopirtLibrary** result) {
  make_own_symbols_global();
  // RTLD_NODELETE: the library is never unloaded, because threads of its pools may still run its code.
  void* const image = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  DIOPI_REQUIRE(image != nullptr, diopiErrorOccurred, "%s", dlerror());
  for (diopirtLibrary* library : libraries()) {
    if (library->image != image) continue;
    dlclose(image);
    ++library->loads;
    *result = library;
    return diopiSuccess;
  }
  auto* library = new diopirtLibrary;
  library->image = image;
  library->loads = 1;
  const Status status = initialize(library, path);
  if (!status.ok()) {
    dlclose(image);
    delete library;
    return status;
  }
  libraries().push_back(library);
  *result = library;
  return diopiSuccess;
}

Status unload(diopirtLibrary* library) {
  auto& list = libraries();
  size_t index = 0;
  while (index < list.size() && list[index] != library) ++index;
  DIOPI_REQUIRE(index < list.size(), diopiErrorOccurred, "the library is not loaded");
  if (library->loads > 1) {
    --library->loads;
    return diopiSuccess;
  }
  const int64_t users = library->vendor.users.load();
  DIOPI_REQUIRE(users == 0, diopiErrorOccurred, "%lld contexts and pieces of memory of the library are still alive",
                static_cast<long long>(users));
  const InitFunction finalize = find_hook(library->image, "finalizeLibrary");
  const int32_t code = finalize != nullptr ? finalize() : 0;
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(index));
  dlclose(library->image);
  delete library;
  DIOPI_REQUIRE(code == 0, diopiErrorOccurred, "finalizeLibrary failed with %d", static_cast<int>(code));
  return diopiSuccess;
}

}  // namespace

Vendor& linked_vendor() {
  static Vendor vendor;
  return vendor;
}

Vendor& vendor_of(diopirtLibrary* library) { return library != nullptr ? library->vendor : linked_vendor(); }

Status Vendor::check(int32_t code, const char* action) const {
  if (code == 0) return diopiSuccess;
  const auto describe = last_error.load();
  const char* detail = describe != nullptr ? describe() : nullptr;
  return fail(diopiErrorOccurred, "the vendor could not %s (code %d)%s%s", action, static_cast<int>(code),
              detail != nullptr ? ": " : "", detail != nullptr ? detail : "");
}

Status Vendor::stream_create(diopiStreamHandle_t* stream) const {
  const auto call = create_stream.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredStreamCreateFunction, "no function to create a stream is registered");
  return check(call(stream), "create a stream");
}

Status Vendor::stream_destroy(diopiStreamHandle_t stream) const {
  const auto call = destroy_stream.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredStreamDestoryFunction,
                "no function to destroy a stream is registered");
  return check(call(stream), "destroy a stream");
}

Status Vendor::stream_synchronize(diopiStreamHandle_t stream) const {
  const auto call = sync_stream.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredStreamSyncFunction, "no function to wait for a stream is registered");
  return check(call(stream), "wait for a stream");
}

Status Vendor::allocate(uint64_t bytes, void** memory) const {
  const auto call = malloc_device.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredDeviceMemoryMallocFunction,
                "no function to allocate device memory is registered");
  DIOPI_REQUIRE(free_device.load() != nullptr, diopiNoRegisteredDeviceMemoryFreeFunction,
                "no function to free device memory is registered");
  *memory = call(bytes);
  if (*memory != nullptr) return diopiSuccess;
  const auto describe = last_error.load();
  return fail(diopiErrorOccurred, "the vendor has no %llu bytes of device memory%s%s",
              static_cast<unsigned long long>(bytes), describe != nullptr ? ": " : "",
              describe != nullptr ? describe() : "");
}

void Vendor::release(void* memory) const {
  const auto call = free_device.load();
  if (call != nullptr && memory != nullptr) call(memory);
}

Status Vendor::copy_to_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const {
  const auto call = copy_h2d.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredHost2DeviceMemoryCopyFunction,
                "no function to copy from host to device is registered");
  return check(call(stream, dst, src, bytes), "copy from host to device");
}

Status Vendor::copy_to_host(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const {
  const auto call = copy_d2h.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredDevice2HostMemoryCopyFunction,
                "no function to copy from device to host is registered");
  return check(call(stream, dst, src, bytes), "copy from device to host");
}

Status Vendor::copy_on_device(diopiStreamHandle_t stream, void* dst, const void* src, uint64_t bytes) const {
  const auto call = copy_d2d.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredDevice2DdeviceMemoryCopyFunction,
                "no function to copy on the device is registered");
  return check(call(stream, dst, src, bytes), "copy on the device");
}

}  // namespace diopirt

using diopirt::OperatorScope;
using diopirt::registration_target;

#define DIOPIRT_REGISTER(function, type, member) \
  diopiError_t function(type func) {             \
    registration_target().member.store(func);    \
    return diopiSuccess;                         \
  }
DIOPIRT_REGISTER(diopiRegisterStreamCreateFunc, create_stream_func_t, create_stream)
DIOPIRT_REGISTER(diopiRegisterStreamDestroyFunc, destroy_stream_func_t, destroy_stream)
DIOPIRT_REGISTER(diopiRegisterSynchronizeStreamFunc, sync_stream_func_t, sync_stream)
DIOPIRT_REGISTER(diopiRegisterDeviceMallocFunc, malloc_func_t, malloc_device)
DIOPIRT_REGISTER(diopiRegisterDevMemFreeFunc, free_func_t, free_device)
DIOPIRT_REGISTER(diopiRegisterMemcpyH2DAsyncFunc, memcpy_h2d_async_func_t, copy_h2d)
DIOPIRT_REGISTER(diopiRegisterMemcpyD2HAsyncFunc, memcpy_d2h_async_func_t, copy_d2h)
DIOPIRT_REGISTER(diopiRegisterMemcpyD2DAsyncFunc, memcpy_d2d_async_func_t, copy_d2d)
DIOPIRT_REGISTER(diopiRegisterGetLastErrorFunc, get_last_error_string_func_t, last_error)
#undef DIOPIRT_REGISTER

const char* diopirtGetLastErrorString(void) { return diopi::last_error(); }

diopiError_t diopirtLoadLibrary(const char* path, diopirtLibraryHandle_t* library) try {
  const OperatorScope scope("diopirtLoadLibrary");
  DIOPI_REQUIRE(library != nullptr, diopiErrorOccurred, "library is null");
  *library = nullptr;
  DIOPI_REQUIRE(path != nullptr, diopiErrorOccurred, "path is null");
  const std::lock_guard<std::mutex> lock(diopirt::library_mutex);
  return diopirt::load(path, library);
} catch (const std::bad_alloc&) {
  return diopi::fail(diopiErrorOccurred, "diopirtLoadLibrary: out of memory");
}

diopiError_t diopirtUnloadLibrary(diopirtLibraryHandle_t library) {
  const OperatorScope scope("diopirtUnloadLibrary");
  const std::lock_guard<std::mutex> lock(diopirt::library_mutex);
  return diopirt::unload(library);
}

diopiError_t diopirtGetFunction(diopirtLibraryHandle_t library, const char* name, diopirtFunction_t* function) {
  const OperatorScope scope("diopirtGetFunction");
  DIOPI_REQUIRE(function != nullptr, diopiErrorOccurred, "function is null");
  *function = nullptr;
  DIOPI_REQUIRE(library != nullptr && name != nullptr, diopiErrorOccurred, "library or name is null");
  *function = reinterpret_cast<diopirtFunction_t>(dlsym(library->image, name));
  DIOPI_REQUIRE(*function != nullptr, diopiNoImplement, "the library has no %s", name);
  return diopiSuccess;
}

diopiError_t diopirtGetVendorErrorString(diopirtLibraryHandle_t library, const char** message) {
  const OperatorScope scope("diopirtGetVendorErrorString");
  DIOPI_REQUIRE(message != nullptr, diopiErrorOccurred, "message is null");
  *message = nullptr;
  const auto call = diopirt::vendor_of(library).last_error.load();
  DIOPI_REQUIRE(call != nullptr, diopiNoRegisteredGetLastErrorFunction,
                "no function to read the vendor's last error is registered");
  *message = call();
  return diopiSuccess;
}
