// SPDX-License-Identifier: BSD-3-Clause
#include "process_info.hpp"

#include <dlfcn.h>

#include <fstream>
#include <set>
#include <sstream>

namespace diopi_bench {

std::vector<std::string> mapped_libraries(const std::vector<std::string>& words) {
  std::ifstream maps("/proc/self/maps");
  std::set<std::string> found;
  for (std::string line; std::getline(maps, line);) {
    const size_t slash = line.find('/');
    if (slash == std::string::npos) continue;
    const std::string path = line.substr(slash), file = path.substr(path.rfind('/') + 1);
    for (const std::string& word : words) {
      if (file.find(word) != std::string::npos) found.insert(path);
    }
  }
  return {found.begin(), found.end()};
}

std::string provider_of(const std::string& library, const char* symbol) {
  void* handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return "";
  void* address = dlsym(handle, symbol);
  Dl_info info;
  const bool found = address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  dlclose(handle);
  return found ? info.dli_fname : "";
}

}  // namespace diopi_bench
