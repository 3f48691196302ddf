// SPDX-License-Identifier: BSD-3-Clause
// The operators from which the adaptor builds conversions. They accept any dtype and any strides.
#include "impl/common/families/layout.hpp"

#include "impl/common/temporary.hpp"
#include "impl/skeleton/skeleton.hpp"

namespace impl::skeleton {

namespace {

using Storable = diopi::TypeList<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, bool,
                                 diopi::float16, diopi::bfloat16, float, double, diopi::complex64, diopi::complex128>;

// An intermediate value between two dtypes: integers keep all 64 bits, everything else fits complex128.
struct Number {
  bool integral;
  uint64_t integer;
  diopi::complex128 value;
};

template <typename T>
Number load(const T* from) {
  if constexpr (std::is_integral_v<T>) {
    return {true, static_cast<uint64_t>(*from), {}};
  } else if constexpr (std::is_same_v<T, diopi::complex64> || std::is_same_v<T, diopi::complex128>) {
    return {false, 0, diopi::complex128(*from)};
  } else {
    return {false, 0, static_cast<double>(static_cast<std::conditional_t<sizeof(T) == 2, float, T>>(*from))};
  }
}

template <typename T>
void store(const Number& number, bool signed_source, T* to) {
  const double integer =
      signed_source ? static_cast<double>(static_cast<int64_t>(number.integer)) : static_cast<double>(number.integer);
  const double real = number.integral ? integer : number.value.real();
  if constexpr (std::is_same_v<T, bool>) {
    *to = number.integral ? number.integer != 0 : number.value != diopi::complex128(0);
  } else if constexpr (std::is_integral_v<T>) {
    // The two casts wrap into the narrow dtype, as in PyTorch. The result for a value outside int64 is not specified.
    const bool inside = real >= -9223372036854775808.0 && real < 9223372036854775808.0;
    const int64_t truncated = inside ? static_cast<int64_t>(real) : INT64_MIN;
    *to = number.integral ? static_cast<T>(number.integer) : static_cast<T>(truncated);
  } else if constexpr (std::is_same_v<T, diopi::complex64> || std::is_same_v<T, diopi::complex128>) {
    *to = number.integral ? T(real) : T(number.value);
  } else if constexpr (sizeof(T) == 2) {
    *to = T(static_cast<float>(real));
  } else {
    *to = static_cast<T>(real);
  }
}

bool is_signed(diopiDtype_t dtype) {
  return dtype == diopi_dtype_int8 || dtype == diopi_dtype_int16 || dtype == diopi_dtype_int32 ||
         dtype == diopi_dtype_int64;
}

}  // namespace

Status copy_elements(const TensorView& out, const TensorView& input) {
  const bool signed_source = is_signed(input.dtype);
  using Load = Number (*)(const TensorView&, int64_t);
  Load load_at = nullptr;
  DIOPI_TRY(diopi::visit_dtype<Storable>(input.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    load_at = [](const TensorView& view, int64_t i) { return load(view.ptr<T>() + i); };
    return diopiSuccess;
  }));
  return diopi::visit_dtype<Storable>(out.dtype, [&](auto tag) -> Status {
    using T = typename decltype(tag)::type;
    for_each_index(out.shape, [&](const int64_t* index) {
      store(load_at(input, offset_of(input, index)), signed_source, out.ptr<T>() + offset_of(out, index));
    });
    return diopiSuccess;
  });
}

Status copy(diopiContextHandle_t ctx, const TensorView& out, const TensorView& in) {
  TensorView from = in.expand(out.shape);
  if (diopi::may_overlap(out, in) && !diopi::is_same_view(out, in)) {
    TensorView packed;
    DIOPI_TRY(diopi::make_temporary(ctx, out.shape, in.dtype, in.name, &packed));
    DIOPI_TRY(copy_elements(packed, from));
    from = packed;
  }
  return copy_elements(out, from);
}

Status copy_apart(diopiContextHandle_t, const TensorView& out, const TensorView& in) {
  return copy_elements(out, in.expand(out.shape));
}

Status copy_all_apart(diopiContextHandle_t ctx, const diopi::ViewList& outs, const diopi::ViewList& ins) {
  for (int64_t i = 0; i < outs.size(); ++i) {
    if (outs[i].numel > 0) DIOPI_TRY(copy_apart(ctx, outs[i], ins[i]));
  }
  return diopiSuccess;
}

}  // namespace impl::skeleton
