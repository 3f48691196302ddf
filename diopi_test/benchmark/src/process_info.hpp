// SPDX-License-Identifier: BSD-3-Clause
// Reports the libraries of this process, and the OpenMP library that each side uses.
#ifndef DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_

#include <string>
#include <vector>

namespace diopi_bench {

// Lists the files mapped into the process whose name contains one of the words, each once.
std::vector<std::string> mapped_libraries(const std::vector<std::string>& words);

// Finds a symbol of a loaded library, or of the OpenMP libraries that lie below its folder. Returns null without one.
void* find_symbol(const std::string& library, const char* symbol);

// Returns the file in which a loaded library finds `symbol`; empty if it does not find it.
std::string provider_of(const std::string& library, const char* symbol);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_PROCESS_INFO_HPP_
