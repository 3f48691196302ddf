// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/output.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>

#include "adaptor/layer/settings.hpp"

namespace diopi::layer {

void note(const char* format, ...) {
  char text[1500];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  static std::mutex mutex;
  static auto* const written = new std::set<std::string>;  // never destroyed: notes may come at any time
  const std::lock_guard<std::mutex> lock(mutex);
  if (written->size() < 1000 && written->insert(text).second) std::fprintf(stderr, "diopi-layer: %s\n", text);
}

const std::string& run_folder() {
  static std::mutex mutex;
  static auto* const folders = new std::map<pid_t, std::string>;  // a process after a fork has a folder of its own
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [found, is_new] = folders->try_emplace(getpid());
  std::string& path = found->second;
  if (!is_new) return path;
  path = settings().folder + "/" + std::to_string(getpid());
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    note("nothing can be written to %s: %s", path.c_str(), error.message().c_str());
    path.clear();
  }
  return path;
}

bool reserve_disk(int64_t bytes) {
  static std::atomic<int64_t> used{0};
  if (used.fetch_add(bytes) + bytes <= settings().disk) return true;
  note("the limit of %lld bytes on disk is reached (DIOPI_LAYER_DISK); nothing more is written",
       static_cast<long long>(settings().disk));
  return false;
}

bool cannot_write(const std::string& path) {
  static std::atomic<bool> noted{false};
  if (!noted.exchange(true)) note("%s cannot be written: %s", path.c_str(), std::strerror(errno));
  return false;
}

WriteScope::WriteScope() : signals_(), before_() {
  struct rlimit limit {};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return;
  sigset_t pending;
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGXFSZ);
  blocks_ = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 0 &&
            pthread_sigmask(SIG_BLOCK, &signals_, &before_) == 0;
}

WriteScope::~WriteScope() {
  if (!blocks_) return;
  const int error = errno;
  const struct timespec no_time {};
  while (sigtimedwait(&signals_, nullptr, &no_time) < 0 && errno == EINTR) {
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  errno = error;
}

File::~File() {
  const WriteScope no_signal;
  if (file_ != nullptr) std::fclose(file_);
}

bool File::line(const std::string& text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failed_) return false;
  failed_ = true;
  if (run_folder().empty()) return false;
  const std::string path = run_folder() + "/" + name_;
  if (file_ == nullptr) file_ = std::fopen(path.c_str(), "we");
  if (file_ == nullptr) return cannot_write(path);
  if (!reserve_disk(static_cast<int64_t>(text.size()) + 1)) return false;
  const WriteScope no_signal;
  failed_ = std::fprintf(file_, "%s\n", text.c_str()) < 0 || std::fflush(file_) != 0;
  return !failed_ || cannot_write(path);
}

void Json::begin(const char* key) {
  if (!text_.empty() && text_.back() != '{' && text_.back() != '[') text_ += ", ";
  if (key == nullptr) return;
  text_ += '"';
  text_ += key;
  text_ += "\": ";
}

Json& Json::open(const char* key, char bracket) {
  begin(key);
  text_ += bracket;
  closing_ += bracket == '{' ? '}' : ']';
  return *this;
}

Json& Json::close() {
  text_ += closing_.back();
  closing_.pop_back();
  return *this;
}

Json& Json::add(const char* key, const std::string& text) {
  begin(key);
  text_ += '"';
  for (const char c : text) {
    char escaped[8];
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::snprintf(escaped, sizeof(escaped), "\\u%04x", static_cast<unsigned>(c));
      text_ += escaped;
    } else {
      text_ += c;
    }
  }
  text_ += '"';
  return *this;
}

Json& Json::add(const char* key, int64_t value) {
  begin(key);
  text_ += std::to_string(value);
  return *this;
}

Json& Json::add(const char* key, double value) {
  if (std::isnan(value)) return add(key, "nan");
  if (std::isinf(value)) return add(key, value > 0 ? "inf" : "-inf");
  char text[32];
  std::snprintf(text, sizeof(text), "%.17g", value);
  begin(key);
  text_ += text;
  return *this;
}

Json& Json::add(const char* key, bool value) {
  begin(key);
  text_ += value ? "true" : "false";
  return *this;
}

Json& Json::add_null(const char* key) {
  begin(key);
  text_ += "null";
  return *this;
}

}  // namespace diopi::layer
