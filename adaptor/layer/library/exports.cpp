// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/library/exports.hpp"

#include <dlfcn.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#include "adaptor/layer/function.hpp"
#include "adaptor/layer/library/library.hpp"

namespace diopi::layer {

namespace {

// The loader takes a symbol of the value 0 for undefined and continues its search.
void hide(ElfW(Sym) * symbol) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = reinterpret_cast<uintptr_t>(symbol) & ~(page - 1);
  const uintptr_t end = reinterpret_cast<uintptr_t>(symbol + 1);
  auto* const pages = reinterpret_cast<void*>(begin);  // NOLINT(performance-no-int-to-ptr): an address of this library
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) return;
  symbol->st_value = 0;
  mprotect(pages, end - begin, PROT_READ);
}

void hide(void* own, const char* name) {
  void* const address = dlsym(own, name);
  Dl_info info;
  void* symbol = nullptr;
  if (address == nullptr || dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return;
  auto* const found = static_cast<ElfW(Sym)*>(symbol);
  if (info.dli_saddr == address) hide(found);
}

}  // namespace

void hide_absent(void* own) {
  for (int i = 0; i < kNumFunctions; ++i) {
    if (library_function(i) == nullptr) hide(own, kFunctions[i].name);
  }
  constexpr const char* kOthers[] = {"diopiGetVendorName", "diopiGetImplVersion", "diopiGetLastErrorString",
                                     "diopiGetFallbacks", "diopiSupports"};
  for (const char* name : kOthers) {
    if (library_symbol(name) == nullptr) hide(own, name);
  }
}

}  // namespace diopi::layer
