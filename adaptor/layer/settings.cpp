// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/settings.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>

#include "adaptor/layer/modes/modes.hpp"

namespace diopi::layer {

namespace {

class Reader {
 public:
  Reader(const char* (*get)(const char*), std::string* problem) : get_(get), problem_(problem) {}

  void text(const char* name, std::string* value) const {
    const char* const given = get_(name);
    if (given != nullptr) *value = given;
  }

  void number(const char* name, int64_t least, int64_t* value, int64_t most = INT64_MAX) const {
    const char* const given = get_(name);
    if (given == nullptr || *given == '\0') return;
    char* end = nullptr;
    errno = 0;
    const long long read = std::strtoll(given, &end, 10);
    if (errno != 0 || *end != '\0' || read < least || read > most) {
      const std::string end_of_range = most == INT64_MAX ? " on" : " to " + std::to_string(most);
      complain(name, given, "a whole number from " + std::to_string(least) + end_of_range);
      return;
    }
    *value = read;
  }

  // One of two words.
  void choice(const char* name, const char* no, const char* yes, bool* value) const {
    const char* const given = get_(name);
    if (given == nullptr || *given == '\0') return;
    if (std::strcmp(given, no) != 0 && std::strcmp(given, yes) != 0) {
      complain(name, given, std::string(no) + " or " + yes);
      return;
    }
    *value = std::strcmp(given, yes) == 0;
  }

  void complain(const char* name, const std::string& given, const std::string& expected) const {
    if (problem_->empty()) *problem_ = std::string(name) + " = " + given + ", expected " + expected;
  }

 private:
  const char* (*get_)(const char*);
  std::string* problem_;
};

}  // namespace

Settings read_settings(const char* (*get)(const char* name)) {
  Settings read;
  const Reader reader(get, &read.problem);
  std::string names;
  reader.text("DIOPI_LAYER", &names);
  std::stringstream words(names);
  for (std::string word; std::getline(words, word, ',');) {
    if (word.empty()) continue;
    const bool repeated = std::find(read.modes.begin(), read.modes.end(), word) != read.modes.end();
    if (is_mode(word)) {
      if (!repeated) read.modes.push_back(word);
    } else {
      reader.complain("DIOPI_LAYER", word, mode_names());
    }
  }
  reader.text("DIOPI_LAYER_OPS", &read.operators);
  reader.text("DIOPI_LAYER_EXCEPT", &read.except);
  reader.text("DIOPI_LAYER_FALLBACK_OPS", &read.fallback_operators);
  reader.text("DIOPI_LAYER_REFERENCE", &read.reference);
  reader.text("DIOPI_LAYER_OUT", &read.folder);
  if (read.folder.empty()) read.folder = "diopi-layer";
  reader.number("DIOPI_LAYER_EVERY", 1, &read.every);
  reader.number("DIOPI_LAYER_FIRST", 1, &read.first);
  reader.number("DIOPI_LAYER_MEMORY", 0, &read.memory);
  reader.number("DIOPI_LAYER_DISK", 0, &read.disk);
  reader.number("DIOPI_LAYER_TRACE_LEVEL", 1, &read.trace_level, 3);
  reader.choice("DIOPI_LAYER_TRACE_FORMAT", "text", "json", &read.trace_json);
  reader.choice("DIOPI_LAYER_SYNC", "0", "1", &read.synchronise);
  reader.choice("DIOPI_LAYER_REFUSE", "0", "1", &read.refuse);
  const bool checks = std::find(read.modes.begin(), read.modes.end(), "contract") != read.modes.end();
  if (read.refuse && !checks) reader.complain("DIOPI_LAYER_REFUSE", "1", "the mode contract in DIOPI_LAYER");
  return read;
}

const Settings& settings() {
  static const auto* const read =
      new Settings(read_settings(+[](const char* name) -> const char* { return std::getenv(name); }));
  return *read;
}

}  // namespace diopi::layer
