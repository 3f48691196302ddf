// SPDX-License-Identifier: BSD-3-Clause
// Which libraries this process has, and whose OpenMP each side has got.
#ifndef DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_

#include <string>
#include <vector>

namespace diopi_bench {

// Files mapped into the process whose name contains one of the words, once each.
std::vector<std::string> mapped_libraries(const std::vector<std::string>& words);

// The file in which a library, loaded already, finds `symbol`; empty where it does not.
std::string provider_of(const std::string& library, const char* symbol);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_
