// SPDX-License-Identifier: BSD-3-Clause
// The struct that a context handle points to.
#ifndef RUNTIME_CONTEXT_HPP_
#define RUNTIME_CONTEXT_HPP_

#include <diopirt_host.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "runtime/storage.hpp"
#include "runtime/tensor.hpp"

struct diopiContext {
  diopirt::Vendor* vendor = nullptr;

  std::atomic<bool> has_stream{false};  // read without the lock
  bool owns_stream = false;
  diopiStreamHandle_t stream = nullptr;

  std::mutex mutex;  // guards all members below, and the creation of the stream
  bool caching = true;
  std::vector<diopiTensor*> owned;  // required through this context and not yet cleared
  std::vector<diopiTensor*> spare;  // handles for reuse
  diopirt::FreeList idle[2];        // storages for reuse, by device
  diopirtContextStatistics_t counts{};
};

namespace diopirt {

// Creates the stream on first use.
Status context_stream(diopiContext* ctx, diopiStreamHandle_t* stream);

// Calls `visit(context, argument)` for each live context, while that is locked.
void visit_contexts(void (*visit)(diopiContext*, void*), void* argument);

}  // namespace diopirt

#endif  // RUNTIME_CONTEXT_HPP_
