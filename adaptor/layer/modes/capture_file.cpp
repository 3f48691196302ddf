// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/layer/modes/capture_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "adaptor/layer/output.hpp"

namespace diopi::layer {

namespace {

constexpr int64_t kAlignment = 64;
constexpr int64_t kPage = 4096;

bool is_zero(const char* bytes, int64_t count) {
  return bytes[0] == 0 && std::memcmp(bytes, bytes + 1, static_cast<size_t>(count - 1)) == 0;
}

}  // namespace

CaptureFile::~CaptureFile() {
  if (file_ < 0) return;
  close(file_);
  if (!finished_) unlink(path_.c_str());
}

bool CaptureFile::open() {
  if (file_ >= 0) return true;
  file_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  return file_ >= 0 || cannot_write(path_);
}

bool CaptureFile::write_piece(const char* bytes, int64_t count, int64_t at) {
  if (!reserve_disk(count)) return false;
  const WriteScope no_signal;
  while (count > 0) {
    const ssize_t written = pwrite(file_, bytes, static_cast<size_t>(count), at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return cannot_write(path_);
    bytes += written;
    at += written;
    count -= written;
  }
  return true;
}

int64_t CaptureFile::write(const char* bytes, int64_t count) {
  if (!open()) return -1;
  const int64_t position = (end_ + kAlignment - 1) / kAlignment * kAlignment;
  int64_t begin = 0;  // of bytes that are to be written
  for (int64_t at = 0; at < count; at += kPage) {
    const int64_t size = std::min(kPage, count - at);
    if (!is_zero(bytes + at, size)) continue;
    if (at > begin && !write_piece(bytes + begin, at - begin, position + begin)) return -1;
    begin = at + size;
  }
  if (count > begin && !write_piece(bytes + begin, count - begin, position + begin)) return -1;
  end_ = position + count;
  return position;
}

bool CaptureFile::finish() {
  const WriteScope no_signal;
  if (file_ >= 0 && ftruncate(file_, end_) != 0) return cannot_write(path_);  // a hole at the end belongs to the file
  finished_ = true;
  return true;
}

}  // namespace diopi::layer
