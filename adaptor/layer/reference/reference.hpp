// SPDX-License-Identifier: BSD-3-Clause
// The reference library, and a call that it computes on copies of the arguments.
#ifndef ADAPTOR_LAYER_REFERENCE_REFERENCE_HPP_
#define ADAPTOR_LAYER_REFERENCE_REFERENCE_HPP_

#include <vector>

#include "adaptor/entry/fallback/call.hpp"
#include "adaptor/layer/call.hpp"

namespace diopi::layer {

// The path of the reference: DIOPI_LAYER_REFERENCE, or diopi/libdiopi_host.so.
const char* reference_path();

// Whether the reference has an operator; a failure has a message in last_error().
Status find_in_reference(const char* name);

// How the operator uses the tensors of a parameter that the caller made. What the elements are after the call depends
// on what they were before it also for an output that some calls leave as it is: is_read() is true for it.
bool is_read(const Parameter& parameter);
bool is_written(const Parameter& parameter);

class ReferenceCall {
 public:
  // Calls that succeed and reach finish() are counted in `row`, which must outlive this.
  ReferenceCall(const Call& call, fallback::Row* row)
      : call_(call), host_(call.context(), row, fallback::kAsked), arguments_(call.function.num_parameters, -1) {}

  // Copies the arguments; `keep_all`: see fallback::Call.
  Status open(bool keep_all);
  // Calls the reference's operator.
  diopiError_t run();
  // Copies the results to the caller.
  Status finish(diopiError_t status);
  fallback::Call& host() { return host_; }
  // What the operator has stored through a pointer to a number; null if it stores none there.
  const char* number(int parameter) const;
  // The number of a parameter's argument in host(); -1 if it has none.
  int argument(int parameter) const { return arguments_[static_cast<size_t>(parameter)]; }

 private:
  Status announce(int parameter);
  // The copy that stands for a pointer to a number that the operator writes; null if the caller's number is used.
  const void* own_number(int parameter);

  const Call& call_;
  fallback::Call host_;
  Pointer function_ = nullptr;
  bool keeps_all_ = false;
  std::vector<int64_t> numbers_;  // copies of numbers that the operator writes, by parameter
  std::vector<int> arguments_;
  int announced_ = 0;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_REFERENCE_REFERENCE_HPP_
