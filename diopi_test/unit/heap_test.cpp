// SPDX-License-Identifier: BSD-3-Clause
// libdiopi_layer_heap.so: which memory belongs to which call.
#include "adaptor/layer/heap/heap.hpp"

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using diopi::layer::HeapMark;
using diopi::layer::HeapPiece;

const int one = 0, two = 0;  // stand for operators

// Bytes by call of the pieces under a mark of `function`.
std::map<int64_t, uint64_t> pieces_of(const void* function) {
  struct Found {
    const void* function;
    std::map<int64_t, uint64_t> bytes;
  } found{function, {}};
  const auto add = [](const HeapPiece& piece, void* data) {
    auto* const to = static_cast<Found*>(data);
    if (piece.mark.function == to->function) to->bytes[piece.mark.call] += piece.bytes;
  };
  diopi_layer_heap.visit(add, &found);
  return found.bytes;
}

// Runs `work` under a mark. The pointer passes through memory, so that the compiler removes no allocation.
template <typename Work>
void* under(HeapMark mark, Work&& work) {
  const HeapMark before = diopi_layer_heap.mark(mark);
  void* volatile const memory = work();
  diopi_layer_heap.mark(before);
  return memory;
}

TEST(Heap, memory_belongs_to_the_call_that_allocated_it) {
  void* const unmarked = under({}, [] { return std::malloc(50); });
  void* const first = under({&one, 1}, [] { return std::malloc(100); });
  void* const second = under({&one, 2}, [] { return std::calloc(3, 7); });
  void* const third = under({&two, 3}, [] { return std::aligned_alloc(64, 128); });
  EXPECT_EQ(pieces_of(&one), (std::map<int64_t, uint64_t>{{1, 100}, {2, 21}}));
  EXPECT_EQ(pieces_of(&two), (std::map<int64_t, uint64_t>{{3, 128}}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(third) % 64, 0u);
  for (void* const memory : {unmarked, first, second, third}) std::free(memory);
  EXPECT_TRUE(pieces_of(&one).empty() && pieces_of(&two).empty());
}

TEST(Heap, every_way_to_allocate_is_seen) {
  void* posix = nullptr;
  const std::vector<void*> all = {
      under({&one, 1}, [] { return ::operator new(10); }),
      under({&one, 2}, [] { return ::operator new[](128, std::align_val_t(128)); }),
      under({&one, 3}, [] { return std::realloc(nullptr, 30); }),
      under({&one, 4}, [] { return memalign(32, 40); }),
      under({&one, 5},
            [&] {
              EXPECT_EQ(posix_memalign(&posix, 4096, 50), 0);
              return posix;
            }),
      under({&one, 6}, [] { return strdup("twenty bytes of text"); }),
  };
  EXPECT_EQ(pieces_of(&one), (std::map<int64_t, uint64_t>{{1, 10}, {2, 128}, {3, 30}, {4, 40}, {5, 50}, {6, 21}}));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(posix) % 4096, 0u);
  EXPECT_EQ(posix_memalign(&posix, 3, 50), EINVAL);
  ::operator delete(all[0]);
  ::operator delete[](all[1], std::align_val_t(128));
  for (size_t i = 2; i < all.size(); ++i) std::free(all[i]);
  EXPECT_TRUE(pieces_of(&one).empty());
}

TEST(Heap, memory_that_grows_keeps_its_content_and_its_call) {
  void* memory = under({&one, 1}, [] { return std::malloc(5); });
  std::memcpy(memory, "abcd", 5);
  for (size_t bytes = 10; bytes < 1000000; bytes *= 10) {
    memory = under({}, [&] { return std::realloc(memory, bytes); });
    EXPECT_EQ(pieces_of(&one), (std::map<int64_t, uint64_t>{{1, bytes}}));
    EXPECT_STREQ(static_cast<const char*>(memory), "abcd");
  }
  memory = under({&two, 2}, [&] { return std::realloc(memory, 7); });
  EXPECT_TRUE(pieces_of(&one).empty());
  EXPECT_EQ(pieces_of(&two), (std::map<int64_t, uint64_t>{{2, 7}}));
  std::free(memory);
  EXPECT_TRUE(pieces_of(&two).empty());
}

TEST(Heap, an_object_that_was_asked_about_is_known_when_it_ends) {
  void* volatile object = under({}, [] { return std::malloc(200); });  // volatile: the compiler does not follow it
  EXPECT_FALSE(diopi_layer_heap.has_ended(object));
  EXPECT_FALSE(diopi_layer_heap.has_ended(object));
  std::free(object);
  EXPECT_TRUE(diopi_layer_heap.has_ended(object));
  std::vector<void*> others;
  others.reserve(100);
  for (int i = 0; i < 100; ++i) others.push_back(under({}, [] { return std::malloc(200); }));
  for (void* const other : others) {
    EXPECT_NE(other, object);
    std::free(other);
  }
  EXPECT_TRUE(diopi_layer_heap.has_ended(object));
  EXPECT_FALSE(diopi_layer_heap.has_ended(nullptr));
}

TEST(Heap, threads_free_what_others_allocated) {
  constexpr int kPieces = 5000;
  std::mutex mutex;
  std::vector<void*> shared;
  const auto work = [&](int number) {
    for (int i = 0; i < kPieces; ++i) {
      void* const mine = under({&one, number}, [&] { return std::malloc(static_cast<size_t>(16 + i % 200)); });
      void* taken = nullptr;
      {
        const std::lock_guard<std::mutex> lock(mutex);
        shared.push_back(mine);
        if (i % 2 == 1) {
          taken = shared[shared.size() / 2];
          shared[shared.size() / 2] = shared.back();
          shared.pop_back();
        }
      }
      std::free(taken);
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
  uint64_t bytes = 0;
  for (const auto& [call, of_call] : pieces_of(&one)) bytes += of_call;
  EXPECT_GE(bytes, 16 * shared.size());
  EXPECT_LT(bytes, 216 * shared.size());
  for (void* const memory : shared) std::free(memory);
  EXPECT_TRUE(pieces_of(&one).empty());
}

TEST(Heap, a_child_of_a_process_with_threads_can_allocate) {
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) std::free(under({&one, 1}, [] { return std::malloc(64); }));
  });
  for (int i = 0; i < 50; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      std::free(under({&two, 1}, [] { return std::malloc(64); }));
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  other.join();
}

}  // namespace
