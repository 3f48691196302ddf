// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/prefetch.hpp"

#include <unistd.h>

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace impl::cpu {

namespace {

bool is_amd() {
#if defined(__x86_64__)
  unsigned most = 0, name[3] = {};
  return __get_cpuid(0, &most, &name[0], &name[2], &name[1]) != 0 &&
         std::memcmp(name, "AuthenticAMD", sizeof(name)) == 0;
#else
  return false;
#endif
}

int64_t first_level_cache() {
#if defined(_SC_LEVEL1_DCACHE_SIZE)
  return sysconf(_SC_LEVEL1_DCACHE_SIZE);
#else
  return 0;  // not known
#endif
}

}  // namespace

namespace internal {
bool fetches_ahead = !is_amd();
const bool fetches_rows_near = is_amd() && first_level_cache() >= int64_t{48} * 1024;
}  // namespace internal

diopi::Status choose_prefetching(const char* choice) {
  if (choice == nullptr || *choice == '\0') return diopiSuccess;
  const bool on = std::strcmp(choice, "on") == 0;
  DIOPI_REQUIRE(on || std::strcmp(choice, "off") == 0, diopiErrorOccurred,
                "DIOPI_CPU_PREFETCH = %.32s is neither on nor off", choice);
  internal::fetches_ahead = on;
  return diopiSuccess;
}

}  // namespace impl::cpu
