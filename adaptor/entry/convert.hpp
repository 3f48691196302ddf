// SPDX-License-Identifier: BSD-3-Clause
// Conversions in the generated entries: tensors that a vendor does not accept are converted before the call and back
// after it.
#ifndef ADAPTOR_ENTRY_CONVERT_HPP_
#define ADAPTOR_ENTRY_CONVERT_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "impl/common/error.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

// Functions of the vendor that conversion needs. They accept any dtype of the contract and any strides.
struct VendorOps {
  diopiError_t (*cast)(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input);
  diopiError_t (*copy)(diopiContextHandle_t, diopiConstTensorHandle_t src, diopiTensorHandle_t dest);
  diopiError_t (*contiguous)(diopiContextHandle_t, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t);
  // Must return only when the bytes have been copied. Needed only if values of integers are checked.
  diopiError_t (*copy_to_host)(diopiContextHandle_t, void* host, const void* device, int64_t bytes);
};

// Memory formats that a parameter accepts, for one rank.
enum Formats : uint8_t {
  kRowMajor = 1,
  kChannelsLast = 2,
  kPreferChannelsLast = 4,  // the format to convert a tensor to that is in neither
};

// A dtype that the vendor refuses, and the reason.
struct Refusal {
  diopiDtype_t dtype;
  const char* reason;
};

inline constexpr int kDtypeCount = diopi_dtype_complex128 + 1;

// The rule of the vendor's configuration for one parameter; a generated constant.
struct TensorRule {
  uint8_t cast[kDtypeCount];  // dtype of the caller -> dtype for the vendor
  bool any_layout;
  uint8_t formats[3];  // Formats for tensors of rank 3, 4 and 5; other ranks are row-major
  bool check_narrowing;
  uint32_t refused;  // a bit for each dtype in `refusals`
  const Refusal* refusals;
};

// The conversions of one call. It allocates nothing until a tensor must be converted. If finish() is not called, as in
// a failed call, the caller's tensors stay unchanged.
class Conversion {
 public:
  Conversion(diopiContextHandle_t ctx, const VendorOps& ops) : ctx_(ctx), ops_(ops) {}

  // Each function sets `*use` to the tensor for the vendor: the given tensor or a converted one. Inputs must be passed
  // before outputs. A tensor that is passed several times is converted only once.
  Status read(diopiConstTensorHandle_t given, const TensorRule& rule, const char* name, diopiConstTensorHandle_t* use);
  // The same for a tensor that is only read although its handle is not const.
  Status read(diopiTensorHandle_t given, const TensorRule& rule, const char* name, diopiTensorHandle_t* use) {
    diopiConstTensorHandle_t found = given;
    DIOPI_TRY(read(diopiConstTensorHandle_t{given}, rule, name, &found));
    *use = const_cast<diopiTensorHandle_t>(found);
    return diopiSuccess;
  }
  Status update(diopiTensorHandle_t given, const TensorRule& rule, const char* name, diopiTensorHandle_t* use);
  Status write(diopiTensorHandle_t given, const TensorRule& rule, const char* name, diopiTensorHandle_t* use);
  // For an output that some calls leave as it is: without `written`, finish() does not write it.
  Status write_if(bool written, diopiTensorHandle_t given, const TensorRule& rule, const char* name,
                  diopiTensorHandle_t* use);

  // The functions above for lists, whose elements may be null.
  Status read(diopiConstTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
              diopiConstTensorHandle_t** use);
  Status update(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
                diopiTensorHandle_t** use);
  Status write(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
               diopiTensorHandle_t** use);

  // Returns the vendor's status. The message of a failure may name dtypes that the caller did not use, so the list of
  // conversions is added to it.
  Status explain(diopiError_t status) const {
    return status == diopiSuccess || slots_.empty() ? Status(status) : explain_failure(status);
  }

  // Converts a tensor that the vendor has allocated back to `expected`, if its dtype is the one that `rule` gives for
  // `expected`.
  Status allocated(diopiDtype_t expected, const TensorRule& rule, diopiTensorHandle_t* result);

  // Writes converted outputs back. Called after the vendor's function has succeeded.
  Status finish();

 private:
  enum Access { kRead, kUpdate, kWrite, kLeave };
  struct Slot {
    diopiConstTensorHandle_t given;
    TensorView view;
    diopiDtype_t dtype;
    bool channels_last;
    diopiTensorHandle_t temporary;
    bool filled;
    bool write_back;
    int64_t index;  // index in its list, or -1
  };

  Status convert(Access access, diopiConstTensorHandle_t given, const TensorRule& rule, const char* name, int64_t index,
                 diopiTensorHandle_t* use);
  Status convert_slow(Access access, diopiConstTensorHandle_t given, diopiDtype_t dtype, const TensorRule& rule,
                      const char* name, int64_t index, diopiTensorHandle_t* use);
  Status convert_list(Access access, void** given, int64_t count, const TensorRule& rule, const char* name,
                      void*** use);
  Status find_slot(diopiConstTensorHandle_t given, const TensorView& view, diopiDtype_t dtype, bool channels_last,
                   int64_t index, Slot** slot);
  Status fill(Slot* slot);
  Status explain_failure(diopiError_t status) const;
  Status require(diopiConstTensorHandle_t like, const Dims& shape, bool channels_last, diopiDtype_t dtype,
                 diopiTensorHandle_t* tensor);

  diopiContextHandle_t ctx_;
  const VendorOps& ops_;
  std::vector<Slot> slots_;
  std::vector<std::unique_ptr<void*[]>> lists_;
};

// Reads the dtype of a tensor, which must not be null: the entry has checked this.
Status dtype_of_tensor(diopiConstTensorHandle_t tensor, const char* name, diopiDtype_t* dtype);

}  // namespace diopi

#endif  // ADAPTOR_ENTRY_CONVERT_HPP_
