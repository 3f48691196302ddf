// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/entry.hpp"

#include <exception>
#include <new>

namespace diopi {

const char* load_failure = nullptr;

Status not_loaded() { return fail(diopiErrorOccurred, "%s", load_failure); }

Status report_exception() noexcept {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return fail(diopiErrorOccurred, "out of memory");
  } catch (const std::exception& e) {
    return fail(diopiErrorOccurred, "%s", e.what());
  } catch (...) {
    return fail(diopiErrorOccurred, "an exception of unknown type was thrown");
  }
}

Status Entry::without_message(diopiError_t status) {
  return fail(status, "failed with code %d and without a message", static_cast<int>(status));
}

Status null_argument(const char* name) { return fail(diopiErrorOccurred, "%s is null", name); }

Status bad_size(const diopiSize_t& size, const char* name) {
  if (size.len < 0) {
    return fail(diopiErrorOccurred, "%s has the negative length %lld", name, static_cast<long long>(size.len));
  }
  return fail(diopiErrorOccurred, "%s.data is null although its length is %lld", name,
              static_cast<long long>(size.len));
}

Status bad_scalar(const diopiScalar_t& scalar, const char* name) {
  int stype;
  std::memcpy(&stype, &scalar.stype, sizeof(stype));
  return fail(diopiDtypeNotSupported, "%s has stype %d, expected that of bool, an integer or a floating point dtype",
              name, stype);
}

Status check_list(const void* const* list, int64_t count, const char* name, bool element_nullable) {
  if (count < 0) {
    return fail(diopiErrorOccurred, "%s has the negative length %lld", name, static_cast<long long>(count));
  }
  if (count == 0) return diopiSuccess;
  if (list == nullptr) return null_argument(name);
  for (int64_t i = 0; i < count && !element_nullable; ++i) {
    if (list[i] == nullptr) return fail(diopiErrorOccurred, "%s[%lld] is null", name, static_cast<long long>(i));
  }
  return diopiSuccess;
}

}  // namespace diopi
