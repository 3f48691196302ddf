// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/engine/host_answer.hpp"

#include <algorithm>
#include <mutex>
#include <vector>

namespace impl::cuda {

namespace {

// Words that no call uses. The memory is kept until the process ends.
struct FreeWords {
  std::mutex mutex;
  std::vector<int64_t*> words;
};

FreeWords& free_words() {
  static FreeWords words;
  return words;
}

Status allocate_words(std::vector<int64_t*>* words) {
  constexpr size_t kAnswers = 64;
  void* memory = nullptr;
  words->reserve(words->size() + kAnswers);
  DIOPI_TRY(checked(cudaHostAlloc(&memory, kAnswers * HostAnswer::kWords * sizeof(int64_t),
                                  cudaHostAllocPortable | cudaHostAllocMapped),
                    "cudaHostAlloc"));
  for (size_t i = 0; i < kAnswers; ++i) words->push_back(static_cast<int64_t*>(memory) + i * HostAnswer::kWords);
  return diopiSuccess;
}

}  // namespace

Status HostAnswer::take(diopiContextHandle_t ctx) {
  DIOPI_TRY(stream_of(ctx, &stream_));
  DIOPI_TRY(refuse_capture(stream_, kWaits));
  FreeWords& all = free_words();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (all.words.empty()) DIOPI_TRY(allocate_words(&all.words));
  words_ = all.words.back();
  all.words.pop_back();
  std::fill_n(words_, kWords, 0);
  return diopiSuccess;
}

Status HostAnswer::wait() {
  DIOPI_TRY(checked(cudaStreamSynchronize(stream_), "waiting for the stream"));
  pending_ = false;
  return diopiSuccess;
}

// Words to which a kernel may still write are not used again.
HostAnswer::~HostAnswer() {
  if (words_ == nullptr || pending_) return;
  FreeWords& all = free_words();
  const std::lock_guard<std::mutex> lock(all.mutex);
  all.words.push_back(words_);
}

}  // namespace impl::cuda
