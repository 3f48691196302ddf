// SPDX-License-Identifier: BSD-3-Clause
// The tensors of a case. A large case has so many sets of its tensors that they do not fit the caches.
#ifndef DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_

#include <cstddef>
#include <vector>

#include "case.hpp"
#include "memory.hpp"

namespace diopi_bench {

struct RotationRule {
  size_t in_cache_bytes = 0;  // cases up to this size stay in the cache: they have one set
  size_t rotated_bytes = 0;   // all sets of larger cases together have at least this size
};

class Buffers {
 public:
  Buffers(const Case& a_case, const RotationRule& rule, Memory& memory);
  const std::vector<Operands>& sets() const { return sets_; }
  size_t set_bytes() const { return set_bytes_; }
  void refill(int set);                               // restores what calls read and overwrite
  void restore(int set);                              // restores what calls overwrite; needs `restored`
  void poison_outputs();                              // those of the first set
  std::vector<double> read(const std::string& name);  // elements of the first set; evenly chosen if many

 private:
  // Lets `make` write a tensor's memory: at once, or in memory of the host that is then copied to the device.
  void make(const Tensor& tensor, const std::function<void(const Tensor&)>& make);
  void fill(const TensorPlan& plan, const Tensor& tensor) const;  // `tensor` is on the host
  void fill_set(int set);                                         // the first contents of all tensors

  const Case& case_;
  Memory& memory_;
  std::vector<char> staged_;  // a tensor's memory on its way to the device
  std::vector<Operands> sets_;
  std::vector<std::vector<char>> kept_;  // the first contents of tensors that calls read and overwrite
  size_t set_bytes_ = 0;
};

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_BUFFERS_HPP_
