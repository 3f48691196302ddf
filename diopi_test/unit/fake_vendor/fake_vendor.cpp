// SPDX-License-Identifier: BSD-3-Clause
// A vendor's library for tests of loading. It counts calls, and fails to initialise if the environment requests it.
#include <diopi/diopi_register.h>
#include <diopi/functions.h>

#include <cstdlib>

namespace {

int initialisations = 0;
int finalisations = 0;

void* allocate(uint64_t bytes) { return std::malloc(bytes); }
void release(void* memory) { std::free(memory); }
const char* last_error() { return "said by the fake vendor"; }

}  // namespace

extern "C" {

int32_t initLibrary(void) {
  if (std::getenv("FAKE_VENDOR_FAILS") != nullptr) return 42;
  ++initialisations;
  diopiRegisterDeviceMallocFunc(allocate);
  diopiRegisterDevMemFreeFunc(release);
  diopiRegisterGetLastErrorFunc(last_error);
  return 0;
}

int32_t finalizeLibrary(void) {
  ++finalisations;
  return 0;
}

const char* diopiGetVendorName(void) { return "fake"; }

int fake_vendor_initialisations(void) { return initialisations; }
int fake_vendor_finalisations(void) { return finalisations; }
}
