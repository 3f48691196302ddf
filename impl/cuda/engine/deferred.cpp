// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/deferred.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

namespace impl::cuda {

// The checks of the calls of one stream since the host last waited, in order, and those of the calls that graphs of the
// stream repeat.
struct StreamChecks {
  static constexpr size_t kMost = 512, kMostCaptured = 1024;

  struct Entry {
    const char* function;
    Refusal refusal;
  };
  cudaStream_t stream = nullptr;
  std::mutex mutex;             // guards the members below
  FirstBad words;               // in pinned memory of the host: kMost and kMostCaptured words, then the flag
  std::vector<Entry> entries;   // the first words are theirs
  std::vector<Entry> captured;  // the words from kMost on are theirs, as long as the stream exists
  int open = 0;                 // checks between begin() and end(): their words must not be given to others

  Status allocate();
  // Adds a check of a call that is captured, and sets where kernels report.
  Status add_captured(const Refusal& refusal, FirstBad* bad);
  // Returns the error of the first failed check and frees all words but those of captured calls. The host has waited.
  Status collect();
  Status wait_and_collect();
};

namespace {

struct AllChecks {
  std::mutex mutex;
  std::vector<std::unique_ptr<StreamChecks>> streams;
};

AllChecks& all_checks() {
  static AllChecks checks;
  return checks;
}

// Null if no call of the stream has made a check. The caller holds the lock.
StreamChecks* find_in(const AllChecks& all, cudaStream_t stream) {
  for (const auto& each : all.streams) {
    if (each->stream == stream) return each.get();
  }
  return nullptr;
}

StreamChecks* find_checks(cudaStream_t stream) {
  AllChecks& all = all_checks();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return find_in(all, stream);
}

// Makes the checks of a stream on first use.
Status checks_of(cudaStream_t stream, StreamChecks** checks) {
  AllChecks& all = all_checks();
  const std::lock_guard<std::mutex> lock(all.mutex);
  *checks = find_in(all, stream);
  if (*checks != nullptr) return diopiSuccess;
  DIOPI_TRY(refuse_capture(stream, kTakesMemory));
  auto made = std::make_unique<StreamChecks>();
  made->stream = stream;
  all.streams.reserve(all.streams.size() + 1);
  DIOPI_TRY(made->allocate());
  *checks = made.get();
  all.streams.push_back(std::move(made));
  return diopiSuccess;
}

// Sets the words of these checks to kNoneBad, and *first, if it is no error yet, to the error of the first that failed.
void take_errors(const std::vector<StreamChecks::Entry>& entries,
                 unsigned long long* words,  // NOLINT(google-runtime-int)
                 Status* first) {
  for (size_t i = 0; i < entries.size(); ++i) {
    const uint64_t seen = words[i];
    if (seen == kNoneBad) continue;
    words[i] = kNoneBad;
    if (!first->ok()) continue;
    const diopi::OperatorScope scope(entries[i].function);
    *first = entries[i].refusal(static_cast<int64_t>(seen >> 32), static_cast<int32_t>(seen));
  }
}

}  // namespace

bool checks_wait() {
  static const bool blocking = [] {
    const char* const text = std::getenv("CUDA_LAUNCH_BLOCKING");
    return text != nullptr && std::strcmp(text, "1") == 0;
  }();
  return blocking;
}

double number_of(int64_t bits) {
  const auto low = static_cast<uint32_t>(bits);
  float number = 0;
  std::memcpy(&number, &low, sizeof(number));
  return static_cast<double>(number);
}

ParameterName::ParameterName(const char* name) {
  std::strncpy(text, name, sizeof(text) - 1);
  text[sizeof(text) - 1] = '\0';
}

Status StreamChecks::allocate() {
  void* memory = nullptr;
  constexpr size_t kBytes = (kMost + kMostCaptured + 1) * sizeof(*words.word);
  DIOPI_TRY(checked(cudaHostAlloc(&memory, kBytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc"));
  std::memset(memory, 0xFF, kBytes);
  words.word = static_cast<unsigned long long*>(memory);
  words.any = words.word + kMost + kMostCaptured;
  return diopiSuccess;
}

Status StreamChecks::add_captured(const Refusal& refusal, FirstBad* bad) {
  const size_t slot = captured.size();
  DIOPI_REQUIRE(slot < kMostCaptured, diopiErrorOccurred,
                "graphs of this stream already check the data of %zu calls; capture the next one from another stream",
                slot);
  captured.push_back({diopi::OperatorScope::current(), refusal});
  *bad = {words.word + kMost + slot, words.any};
  return diopiSuccess;
}

// The flag is reset first: a graph may run on another stream, and report meanwhile.
Status StreamChecks::collect() {
  Status first;
  volatile auto* const any = words.any;
  if (*any != kNoneBad) {
    *any = kNoneBad;
    take_errors(entries, words.word, &first);
    take_errors(captured, words.word + kMost, &first);
  }
  if (open == 0) entries.clear();
  return first;
}

Status StreamChecks::wait_and_collect() {
  DIOPI_TRY(checked(cudaStreamSynchronize(stream), "cudaStreamSynchronize"));
  return collect();
}

Status DeferredCheck::begin(diopiContextHandle_t ctx, const Refusal& refusal) {
  cudaStream_t stream = nullptr;
  DIOPI_TRY(stream_of(ctx, &stream));
  StreamChecks* checks = nullptr;
  DIOPI_TRY(checks_of(stream, &checks));
  bool captured = false;
  DIOPI_TRY(is_captured(stream, &captured));
  const std::lock_guard<std::mutex> lock(checks->mutex);
  if (captured) return checks->add_captured(refusal, &bad_);
  const volatile auto* const any = checks->words.any;
  if (*any != kNoneBad || checks->entries.size() == StreamChecks::kMost) {
    const Status earlier = checks->wait_and_collect();
    DIOPI_REQUIRE(earlier.ok(), earlier, "an earlier call failed: %s", diopi::last_error());
  }
  const size_t slot = checks->entries.size();
  DIOPI_REQUIRE(slot < StreamChecks::kMost, diopiErrorOccurred, "%zu checks of a stream are not finished", slot);
  checks->entries.push_back({diopi::OperatorScope::current(), refusal});
  ++checks->open;
  checks_ = checks;
  bad_ = {checks->words.word + slot, checks->words.any};
  return diopiSuccess;
}

void DeferredCheck::close() {
  if (checks_ == nullptr) return;
  const std::lock_guard<std::mutex> lock(checks_->mutex);
  --checks_->open;
  checks_ = nullptr;
}

Status DeferredCheck::end() {
  StreamChecks* const checks = checks_;
  close();
  if (checks == nullptr || !checks_wait()) return diopiSuccess;
  const std::lock_guard<std::mutex> lock(checks->mutex);
  return checks->wait_and_collect();
}

Status synchronize(cudaStream_t stream) {
  DIOPI_TRY(checked(cudaStreamSynchronize(stream), "cudaStreamSynchronize"));
  StreamChecks* const checks = find_checks(stream);
  if (checks == nullptr) return diopiSuccess;
  const std::lock_guard<std::mutex> lock(checks->mutex);
  return checks->collect();
}

Status forget_checks(cudaStream_t stream) {
  if (find_checks(stream) == nullptr) return diopiSuccess;
  const Status status = synchronize(stream);
  AllChecks& all = all_checks();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const auto found = std::find_if(all.streams.begin(), all.streams.end(),
                                  [stream](const auto& each) { return each->stream == stream; });
  const Status freed = checked(cudaFreeHost((*found)->words.word), "cudaFreeHost");
  all.streams.erase(found);
  return status.ok() ? freed : status;
}

}  // namespace impl::cuda
