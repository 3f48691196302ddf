// SPDX-License-Identifier: BSD-3-Clause
// Shared memory of the block that runs. Its bytes are all ones before the first write.
#include <cstring>
#include <memory>
#include <vector>

#include "block.hpp"
#include "sanitizers.hpp"

namespace diopi::emulation {

namespace {

struct Variable {
  const void* key;
  char* data;
};

constexpr size_t kRedzone = 32;                            // NaN after each variable
constexpr size_t kArenaBytes = kSharedLimit + (64 << 10);  // with room for red zones

std::unique_ptr<char[]> arena;
std::vector<std::unique_ptr<char[]>> used_arenas;
std::vector<Variable> variables;
size_t place, used, dynamic_bytes;
char* dynamic;

char* take(size_t bytes, size_t alignment) {
  const size_t step = alignment > 16 ? alignment : 16;
  const auto base = reinterpret_cast<uintptr_t>(arena.get());
  const size_t begin = (base + place + step - 1) / step * step - base;
  used += bytes;
  if (used > kSharedLimit || begin + bytes + kRedzone > kArenaBytes)
    misuse({"", 0}, "a block takes more shared memory than there is");
  place = begin + bytes + kRedzone;
  char* const data = arena.get() + begin;
  allow_access(data, bytes);
  if (!kTsan) std::memset(data, 0xFF, kAsan ? bytes : bytes + kRedzone);
  return data;
}

}  // namespace

// Under ThreadSanitizer each block has memory of its own, which the host fills: a thread that fills it would seem to
// race.
void reset_shared_memory(size_t bytes) {
  if (kTsan && arena != nullptr) used_arenas.push_back(std::move(arena));
  if (arena == nullptr) {
    arena.reset(new char[kArenaBytes]);
    if (kTsan) std::memset(arena.get(), 0xFF, kArenaBytes);
    variables.reserve(256);
  }
  if (place != 0 || kAsan) forbid_access(arena.get(), kArenaBytes);
  variables.clear();
  dynamic_bytes = bytes;
  dynamic = nullptr;
  place = used = 0;
}

void release_shared_memory() { used_arenas.clear(); }

void* shared_variable(const void* key, size_t bytes, size_t alignment) {
  for (const Variable& variable : variables) {
    if (variable.key == key) return variable.data;
  }
  char* const data = take(bytes, alignment);
  variables.push_back({key, data});
  return data;
}

void* dynamic_shared() {
  if (dynamic == nullptr) dynamic = take(dynamic_bytes, 16);
  return dynamic;
}

}  // namespace diopi::emulation
