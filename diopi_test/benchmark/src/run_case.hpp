// SPDX-License-Identifier: BSD-3-Clause
// One case: buffers, calls, comparison of results, samples.
#ifndef DIOPI_TEST_BENCHMARK_SRC_RUN_CASE_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_RUN_CASE_HPP_

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

#include "buffers.hpp"
#include "library.hpp"
#include "sampler.hpp"

namespace diopi_bench {

struct NamedPeer {
  std::string name;
  Peer* peer = nullptr;
};

// Threads of the triad, and the memory it goes through.
struct TriadPlan {
  int threads = 1;
  Arena* arena = nullptr;
};

// The result as bench.py reads it: for each side its samples, or why there are none. The first side is ours.
nlohmann::json run_case(const Case& a_case, Library& library, const std::vector<NamedPeer>& sides,
                        const RotationRule& rule, const SamplePlan& plan, Arena& arena, const TriadPlan& triad);

// The time of a side's first call in this process, of its second, and of a warm one. The first includes what the side
// prepares for it.
nlohmann::json run_first_call(const Case& a_case, Library& library, const NamedPeer& side, Arena& arena);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_RUN_CASE_HPP_
