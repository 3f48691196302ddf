// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/num_threads.hpp"

namespace diopi {

bool is_num_threads(const char* text) {
  if (text == nullptr || *text == '\0') return true;
  int number = 0;
  for (; *text != '\0'; ++text) {
    if (*text < '0' || *text > '9') return false;
    number = 10 * number + (*text - '0');
    if (number > kMostThreads) return false;
  }
  return number > 0;
}

}  // namespace diopi
