// SPDX-License-Identifier: BSD-3-Clause
// Conversion behind the generated entries: what a vendor cannot take is turned into what it can, and back.
#pragma once

#include <diopi/diopirt.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "common/error.hpp"
#include "common/tensor_view.hpp"

namespace diopi {

// What conversion needs of a vendor: functions that take any dtype of the contract and any strides.
struct VendorOps {
  diopiError_t (*cast)(diopiContextHandle_t, diopiTensorHandle_t out, diopiConstTensorHandle_t input);
  diopiError_t (*copy)(diopiContextHandle_t, diopiConstTensorHandle_t src, diopiTensorHandle_t dest);
  diopiError_t (*contiguous)(diopiContextHandle_t, diopiTensorHandle_t* out, diopiConstTensorHandle_t input,
                             diopiMemoryFormat_t);
  // Returns when the bytes are there. Needed only where values of integers are checked.
  diopiError_t (*copy_to_host)(diopiContextHandle_t, void* host, const void* device, int64_t bytes);
};

// Memory formats that a parameter takes, for one rank.
enum Formats : uint8_t {
  kRowMajor = 1,
  kChannelsLast = 2,
  kPreferChannelsLast = 4,  // which of the two a tensor in neither is brought into
};

// A dtype that is refused, and why.
struct Refusal {
  diopiDtype_t dtype;
  const char* reason;
};

inline constexpr int kDtypeCount = diopi_dtype_complex128 + 1;

// What the vendor's configuration says about one parameter; a generated constant.
struct TensorRule {
  uint8_t cast[kDtypeCount];  // dtype given -> dtype for the vendor
  bool any_layout;
  uint8_t formats[3];  // Formats for tensors of rank 3, 4 and 5; other ranks are row-major
  bool check_narrowing;
  uint32_t refused;  // a bit for each dtype in `refusals`
  const Refusal* refusals;
};

// The conversions of one call. Until something needs converting it holds nothing and allocates nothing. Leaving it
// without finish(), as a failed call does, leaves the caller's tensors as they were.
class Conversion {
 public:
  Conversion(diopiContextHandle_t ctx, const VendorOps& ops) : ctx_(ctx), ops_(ops) {}

  // Each sets `*use` to what the vendor is to be given: the tensor itself, or a converted one. Inputs must be announced
  // before outputs. A tensor that is announced several times is converted once.
  Status read(diopiConstTensorHandle_t given, const TensorRule& rule, const char* name, diopiConstTensorHandle_t* use);
  Status update(diopiTensorHandle_t given, const TensorRule& rule, const char* name, diopiTensorHandle_t* use);
  Status write(diopiTensorHandle_t given, const TensorRule& rule, const char* name, diopiTensorHandle_t* use);

  // read, update and write for lists, whose elements may be null.
  Status read(diopiConstTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
              diopiConstTensorHandle_t** use);
  Status update(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
                diopiTensorHandle_t** use);
  Status write(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
               diopiTensorHandle_t** use);

  // Passes a vendor's status on. The message of a failure may speak of dtypes that the caller never gave: it is
  // completed with what was converted.
  Status explain(diopiError_t status) const {
    return status == diopiSuccess || slots_.empty() ? Status(status) : explain_failure(status);
  }

  // A tensor that the vendor has allocated: where its dtype is what `rule` makes of `expected`, it is converted back.
  Status allocated(diopiDtype_t expected, const TensorRule& rule, diopiTensorHandle_t* result);

  // After the vendor's success: writes converted outputs back.
  Status finish();

 private:
  enum Access { kRead, kUpdate, kWrite };
  struct Slot {
    diopiConstTensorHandle_t given;
    TensorView view;
    diopiDtype_t dtype;
    bool channels_last;
    diopiTensorHandle_t temporary;
    bool filled;
    bool write_back;
    int64_t index;  // in its list, or -1
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

// The dtype of a tensor that the entry has checked not to be null.
Status dtype_of_tensor(diopiConstTensorHandle_t tensor, const char* name, diopiDtype_t* dtype);

}  // namespace diopi
