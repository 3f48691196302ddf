// SPDX-License-Identifier: BSD-3-Clause
// A parallel region whose begin and end are visible to ThreadSanitizer. libgomp is not built for ThreadSanitizer, so
// the order that OpenMP guarantees (everything before a region happens before its threads start; everything that they
// do happens before the region returns) looks like a race between the threads. Nothing else is annotated: a race
// between two threads of a region is still found.
#ifndef IMPL_COMMON_PARALLEL_TSAN_HPP_
#define IMPL_COMMON_PARALLEL_TSAN_HPP_

#include <sanitizer/tsan_interface.h>

#include "impl/common/openmp.hpp"

namespace diopi::tsan {

template <typename Body>
struct Region {
  const Body* body;
  char end = 0;  // its address represents the end of the region; the Region's address represents the begin

  static void run(void* data) {
    __tsan_acquire(data);
    auto* const region = static_cast<Region*>(data);
    (*region->body)(omp_get_thread_num(), omp_get_num_threads());
    __tsan_release(&region->end);
  }
};

template <typename Body>
void on_each_thread(int chunks, const Body& body) {
  Region<Body> region{&body};
  __tsan_release(&region);
  GOMP_parallel(&Region<Body>::run, &region, static_cast<unsigned>(chunks), 0);
  __tsan_acquire(&region.end);
}

}  // namespace diopi::tsan

#endif  // IMPL_COMMON_PARALLEL_TSAN_HPP_
