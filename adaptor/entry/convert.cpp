// SPDX-License-Identifier: BSD-3-Clause
#include "adaptor/entry/convert.hpp"

#include <cstdio>
#include <cstring>
#include <string>

#include "adaptor/entry/narrowing.hpp"
#include "impl/common/runtime_call.hpp"
#include "impl/common/channels_last.hpp"
#include "impl/common/shape.hpp"

namespace diopi {

namespace {

constexpr const char* kCopy = "memory for a converted copy";

bool is_channels_last(const TensorView& view) {
  if (view.ndim() < 3 || view.ndim() > 5) return false;
  if (view.numel == 0) return true;
  const Dims wanted = channels_last_strides(view.shape);
  for (int dim = 0; dim < view.ndim(); ++dim) {
    if (view.shape[dim] != 1 && view.stride[dim] != wanted[dim]) return false;
  }
  return true;
}

bool takes_row_major(int64_t rank, const TensorRule& rule) {
  return rank < 3 || rank > 5 || (rule.formats[rank - 3] & kRowMajor) != 0;
}

// Whether the tensor is row-major and the rule accepts this. This is the common case, so it is decided without a view.
bool is_fine_row_major(diopiConstTensorHandle_t tensor, const TensorRule& rule) {
  diopiSize_t shape{}, stride{};
  if (diopiGetTensorShape(tensor, &shape) != diopiSuccess || diopiGetTensorStride(tensor, &stride) != diopiSuccess ||
      shape.len != stride.len || !takes_row_major(shape.len, rule)) {
    return false;
  }
  int64_t expected = 1;
  for (int64_t dim = shape.len - 1; dim >= 0; --dim) {
    if (shape.data[dim] == 1) continue;
    if (stride.data[dim] != expected) return false;
    if (__builtin_mul_overflow(expected, shape.data[dim], &expected)) return false;  // read_tensor reports the overflow
  }
  return true;
}

// Whether `rule` accepts the layout of `view`. `channels_last` tells the view's format, or the format to convert it to.
bool fits_layout(const TensorView& view, const TensorRule& rule, bool* channels_last) {
  const bool row_major = view.is_contiguous();
  *channels_last = !row_major && is_channels_last(view);
  if (rule.any_layout) return true;
  const bool ranked = view.ndim() >= 3 && view.ndim() <= 5;
  const uint8_t formats = ranked ? rule.formats[view.ndim() - 3] : static_cast<uint8_t>(kRowMajor);
  if (row_major && takes_row_major(view.ndim(), rule)) return true;
  if ((formats & kChannelsLast) != 0 && is_channels_last(view)) {
    *channels_last = true;
    return true;
  }
  *channels_last = (formats & kRowMajor) == 0 || (formats & kPreferChannelsLast) != 0;
  return false;
}

diopiMemoryFormat_t memory_format(int ndim, bool channels_last) {
  if (!channels_last) return Contiguous;
  return ndim == 3 ? ChannelsLast1d : ndim == 4 ? ChannelsLast : ChannelsLast3d;
}

Status is_sparse(diopiConstTensorHandle_t tensor, const char* argument, bool* sparse) {
  *sparse = false;
  if (diopiIsTensorSparse != nullptr) DIOPI_TRY_RUNTIME(argument, diopiIsTensorSparse, tensor, sparse);
  return diopiSuccess;
}

__attribute__((cold)) Status refuse(diopiDtype_t dtype, const TensorRule& rule, const char* argument) {
  const Refusal* refusal = rule.refusals;
  while (refusal->dtype != dtype) ++refusal;
  return fail(diopiDtypeNotSupported, "%s has dtype %s, which this vendor does not support: %s", argument,
              dtype_name(dtype), refusal->reason);
}

// The name of an argument in messages: `tensors[2]` for an element of a list, otherwise the plain name.
struct ArgumentName {
  char text[96];
  ArgumentName(const char* name, int64_t index) {
    if (index < 0) {
      std::snprintf(text, sizeof(text), "%s", name);
    } else {
      std::snprintf(text, sizeof(text), "%s[%lld]", name, static_cast<long long>(index));
    }
  }
};

}  // namespace

Status dtype_of_tensor(diopiConstTensorHandle_t tensor, const char* name, diopiDtype_t* dtype) {
  DIOPI_TRY_RUNTIME(name, diopiGetTensorDtype, tensor, dtype);
  return diopiSuccess;
}

Status Conversion::convert(Access access, diopiConstTensorHandle_t given, const TensorRule& rule, const char* name,
                           int64_t index, diopiTensorHandle_t* use) {
  *use = const_cast<diopiTensorHandle_t>(given);
  if (given == nullptr) return diopiSuccess;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  DIOPI_TRY_RUNTIME(ArgumentName(name, index).text, diopiGetTensorDtype, given, &dtype);
  if (dtype < 0 || dtype >= kDtypeCount) return diopiSuccess;  // the vendor decides about it
  if ((rule.refused >> dtype & 1) != 0) return refuse(dtype, rule, ArgumentName(name, index).text);
  if (rule.cast[dtype] == dtype && (rule.any_layout || is_fine_row_major(given, rule))) return diopiSuccess;
  return convert_slow(access, given, dtype, rule, name, index, use);
}

Status Conversion::convert_slow(Access access, diopiConstTensorHandle_t given, diopiDtype_t dtype,
                                const TensorRule& rule, const char* name, int64_t index, diopiTensorHandle_t* use) {
  const diopiDtype_t target = static_cast<diopiDtype_t>(rule.cast[dtype]);
  bool sparse = false;
  DIOPI_TRY(is_sparse(given, ArgumentName(name, index).text, &sparse));
  if (sparse) {  // the layout of a sparse tensor's parts is fixed; only the dtype could be converted
    DIOPI_REQUIRE(target == dtype, diopiDtypeNotSupported, "%s is sparse and has dtype %s, which cannot be converted",
                  ArgumentName(name, index).text, dtype_name(dtype));
    return diopiSuccess;
  }
  TensorView view;
  DIOPI_TRY(read_tensor(given, name, &view));
  bool channels_last = false;
  if (fits_layout(view, rule, &channels_last) && target == dtype) return diopiSuccess;

  Slot* slot = nullptr;
  DIOPI_TRY(find_slot(given, view, target, channels_last, index, &slot));
  if ((access == kRead || access == kUpdate) && !slot->filled) {
    if (rule.check_narrowing && target != dtype) {
      const ArgumentName argument(name, index);
      DIOPI_TRY(check_narrowing(ctx_, ops_, given, view, target, argument.text));
    }
    DIOPI_TRY(fill(slot));
  } else if (slot->temporary == nullptr) {
    DIOPI_TRY(require(given, view.shape, channels_last, target, &slot->temporary));
  }
  slot->write_back |= access == kUpdate || access == kWrite;
  *use = slot->temporary;
  return diopiSuccess;
}

// Equal handles, and handles of the same elements, share a temporary: tensors that the caller aliased stay aliased.
Status Conversion::find_slot(diopiConstTensorHandle_t given, const TensorView& view, diopiDtype_t dtype,
                             bool channels_last, int64_t index, Slot** slot) {
  for (Slot& known : slots_) {
    if (known.dtype == dtype && known.channels_last == channels_last &&
        (known.given == given || (view.numel != 0 && is_same_view(known.view, view)))) {
      *slot = &known;
      return diopiSuccess;
    }
  }
  slots_.push_back({given, view, dtype, channels_last, nullptr, false, false, index});
  *slot = &slots_.back();
  return diopiSuccess;
}

Status Conversion::fill(Slot* slot) {
  const bool same_dtype = slot->view.dtype == slot->dtype;
  if (slot->temporary == nullptr && same_dtype) {
    DIOPI_TRY(
        ops_.contiguous(ctx_, &slot->temporary, slot->given, memory_format(slot->view.ndim(), slot->channels_last)));
  } else {
    if (slot->temporary == nullptr) {
      DIOPI_TRY(require(slot->given, slot->view.shape, slot->channels_last, slot->dtype, &slot->temporary));
    }
    DIOPI_TRY(same_dtype ? ops_.copy(ctx_, slot->given, slot->temporary)
                         : ops_.cast(ctx_, slot->temporary, slot->given));
  }
  slot->filled = true;
  return diopiSuccess;
}

Status Conversion::require(diopiConstTensorHandle_t like, const Dims& shape, bool channels_last, diopiDtype_t dtype,
                           diopiTensorHandle_t* tensor) {
  diopiDevice_t device = diopi_device;
  if (diopiGetTensorDevice != nullptr) DIOPI_TRY_RUNTIME(kCopy, diopiGetTensorDevice, like, &device);
  const Dims strides = channels_last ? channels_last_strides(shape) : contiguous_strides(shape);
  const diopiSize_t size{shape.v, shape.n}, stride{strides.v, strides.n};
  DIOPI_TRY_RUNTIME(kCopy, diopiRequireTensor, ctx_, tensor, &size, &stride, dtype, device);
  return diopiSuccess;
}

Status Conversion::convert_list(Access access, void** given, int64_t count, const TensorRule& rule, const char* name,
                                void*** use) {
  *use = given;
  if (given == nullptr) return diopiSuccess;  // the contract allows null here, or the entry has refused it
  for (int64_t i = 0; i < count; ++i) {
    diopiTensorHandle_t element = nullptr;
    DIOPI_TRY(convert(access, static_cast<diopiConstTensorHandle_t>(given[i]), rule, name, i, &element));
    if (element == given[i]) continue;
    if (*use == given) {
      lists_.push_back(std::make_unique<void*[]>(count));
      *use = lists_.back().get();
      std::memcpy(*use, given, count * sizeof(void*));
    }
    (*use)[i] = element;
  }
  return diopiSuccess;
}

Status Conversion::read(diopiConstTensorHandle_t given, const TensorRule& rule, const char* name,
                        diopiConstTensorHandle_t* use) {
  diopiTensorHandle_t converted = nullptr;
  DIOPI_TRY(convert(kRead, given, rule, name, -1, &converted));
  *use = converted;
  return diopiSuccess;
}

Status Conversion::update(diopiTensorHandle_t given, const TensorRule& rule, const char* name,
                          diopiTensorHandle_t* use) {
  return convert(kUpdate, given, rule, name, -1, use);
}

Status Conversion::write(diopiTensorHandle_t given, const TensorRule& rule, const char* name,
                         diopiTensorHandle_t* use) {
  return convert(kWrite, given, rule, name, -1, use);
}

Status Conversion::write_if(bool written, diopiTensorHandle_t given, const TensorRule& rule, const char* name,
                            diopiTensorHandle_t* use) {
  return convert(written ? kWrite : kLeave, given, rule, name, -1, use);
}

namespace {
// All handles are pointers to incomplete types, so a list of handles can be read as a list of plain pointers.
template <typename Pointer, typename List>
Pointer as_plain(List* list) {
  return static_cast<Pointer>(const_cast<void*>(static_cast<const void*>(list)));
}
}  // namespace

Status Conversion::read(diopiConstTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
                        diopiConstTensorHandle_t** use) {
  return convert_list(kRead, as_plain<void**>(given), count, rule, name, as_plain<void***>(use));
}

Status Conversion::update(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
                          diopiTensorHandle_t** use) {
  return convert_list(kUpdate, as_plain<void**>(given), count, rule, name, as_plain<void***>(use));
}

Status Conversion::write(diopiTensorHandle_t* given, int64_t count, const TensorRule& rule, const char* name,
                         diopiTensorHandle_t** use) {
  return convert_list(kWrite, as_plain<void**>(given), count, rule, name, as_plain<void***>(use));
}

Status Conversion::allocated(diopiDtype_t expected, const TensorRule& rule, diopiTensorHandle_t* result) {
  if (*result == nullptr || expected < 0 || expected >= kDtypeCount) return diopiSuccess;
  diopiDtype_t dtype = diopi_dtype_unsupported;
  DIOPI_TRY(dtype_of_tensor(*result, "result", &dtype));
  if (dtype == expected || dtype != static_cast<diopiDtype_t>(rule.cast[expected])) return diopiSuccess;
  TensorView view;
  DIOPI_TRY(read_tensor(*result, "result", &view));
  diopiTensorHandle_t converted = nullptr;
  DIOPI_TRY(require(*result, view.shape, false, expected, &converted));
  DIOPI_TRY(ops_.cast(ctx_, converted, *result));
  *result = converted;
  return diopiSuccess;
}

Status Conversion::explain_failure(diopiError_t status) const {
  // A message of this call already begins with the operator's name; fail() would add the name again.
  const char* operator_name = OperatorScope::current();
  const size_t prefix = std::strlen(operator_name);
  if (std::strncmp(last_error(), operator_name, prefix) != 0 || last_error()[prefix] != ':') return status;
  std::string text = last_error() + prefix + 2;
  const char* separator = " (";
  for (const Slot& slot : slots_) {
    text += separator;
    text += ArgumentName(slot.view.name, slot.index).text;
    text += slot.view.dtype != slot.dtype
                ? std::string(" was converted from ") + dtype_name(slot.view.dtype) + " to " + dtype_name(slot.dtype)
                : std::string(" was brought into ") + (slot.channels_last ? "channels-last" : "row-major") + " order";
    separator = ", ";
  }
  return fail(status, "%s)", text.c_str());
}

Status Conversion::finish() {
  for (const Slot& slot : slots_) {
    if (!slot.write_back) continue;
    const auto original = const_cast<diopiTensorHandle_t>(slot.given);
    DIOPI_TRY(slot.view.dtype == slot.dtype ? ops_.copy(ctx_, slot.temporary, original)
                                            : ops_.cast(ctx_, original, slot.temporary));
  }
  return diopiSuccess;
}

}  // namespace diopi
