// SPDX-License-Identifier: BSD-3-Clause
// An ordered list of implementations: the first that accepts the call runs, unless an environment variable names one.
#ifndef IMPL_CPU_ENGINE_CANDIDATES_HPP_
#define IMPL_CPU_ENGINE_CANDIDATES_HPP_

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "impl/common/error.hpp"

namespace impl::cpu {

// The reason why a candidate cannot run; null if it ran. A candidate that declines has written nothing.
using SkipReason = const char*;

template <typename Problem>
struct Candidate {
  const char* name;
  SkipReason (*run)(const Problem& problem, diopi::Status* status);
};

// The choice that an environment variable forces. The variable is read once, because reading it while another thread
// writes it is not safe.
class Forced {
 public:
  explicit Forced(const char* variable) : variable_(variable), name_(std::getenv(variable)) {
    if (name_ != nullptr && *name_ == '\0') name_ = nullptr;
  }
  const char* variable() const { return variable_; }
  // Null if no candidate is forced.
  const char* name() const { return name_; }
  bool is(const char* name) const { return name_ != nullptr && std::strcmp(name_, name) == 0; }

 private:
  const char* variable_;
  const char* name_;
};

namespace detail {

template <typename Problem, size_t N>
diopi::Status unknown_candidate(const Forced& forced, const Candidate<Problem> (&list)[N]) {
  char names[160] = "";
  size_t used = 0;
  for (size_t i = 0; i < N && used < sizeof(names); ++i) {
    bool repeated = false;  // the list may have a candidate twice, for different sizes
    for (size_t j = 0; j < i; ++j) repeated = repeated || std::strcmp(list[j].name, list[i].name) == 0;
    if (repeated) continue;
    used +=
        static_cast<size_t>(std::snprintf(names + used, sizeof(names) - used, i == 0 ? "%s" : ", %s", list[i].name));
  }
  return diopi::fail(diopiErrorOccurred, "%s = %s is none of %s", forced.variable(), forced.name(), names);
}

}  // namespace detail

// Runs the first candidate of `list` that does not decline, or only the forced one.
template <typename Problem, size_t N>
diopi::Status run_candidates(const Forced& forced, const Candidate<Problem> (&list)[N], const Problem& problem) {
  diopi::Status status;
  SkipReason reason = nullptr;
  bool known = forced.name() == nullptr;
  for (const Candidate<Problem>& candidate : list) {
    if (forced.name() != nullptr && !forced.is(candidate.name)) continue;
    known = true;
    reason = candidate.run(problem, &status);
    if (reason == nullptr) return status;
  }
  if (!known) return detail::unknown_candidate(forced, list);
  if (forced.name() != nullptr) {
    return diopi::fail(diopiErrorOccurred, "%s = %s, which declines: %s", forced.variable(), forced.name(), reason);
  }
  return diopi::fail(diopiErrorOccurred, "no implementation can compute this call; the last one declines: %s", reason);
}

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_CANDIDATES_HPP_
