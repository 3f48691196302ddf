// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/imports.hpp"

#include <dlfcn.h>

#include <climits>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>

#include "adaptor/entry/entry.hpp"
#include "adaptor/entry/num_threads.hpp"
#include "adaptor/entry/own_folder.hpp"

namespace diopi {
namespace {

constexpr int kMaxLibraries = 16;
char message[512];

__attribute__((format(printf, 1, 2))) void report(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(message, sizeof(message), format, arguments);
  va_end(arguments);
  load_failure = message;
}

// Sanitizers end a process that loads a library with RTLD_DEEPBIND.
bool has_sanitizer() {
  for (const char* const name : {"__asan_init", "__tsan_init", "__msan_init"}) {
    if (dlsym(RTLD_DEFAULT, name) != nullptr) return true;
  }
  return false;
}

}  // namespace

void load_imports(const ImportTable& table) noexcept {
  const char* const threads = std::getenv("DIOPI_NUM_THREADS");
  if (!is_num_threads(threads)) {
    return report("DIOPI_NUM_THREADS = %.64s, expected a whole number from 1 to %d", threads, kMostThreads);
  }
  char own_folder[PATH_MAX];
  if (!find_own_folder(own_folder)) return report("the path of this library cannot be told");
  void* handles[kMaxLibraries];
  if (table.num_libraries > kMaxLibraries) return report("the library has more dependencies than it can load");
  // LOCAL: other libraries do not use its symbols. DEEPBIND: it uses the symbols of its own dependencies first.
  const int flags = RTLD_NOW | RTLD_LOCAL | (has_sanitizer() ? 0 : RTLD_DEEPBIND);
  for (int i = 0; i < table.num_libraries; ++i) {
    char path[2 * PATH_MAX];
    std::snprintf(path, sizeof(path), "%s/%s/%s", own_folder, table.folder, table.libraries[i]);
    handles[i] = dlopen(path, flags);
    if (handles[i] == nullptr) return report("a library that this one needs cannot be loaded: %s", dlerror());
  }
  for (int i = 0; i < table.num_imports; ++i) {
    const Import& import = table.imports[i];
    table.functions[i] = dlsym(handles[import.library], import.name);
    if (table.functions[i] == nullptr) {
      return report("%s/%s/%s lacks %s", own_folder, table.folder, table.libraries[import.library], import.name);
    }
  }
}

}  // namespace diopi
