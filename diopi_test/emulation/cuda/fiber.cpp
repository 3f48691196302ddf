// SPDX-License-Identifier: BSD-3-Clause
#include "fiber.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

#include "sanitizers.hpp"

// Stores the registers that a call preserves, exchanges the stacks, and loads the registers.
extern "C" void diopi_emulation_switch(void** from, void* to);
#if defined(__x86_64__)
asm(R"(.text
.hidden diopi_emulation_switch
.globl diopi_emulation_switch
.type diopi_emulation_switch,@function
diopi_emulation_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size diopi_emulation_switch,.-diopi_emulation_switch
)");
constexpr size_t kReturnAddressWord = 6;
constexpr size_t kFrameWords = 8;  // six registers, the return address, and the return address of the entry
#elif defined(__aarch64__)
asm(R"(.text
.hidden diopi_emulation_switch
.globl diopi_emulation_switch
.type diopi_emulation_switch,%function
diopi_emulation_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size diopi_emulation_switch,.-diopi_emulation_switch
)");
constexpr size_t kReturnAddressWord = 11;
constexpr size_t kFrameWords = 20;
#else
#error "The emulation of CUDA switches stacks with code for x86-64 and AArch64."
#endif

namespace diopi::emulation {

Fiber host_fiber;
Fiber* running = &host_fiber;

namespace {

constexpr size_t kPage = 4096;
constexpr size_t kStackBytes = kAsan || kTsan ? 256 << 10 : 64 << 10;

#if DIOPI_EMULATION_ASAN
const void* host_stack_bottom;
size_t host_stack_bytes;
#endif

// The stacks begin at different places of a page: the tops of a thousand stacks would otherwise share their cache sets.
size_t stack_offset() {
  static size_t count = 0;
  return ++count * 448 % (kStackBytes / 4) / 16 * 16;
}

}  // namespace

void begin_fibers() {
  running = &host_fiber;
#if DIOPI_EMULATION_TSAN
  host_fiber.sanitizer = __tsan_get_current_fiber();
#endif
}

Fiber* make_fiber(void (*entry)()) {
  void* const pages =
      mmap(nullptr, kPage + kStackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  mprotect(pages, kPage, PROT_NONE);  // an overflow of the stack faults
  auto* const fiber = new Fiber;
  fiber->stack = static_cast<char*>(pages) + kPage;
  allow_access(fiber->stack, kStackBytes);
  // On x86-64 a function begins with a stack pointer that is a multiple of 16 plus 8; on AArch64 it is a multiple
  // of 16.
  void** const top = reinterpret_cast<void**>(fiber->stack + kStackBytes - 64 - stack_offset()) - kFrameWords;
  std::memset(top, 0, kFrameWords * sizeof(void*));
  top[kReturnAddressWord] = reinterpret_cast<void*>(entry);
  fiber->stack_pointer = top;
#if DIOPI_EMULATION_TSAN
  fiber->sanitizer = __tsan_create_fiber(0);
#endif
  return fiber;
}

void destroy_fiber(Fiber* fiber) {
#if DIOPI_EMULATION_TSAN
  __tsan_destroy_fiber(fiber->sanitizer);
#endif
  munmap(fiber->stack - kPage, kPage + kStackBytes);
  delete fiber;
}

void fiber_began() {
#if DIOPI_EMULATION_ASAN
  // The first switch of all leaves the host's stack, whose place is learnt here.
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
  if (host_stack_bottom == nullptr) host_stack_bottom = bottom, host_stack_bytes = bytes;
#endif
}

void switch_to(Fiber* fiber) {
  Fiber* const from = running;
  running = fiber;
#if DIOPI_EMULATION_TSAN
  __tsan_switch_to_fiber(fiber->sanitizer, __tsan_switch_to_fiber_no_sync);
#endif
#if DIOPI_EMULATION_ASAN
  const bool host = fiber->stack == nullptr;
  __sanitizer_start_switch_fiber(&from->sanitizer, host ? host_stack_bottom : fiber->stack,
                                 host ? host_stack_bytes : kStackBytes);
#endif
  diopi_emulation_switch(&from->stack_pointer, fiber->stack_pointer);
#if DIOPI_EMULATION_ASAN
  const void* bottom = nullptr;
  size_t bytes = 0;
  __sanitizer_finish_switch_fiber(from->sanitizer, &bottom, &bytes);
#endif
  current = from->thread;
}

}  // namespace diopi::emulation
