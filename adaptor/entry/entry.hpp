// SPDX-License-Identifier: BSD-3-Clause
// The helpers of the generated C entries of a vendor's library.
#ifndef ADAPTOR_ENTRY_ENTRY_HPP_
#define ADAPTOR_ENTRY_ENTRY_HPP_

#include <diopi/diopirt.h>

#include <cstring>

#include "impl/common/error.hpp"
#include "impl/common/thread_state.hpp"

#define DIOPI_EXPORT __attribute__((visibility("default")))

namespace diopi {

// Sets the operator's name for messages. Calls diopiRecordStart and diopiRecordEnd around the call if the runtime has
// them.
class Entry {
 public:
  explicit Entry(const char* name) : scope_(name), messages_(message_count()) {
    ++thread_state.calls;
    if (diopiRecordStart != nullptr && diopiRecordEnd != nullptr) recording_ = start(name);
  }
  ~Entry() {
    if (recording_) diopiRecordEnd(&record_);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  // Returns the vendor's status. If the call failed without a message, a general message is stored.
  Status complete(diopiError_t status) const {
    return status == diopiSuccess || message_count() != messages_ ? Status(status) : without_message(status);
  }

 private:
  bool start(const char* name) { return diopiRecordStart(name, &record_) == diopiSuccess; }

  static Status without_message(diopiError_t status) __attribute__((cold));

  OperatorScope scope_;
  uint64_t messages_;
  void* record_ = nullptr;
  bool recording_ = false;
};

// The reason why the library cannot work at all; null if there is none.
extern const char* load_failure __attribute__((visibility("hidden")));
Status not_loaded() __attribute__((cold));

// Converts the current exception to a status. It is called by the only catch-all of the library.
Status report_exception() noexcept;

Status null_argument(const char* name) __attribute__((cold));
Status bad_size(const diopiSize_t& size, const char* name) __attribute__((cold));

Status bad_scalar(const diopiScalar_t& scalar, const char* name) __attribute__((cold));

// Whether a scalar's type is bool, an integer or floating point of up to 64 bits. The type is read as a number, because
// a caller may have stored a value that is no enumerator.
inline bool is_number(const diopiScalar_t& scalar) {
  constexpr uint32_t kNumbers = 1u << diopi_dtype_int8 | 1u << diopi_dtype_uint8 | 1u << diopi_dtype_int16 |
                                1u << diopi_dtype_uint16 | 1u << diopi_dtype_int32 | 1u << diopi_dtype_uint32 |
                                1u << diopi_dtype_int64 | 1u << diopi_dtype_uint64 | 1u << diopi_dtype_float16 |
                                1u << diopi_dtype_float32 | 1u << diopi_dtype_float64 | 1u << diopi_dtype_bool |
                                1u << diopi_dtype_bfloat16;
  uint32_t stype;
  static_assert(sizeof(stype) == sizeof(scalar.stype), "an enum is as large as an int");
  std::memcpy(&stype, &scalar.stype, sizeof(stype));
  return stype < 32 && (kNumbers >> stype & 1) != 0;
}

// The number of elements of a tensor; 0 if the runtime does not know it, so that the operator reports the failure.
inline int64_t numel_of(diopiConstTensorHandle_t tensor) {
  int64_t numel = 0;
  return diopiGetTensorNumel(tensor, &numel) == diopiSuccess ? numel : 0;
}

// Checks that a list with a length is not null, and that its elements are not null unless they may be.
Status check_list(const void* const* list, int64_t count, const char* name, bool element_nullable);

template <typename T>
const void* const* untyped(T* const* list) {
  return reinterpret_cast<const void* const*>(list);
}

}  // namespace diopi

#define DIOPI_ENTRY_THREAD(name) \
  if (!::diopi::thread_is_ready(name ": out of memory for the state of the calling thread")) return diopiErrorOccurred

#define DIOPI_ENTRY_LOADED() \
  if (__builtin_expect(::diopi::load_failure != nullptr, 0)) return ::diopi::not_loaded()

#define DIOPI_ENTRY_NOT_NULL(argument) \
  if (__builtin_expect((argument) == nullptr, 0)) return ::diopi::null_argument(#argument)

#define DIOPI_ENTRY_SIZE(argument)                                                         \
  if (__builtin_expect((argument).len < 0 || ((argument).len > 0 && !(argument).data), 0)) \
  return ::diopi::bad_size((argument), #argument)

// DIOPI_ENTRY_SIZE for a pointer that may be null.
#define DIOPI_ENTRY_SIZE_AT(argument)                                                                         \
  if (__builtin_expect((argument) && ((argument)->len < 0 || ((argument)->len > 0 && !(argument)->data)), 0)) \
  return ::diopi::bad_size(*(argument), #argument)

// Accepts null, which the contract may allow. If it does not, the entry has checked for null before.
#define DIOPI_ENTRY_SCALAR(argument)                                                  \
  if (__builtin_expect((argument) != nullptr && !::diopi::is_number(*(argument)), 0)) \
  return ::diopi::bad_scalar(*(argument), #argument)

#define DIOPI_ENTRY_LIST(argument, count, element_nullable) \
  DIOPI_TRY(::diopi::check_list(::diopi::untyped(argument), (count), #argument, (element_nullable)))

#endif  // ADAPTOR_ENTRY_ENTRY_HPP_
