// Vector loops of copies, dispatched to the running CPU's target.
#pragma once

#include <cstdint>

namespace impl::cpu {

// dst[i] = src[n - 1 - i] for items of 1, 2, 4, 8 or 16 bytes. The two must not overlap.
void reverse_items(void* dst, const void* src, int64_t item_size, int64_t n);

// dst[i] = the one item at `src`, of 1, 2, 4, 8 or 16 bytes.
void repeat_item(void* dst, const void* src, int64_t item_size, int64_t n);

}  // namespace impl::cpu
