// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/fallback/host_library.hpp"

#include <dlfcn.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <initializer_list>

#include "adaptor/entry/own_folder.hpp"

namespace diopi::fallback {

namespace {

constexpr const char* kFile = "diopi/libdiopi_host.so";

struct Opened {
  HostLibrary library;
  char failure[512] = "";
};

std::atomic<const char*> chosen_file{nullptr};

void keep_reason(char (&failure)[512], const char* path) {
  const char* const reason = dlerror();
  if (failure[0] == '\0') std::snprintf(failure, sizeof(failure), "%.400s", reason != nullptr ? reason : path);
}

// Opens the file beside this library, or in the folder above it.
void* open_file(char (&failure)[512]) {
  if (chosen_file.load() != nullptr) {
    void* const handle = dlopen(chosen_file.load(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) keep_reason(failure, chosen_file.load());
    return handle;
  }
  char folder[PATH_MAX];
  if (!find_own_folder(folder)) {
    std::snprintf(failure, sizeof(failure), "the path of this library cannot be told");
    return nullptr;
  }
  for (const char* above : {"", "/.."}) {
    char path[2 * PATH_MAX];
    std::snprintf(path, sizeof(path), "%s%s/%s", folder, above, kFile);
    void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle != nullptr) return handle;
    keep_reason(failure, path);
  }
  return nullptr;
}

template <typename Function>
bool find(void* handle, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(handle, name));
  return *function != nullptr;
}

Opened open_library() {
  Opened opened;
  HostLibrary& library = opened.library;
  library.handle = open_file(opened.failure);
  if (library.handle == nullptr) return opened;
  opened.failure[0] = '\0';
  const char* missing = nullptr;
#define DIOPI_HOST_FIND(name) \
  if (!find(library.handle, #name, &library.name)) missing = #name;
  DIOPI_HOST_FUNCTIONS(DIOPI_HOST_FIND)
#undef DIOPI_HOST_FIND
  int32_t (*init)() = nullptr;
  if (!find(library.handle, "initLibrary", &init)) missing = "initLibrary";
  if (!find(library.handle, "diopiGetLastErrorString", &library.last_error)) missing = "diopiGetLastErrorString";
  const char* const file = chosen_file.load() != nullptr ? chosen_file.load() : kFile;
  if (missing != nullptr) {
    std::snprintf(opened.failure, sizeof(opened.failure), "%.400s lacks %s", file, missing);
  } else if (init() != 0) {
    std::snprintf(opened.failure, sizeof(opened.failure), "%.200s cannot be initialised: %.250s", file,
                  library.last_error());
  }
  return opened;
}

}  // namespace

void use_host_file(const char* path) { chosen_file.store(path); }

Status host_library(const HostLibrary** library) {
  static const Opened opened = open_library();
  DIOPI_REQUIRE(opened.failure[0] == '\0', diopiErrorOccurred,
                "the library that computes on the host cannot be opened: %s", opened.failure);
  *library = &opened.library;
  return diopiSuccess;
}

Status find_operator(const HostLibrary& library, const char* name, void** function) {
  *function = dlsym(library.handle, name);
  DIOPI_REQUIRE(*function != nullptr, diopiNoImplement, "neither the vendor nor the host library has %s", name);
  return diopiSuccess;
}

}  // namespace diopi::fallback
