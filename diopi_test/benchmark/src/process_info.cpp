// SPDX-License-Identifier: BSD-3-Clause
#include "process_info.hpp"

#include <dlfcn.h>

#include <filesystem>
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

void* find_symbol(const std::string& library, const char* symbol) {
  std::error_code error;
  const std::string file = std::filesystem::canonical(library, error).string();
  std::vector<std::string> places = {file};
  for (const std::string& path : mapped_libraries({"omp"})) {
    if (path.rfind(file.substr(0, file.rfind('/') + 1), 0) == 0) places.push_back(path);
  }
  for (const std::string& path : places) {
    void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    void* const address = handle != nullptr ? dlsym(handle, symbol) : nullptr;
    if (handle != nullptr) dlclose(handle);
    if (address != nullptr) return address;
  }
  return nullptr;
}

std::string provider_of(const std::string& library, const char* symbol) {
  void* const address = find_symbol(library, symbol);
  Dl_info info;
  const bool found = address != nullptr && dladdr(address, &info) != 0 && info.dli_fname != nullptr;
  return found ? info.dli_fname : "";
}

}  // namespace diopi_bench
