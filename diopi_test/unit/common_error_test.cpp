// SPDX-License-Identifier: BSD-3-Clause
// The message of a thread, from its start to its end.
#include "impl/common/error.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <string>
#include <thread>

#include "impl/common/thread_state.hpp"

namespace {

using diopi::fail;
using diopi::last_error;

template <typename Body>
void in_new_thread(const Body& body) {
  std::thread(body).join();
}

TEST(CommonError, a_new_thread_has_an_empty_message) {
  static_cast<void>(fail(diopiErrorOccurred, "of another thread"));
  in_new_thread([] {
    ASSERT_TRUE(diopi::thread_is_ready("no memory"));
    EXPECT_STREQ(last_error(), "");
    EXPECT_EQ(diopi::message_count(), 0u);
  });
  EXPECT_STREQ(last_error(), "of another thread");
}

TEST(CommonError, a_message_is_cut_and_may_contain_the_one_before) {
  static_cast<void>(fail(diopiErrorOccurred, "%s", std::string(3000, 'x').c_str()));
  EXPECT_EQ(std::string(last_error()), std::string(1024 - 128, 'x'));
  static_cast<void>(fail(diopiErrorOccurred, "first"));
  const uint64_t before = diopi::message_count();
  EXPECT_EQ(fail(diopiNoImplement, "second after %s", last_error()), diopiNoImplement);
  EXPECT_STREQ(last_error(), "second after first");
  EXPECT_EQ(diopi::message_count(), before + 1);
}

// Destructors of keys run in the order in which the keys were made, so this one runs after the message has been freed.
TEST(CommonError, a_thread_that_ends_can_still_store_a_message) {
  static std::string before, after;
  pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void*) {
                                 before = last_error();
                                 static_cast<void>(fail(diopiErrorOccurred, "while the thread ends"));
                                 after = last_error();
                               }),
            0);
  in_new_thread([key] {
    static_cast<void>(fail(diopiErrorOccurred, "while the thread runs"));
    ASSERT_EQ(pthread_setspecific(key, &before), 0);
  });
  EXPECT_EQ(before, "");
  EXPECT_EQ(after, "while the thread ends");
  pthread_key_delete(key);
}

}  // namespace
