// SPDX-License-Identifier: BSD-3-Clause
// Runs one case: buffers, calls, comparison of results, samples.
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

// The number of threads of the triad, and the memory of the triad or of the copy on the device.
struct TriadPlan {
  int threads = 1;
  Memory* memory = nullptr;
};

// Returns the result for bench.py: the samples of each side, or the reason why there are none. The first side is ours.
nlohmann::json run_case(const Case& a_case, Library& library, const std::vector<NamedPeer>& sides,
                        const RotationRule& rule, const SamplePlan& plan, Memory& memory, const TriadPlan& triad);

// Measures a side's first call in this process, its second, and a warm one. The first call includes the side's
// preparations.
nlohmann::json run_first_call(const Case& a_case, Library& library, const NamedPeer& side, Memory& memory);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_RUN_CASE_HPP_
