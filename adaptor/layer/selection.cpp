// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/selection.hpp"

#include <atomic>
#include <memory>
#include <regex>
#include <sstream>
#include <vector>

#include "adaptor/layer/function.hpp"
#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

namespace {

std::vector<std::regex> compile(const std::string& patterns) {
  std::vector<std::regex> compiled;
  std::stringstream words(patterns);
  for (std::string word; std::getline(words, word, ',');) {
    if (!word.empty()) compiled.emplace_back(word, std::regex::ECMAScript | std::regex::optimize);
  }
  return compiled;
}

}  // namespace

std::string pattern_problem(const std::string& patterns) {
  try {
    compile(patterns);
  } catch (const std::regex_error& error) {
    return "'" + patterns + "' is no list of regular expressions: " + error.what();
  }
  return "";
}

bool matches(const std::string& patterns, const char* name) {
  for (const std::regex& pattern : compile(patterns)) {
    if (std::regex_match(name, pattern)) return true;
  }
  return false;
}

bool is_selected(const char* name) {
  const Settings& given = settings();
  if (!given.except.empty() && matches(given.except, name)) return false;
  return given.operators.empty() || matches(given.operators, name);
}

bool counts_calls() {
  static const bool counts = [] {
    const Settings& given = settings();
    const bool only_time = given.modes.size() == 1 && given.modes[0] == "time";
    return given.every != 1 || given.first != INT64_MAX || !only_time;
  }();
  return counts;
}

int64_t count_call(int index) {
  static auto* const counts = new std::vector<std::atomic<int64_t>>(static_cast<size_t>(kNumFunctions));
  return counts->at(static_cast<size_t>(index)).fetch_add(1, std::memory_order_relaxed) + 1;
}

bool is_chosen(int64_t number_of_operator) {
  const Settings& given = settings();
  return (number_of_operator - 1) % given.every == 0 && (number_of_operator - 1) / given.every < given.first;
}

}  // namespace diopi::layer
