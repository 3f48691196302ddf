// SPDX-License-Identifier: BSD-3-Clause
// Finds the library below. Under LD_PRELOAD a program may open it with dlopen: then dlopen of this file attaches it and
// returns the handle of the layer, so that the program's dlsym finds the layer's functions.
#include "adaptor/layer/library/library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "adaptor/layer/dispatch.hpp"
#include "adaptor/layer/library/exports.hpp"
#include "adaptor/layer/output.hpp"

namespace diopi::layer {

namespace {

using Open = void* (*)(const char*, int);

struct Library {
  void* handle = nullptr;  // RTLD_NEXT if the program is linked with the library
  void* init = nullptr;
  std::vector<Pointer> functions;
  char path[4096] = "";
  char failure[1024] = "no vendor's library is below the layer: set DIOPI_LAYER_VENDOR to its file";
};

std::recursive_mutex mutex;
std::atomic<const Library*> attached{nullptr};

Library& unattached() {
  static auto* const library = new Library;  // never destroyed: calls may come at any time
  return *library;
}

Open real_dlopen() {
  static const auto function = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
  return function;
}

// The handle of the layer itself.
void* own_handle() {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&find_library), &info) == 0) return nullptr;
  return real_dlopen()(info.dli_fname, RTLD_NOW | RTLD_NOLOAD);
}

// Takes the functions of a library. A library counts if it has initLibrary.
bool attach(void* handle) {
  void* const init = dlsym(handle, "initLibrary");
  if (init == nullptr) return false;
  Library& library = unattached();
  library.functions.clear();
  for (int i = 0; i < kNumFunctions; ++i) {
    library.functions.push_back(reinterpret_cast<Pointer>(dlsym(handle, kFunctions[i].name)));
  }
  Dl_info info;
  if (dladdr(init, &info) != 0 && info.dli_fname != nullptr) {
    std::snprintf(library.path, sizeof(library.path), "%s", info.dli_fname);
  }
  std::snprintf(library.failure, sizeof(library.failure), "%.900s lacks this operator", library.path);
  library.handle = handle;
  library.init = init;
  attached.store(&library);
  connect();
  void* const own = own_handle();
  if (own != nullptr) hide_absent(own);
  return true;
}

const char* file_name(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// Whether a file that the program opens is a vendor's library.
bool is_vendor(const char* path) {
  const char* const name = file_name(path);
  const char* const named = std::getenv("DIOPI_LAYER_VENDOR");
  return std::strncmp(name, "libdiopi_impl", 13) == 0 ||
         (named != nullptr && *named != '\0' && std::strcmp(name, file_name(named)) == 0);
}

void* open_vendor(const char* path, int flags) {
  void* const handle = real_dlopen()(path, flags);
  if (handle == nullptr) return nullptr;
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  const Library* const before = attached.load();
  if (before != nullptr && before->init != dlsym(handle, "initLibrary")) {
    note("%s is not observed, because %s is below the layer already", path, before->path);
    return handle;
  }
  if (before == nullptr && !attach(handle)) return handle;
  void* const own = own_handle();
  return own != nullptr ? own : handle;
}

}  // namespace

Pointer library_function(int index) {
  const Library* const library = attached.load(std::memory_order_relaxed);
  return library != nullptr ? library->functions[static_cast<size_t>(index)] : nullptr;
}

void* library_handle() {
  const Library* const library = attached.load();
  return library != nullptr && library->handle != RTLD_NEXT ? library->handle : nullptr;
}

Pointer library_symbol(const char* name) {
  const Library* const library = attached.load();
  return library != nullptr ? reinterpret_cast<Pointer>(dlsym(library->handle, name)) : nullptr;
}

const char* library_failure() { return unattached().failure; }

const char* library_path() { return unattached().path; }

void find_library() {
  const std::lock_guard<std::recursive_mutex> lock(mutex);
  if (attached.load() != nullptr) return;
  const char* const path = std::getenv("DIOPI_LAYER_VENDOR");
  if (path == nullptr || *path == '\0') {
    attach(RTLD_NEXT);
    return;
  }
  void* const handle = real_dlopen()(path, RTLD_NOW | RTLD_LOCAL);
  Library& library = unattached();
  if (handle == nullptr) {
    const char* const reason = dlerror();
    std::snprintf(library.failure, sizeof(library.failure), "DIOPI_LAYER_VENDOR: %.900s",
                  reason != nullptr ? reason : path);
  } else if (!attach(handle)) {
    std::snprintf(library.failure, sizeof(library.failure), "DIOPI_LAYER_VENDOR: %.900s has no initLibrary", path);
  }
}

}  // namespace diopi::layer

extern "C" __attribute__((visibility("default"))) void* dlopen(const char* path, int flags) {
  using namespace diopi::layer;
  // A jump in place of a call, because the loader asks which library calls dlopen.
  if (path == nullptr || !is_vendor(path)) return real_dlopen()(path, flags);
  return open_vendor(path, flags);
}
