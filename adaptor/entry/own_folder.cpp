// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/own_folder.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

namespace diopi {

bool find_own_folder(char (&folder)[PATH_MAX]) noexcept {
  Dl_info info;
  if (dladdr(reinterpret_cast<const void*>(&find_own_folder), &info) == 0 ||
      realpath(info.dli_fname, folder) == nullptr) {
    return false;
  }
  char* const slash = std::strrchr(folder, '/');
  if (slash != nullptr) *slash = '\0';
  return slash != nullptr;
}

}  // namespace diopi
