// SPDX-License-Identifier: BSD-3-Clause
#include "order.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace diopi::emulation {

Order Order::from_environment(uint64_t salt) {
  Order order;
  const char* const text = std::getenv("DIOPI_CUDA_ORDER");
  if (text == nullptr || std::strcmp(text, "forward") == 0) return order;
  if (std::strcmp(text, "reverse") == 0) {
    order.kind_ = kReverse;
    return order;
  }
  char* end = nullptr;
  const uint64_t seed = std::strtoull(text, &end, 10);
  if (end == text || *end != '\0') {
    std::fprintf(stderr, "DIOPI_CUDA_ORDER is '%s'; expected forward, reverse, or a number\n", text);
    std::abort();
  }
  order.kind_ = kRandom;
  order.state_ = ((seed + 1) * 0x9E3779B97F4A7C15u ^ (salt + 1) * 0xD1B54A32D192ED03u) | 1;
  for (int i = 0; i < 4; ++i) order.below(2);
  return order;
}

BlockOrder::BlockOrder(Order* order, uint64_t blocks) : blocks_(blocks) {
  if (order->kind() == Order::kForward || blocks < 2) return;
  if (order->is_random() && blocks <= INT32_MAX) {
    const auto count = static_cast<uint32_t>(blocks);
    first_ = order->below(count);
    do step_ = 1 + order->below(count - 1);
    while (std::gcd(step_, blocks) != 1);
  } else {
    first_ = step_ = blocks - 1;
  }
}

}  // namespace diopi::emulation
