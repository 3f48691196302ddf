// SPDX-License-Identifier: BSD-3-Clause
// The memory of a case. A large case has so many sets of its tensors that they do not fit the caches.
#ifndef DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_

#include <cstddef>
#include <vector>

#include "case.hpp"

namespace diopi_bench {

// A block of memory that all cases use one after another, so that the system provides its pages only once.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  char* get(size_t bytes);

 private:
  char* data_ = nullptr;
  size_t bytes_ = 0;
};

struct RotationRule {
  size_t in_cache_bytes = 0;  // cases up to this size stay in the cache: they have one set
  size_t rotated_bytes = 0;   // all sets of larger cases together have at least this size
};

class Buffers {
 public:
  Buffers(const Case& a_case, const RotationRule& rule, Arena& arena);
  const std::vector<Operands>& sets() const { return sets_; }
  size_t set_bytes() const { return set_bytes_; }
  void refill(int set);                                     // restores what calls read and overwrite
  void restore(int set);                                    // restores what calls overwrite; needs `restored`
  void poison_outputs();                                    // those of the first set
  std::vector<double> read(const std::string& name) const;  // elements of the first set; evenly chosen if many

 private:
  void fill(const TensorPlan& plan, const Tensor& tensor) const;
  void fill_set(int set);  // the first contents of all tensors

  const Case& case_;
  std::vector<Operands> sets_;
  std::vector<std::vector<char>> kept_;  // the first contents of tensors that calls read and overwrite
  size_t set_bytes_ = 0;
};

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_
