// SPDX-License-Identifier: BSD-3-Clause
// The files of a run, and one-line notes for the user.
#ifndef ADAPTOR_LAYER_OUTPUT_HPP_
#define ADAPTOR_LAYER_OUTPUT_HPP_

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>

namespace diopi::layer {

// Writes one line to the standard error output, beginning with `diopi-layer: `. A text that was written before is not
// written again.
void note(const char* format, ...) __attribute__((format(printf, 1, 2)));

// The folder of this process, <DIOPI_LAYER_OUT>/<process>, which the first call creates; empty if that fails, after a
// note.
const std::string& run_folder();

// Reserves bytes of the disk that the layer may use; false, after a note, if they exceed the limit.
bool reserve_disk(int64_t bytes);

// Notes that a file cannot be written, with the reason in errno. Only the first failure of the process is noted: if the
// disk is full, others follow. Returns false.
bool cannot_write(const std::string& path);

// Holds back the signal that ends a process at its limit of file sizes (ulimit -f), so that the write fails with an
// error.
class WriteScope {
 public:
  WriteScope();
  ~WriteScope();
  WriteScope(const WriteScope&) = delete;
  WriteScope& operator=(const WriteScope&) = delete;

 private:
  bool blocks_ = false;
  sigset_t signals_, before_;
};

// A file in the folder of the run. Lines are written at once, so that they survive a crash of the program.
class File {
 public:
  explicit File(const char* name) : name_(name) {}
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  // Appends a line; several threads may do so. The first line creates the file. After a failure, which is noted once,
  // nothing is written.
  bool line(const std::string& text);

 private:
  std::mutex mutex_;
  const char* const name_;
  std::FILE* file_ = nullptr;
  bool failed_ = false;
};

// An object or a list in JSON. Keys and values are added in the order of the calls.
class Json {
 public:
  Json& open(const char* key = nullptr, char bracket = '{');
  Json& close();
  Json& add(const char* key, const std::string& text);
  Json& add(const char* key, const char* text) { return add(key, std::string(text)); }
  Json& add(const char* key, int64_t value);
  Json& add(const char* key, int value) { return add(key, static_cast<int64_t>(value)); }
  Json& add(const char* key, double value);  // NaN and infinities become the texts "nan", "inf" and "-inf"
  Json& add(const char* key, bool value);
  Json& add_null(const char* key);
  const std::string& text() const { return text_; }

 private:
  void begin(const char* key);

  std::string text_;
  std::string closing_;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_OUTPUT_HPP_
