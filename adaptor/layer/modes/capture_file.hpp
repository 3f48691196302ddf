// SPDX-License-Identifier: BSD-3-Clause
// The file with the bytes of one captured call.
#ifndef ADAPTOR_LAYER_MODES_CAPTURE_FILE_HPP_
#define ADAPTOR_LAYER_MODES_CAPTURE_FILE_HPP_

#include <cstdint>
#include <string>

namespace diopi::layer {

// The first piece creates the file. A file that is not finished is removed.
class CaptureFile {
 public:
  explicit CaptureFile(std::string path) : path_(static_cast<std::string&&>(path)) {}
  ~CaptureFile();
  CaptureFile(const CaptureFile&) = delete;
  CaptureFile& operator=(const CaptureFile&) = delete;

  // Writes bytes at a multiple of 64 and returns the position; -1, after a note, if that fails. Pages of zeros become
  // holes.
  int64_t write(const char* bytes, int64_t count);
  bool is_empty() const { return file_ < 0; }
  // Keeps the file; false, after a note, if that fails.
  bool finish();

 private:
  bool open();
  bool write_piece(const char* bytes, int64_t count, int64_t at);

  const std::string path_;
  int file_ = -1;
  int64_t end_ = 0;
  bool finished_ = false;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_MODES_CAPTURE_FILE_HPP_
