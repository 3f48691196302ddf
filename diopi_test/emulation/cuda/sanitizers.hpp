// SPDX-License-Identifier: BSD-3-Clause
// What the emulation tells sanitizers. Its own files are compiled without ThreadSanitizer: to the sanitizer each CUDA
// thread is a thread, and the emulation's bookkeeping would look like races among them.
#ifndef DIOPI_TEST_EMULATION_CUDA_SANITIZERS_HPP_
#define DIOPI_TEST_EMULATION_CUDA_SANITIZERS_HPP_

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define DIOPI_EMULATION_ASAN 1
#else
#define DIOPI_EMULATION_ASAN 0
#endif

#if defined(DIOPI_EMULATION_UNDER_TSAN)
#include <sanitizer/tsan_interface.h>
#define DIOPI_EMULATION_TSAN 1
#else
#define DIOPI_EMULATION_TSAN 0
#endif

#include <cstddef>

namespace diopi::emulation {

inline constexpr bool kAsan = DIOPI_EMULATION_ASAN != 0;
inline constexpr bool kTsan = DIOPI_EMULATION_TSAN != 0;

inline void allow_access(const void* address, size_t bytes) {
#if DIOPI_EMULATION_ASAN
  __asan_unpoison_memory_region(address, bytes);
#else
  static_cast<void>(address), static_cast<void>(bytes);
#endif
}

inline void forbid_access(const void* address, size_t bytes) {
#if DIOPI_EMULATION_ASAN
  __asan_poison_memory_region(address, bytes);
#else
  static_cast<void>(address), static_cast<void>(bytes);
#endif
}

// Accesses before happens_before(x) happen before those that follow a later happens_after(x).
inline void happens_before(void* place) {
#if DIOPI_EMULATION_TSAN
  __tsan_release(place);
#else
  static_cast<void>(place);
#endif
}

inline void happens_after(void* place) {
#if DIOPI_EMULATION_TSAN
  __tsan_acquire(place);
#else
  static_cast<void>(place);
#endif
}

}  // namespace diopi::emulation

#endif  // DIOPI_TEST_EMULATION_CUDA_SANITIZERS_HPP_
