// SPDX-License-Identifier: BSD-3-Clause
// Lanes of a warp that meet for a shuffle, a vote or __syncwarp.
#include "block.hpp"
#include "sanitizers.hpp"

namespace diopi::emulation {

namespace {

Gathering& find_gathering(uint32_t mask, Site site) {
  Gathering* const of_warp = &block.gatherings[static_cast<size_t>(current->warp * kGatherings)];
  int& used = block.gatherings_used[current->warp];
  Gathering* unused = nullptr;
  for (int i = 0; i < used; ++i) {
    Gathering& gathering = of_warp[i];
    if (gathering.mask == mask) {  // the same one again, so that its two buffers alternate
      if (gathering.arrived != 0 && (gathering.site.line != site.line || gathering.site.file != site.file)) {
        misuse(site, "lanes of a warp wait for each other at two different places");
      }
      gathering.site = site;
      return gathering;
    }
    if (unused == nullptr && gathering.arrived == 0 && gathering.unread == 0) unused = &gathering;
  }
  if (unused == nullptr) {
    if (used == kGatherings) misuse(site, "the masks of lanes that wait overlap");
    unused = &of_warp[used++];
  }
  unused->mask = mask;
  unused->arrived = unused->unread = 0;
  unused->site = site;
  return *unused;
}

// Waits for the lanes of the mask. Returns the values that they gave.
const uint64_t* meet(uint32_t mask, uint64_t bits, Site site, bool orders_memory) {
  const uint32_t own = 1u << current->lane;
  if ((mask & own) == 0) misuse(site, "a lane calls a warp function with a mask that it is not in");
  if ((mask & ~block.lanes[current->warp]) != 0)
    misuse(site, "a warp function waits for a lane that has ended or does not exist");
  end_reading(*current);
  Gathering& gathering = find_gathering(mask, site);
  block.last_gathering[current->linear] = &gathering;
  gathering.unread |= own;
  const int phase = gathering.phase;
  gathering.values[phase][current->lane] = bits;
  if (orders_memory) happens_before(&gathering.order[phase]);
  gathering.arrived |= own;
  if (gathering.arrived == mask) {
    gathering.arrived = 0;
    gathering.phase ^= 1;
    for (int lane = 0; lane < 32; ++lane) {
      if (((mask & ~own) >> lane & 1) == 0) continue;
      make_ready(block.threads[static_cast<size_t>(current->warp * 32 + lane)].fiber);
    }
  } else {
    leave();
  }
  if (orders_memory) happens_after(&gathering.order[phase]);
  return gathering.values[phase];
}

}  // namespace

void end_reading(const Thread& thread) {
  Gathering*& last = block.last_gathering[thread.linear];
  if (last != nullptr) last->unread &= ~(1u << thread.lane);
  last = nullptr;
}

void sync_warp(uint32_t mask, Site site) { meet(mask, 0, site, true); }

const uint64_t* exchange(uint32_t mask, uint64_t bits, Site site) { return meet(mask, bits, site, false); }

}  // namespace diopi::emulation
