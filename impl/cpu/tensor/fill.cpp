// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/tensor/fill.hpp"

#include <atomic>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/packed_block.hpp"
#include "impl/cpu/engine/element_range.hpp"

namespace impl::cpu {

namespace {

using diopi::TensorView;

constexpr int64_t kGrain = 32768;
constexpr int64_t kRange = kElementRange;

// Calls make(first, count, T*) for ranges of elements, on all threads, and stores the elements that it makes.
template <typename T, typename F>
void fill_ranges(const TensorView& out, F&& make) {
  const CastFn cast = cast_function(diopi::dtype_of<T>, out.dtype);
  const bool same = out.dtype == diopi::dtype_of<T>, packed = out.is_contiguous();
  const int64_t size = out.itemsize(), ranges = (out.numel + kRange - 1) / kRange;
  diopi::parallel_for(ranges, kGrain / kRange, [&](int64_t begin, int64_t end) {
    T values[kRange];
    alignas(16) char converted[kRange * kMaxItemsize];
    for (int64_t range = begin; range < end; ++range) {
      const int64_t first = range * kRange, count = std::min(kRange, out.numel - first);
      if (packed && same) {
        make(first, count, out.ptr<T>() + first);
        continue;
      }
      make(first, count, values);
      if (!same) cast(packed ? out.data + first * size : converted, values, count);
      if (!packed) scatter_range(out, first, count, same ? static_cast<const void*>(values) : converted);
    }
  });
}

bool is_one_byte(const void* element, int size) {
  const char* const bytes = static_cast<const char*>(element);
  for (int i = 1; i < size; ++i) {
    if (bytes[i] != bytes[0]) return false;
  }
  return true;
}

}  // namespace

void fill_bytes(const TensorView& out, const void* element) {
  const int size = out.itemsize();
  if (out.numel == 0) return;
  if (!out.is_dense()) {
    TensorView source;
    source.data = static_cast<char*>(const_cast<void*>(element));  // the kernel never writes inputs
    source.dtype = out.dtype;
    source.numel = 1;
    return copy_view(out, source);
  }
  const bool one_byte = is_one_byte(element, size);
  constexpr int64_t kByte = 10;  // picoseconds in cache
  diopi::parallel_for(out.numel, diopi::Picoseconds{size * kByte}, [&](int64_t begin, int64_t end) {
    if (one_byte) {
      std::memset(out.data + begin * size, *static_cast<const unsigned char*>(element),
                  static_cast<size_t>((end - begin) * size));
    } else {
      broadcast_element(out.data + begin * size, element, size, end - begin);
    }
  });
}

template <typename T>
void fill_constant(const TensorView& out, T value) {
  if (out.numel == 1 && out.dtype == diopi_dtype_float32) {  // a vector kernel takes several times as long
    const auto element = static_cast<float>(value);
    std::memcpy(out.data, &element, sizeof(element));
    return;
  }
  const CastFn cast = cast_function(diopi::dtype_of<T>, out.dtype);
  if (out.numel == 1) return cast(out.data, &value, 1);
  alignas(16) char element[kMaxItemsize];
  cast(element, &value, 1);
  fill_bytes(out, element);
}
template void fill_constant(const TensorView&, int64_t);
template void fill_constant(const TensorView&, double);

void fill_arange(const TensorView& out, int64_t start, int64_t step) {
  fill_ranges<int64_t>(out, [=](int64_t first, int64_t count, int64_t* values) {
    // An addition does not wait for the store of the one before it. GCC 12.2 stores wrong elements for loops that carry
    // several sums instead.
    constexpr int64_t kApart = 32;
    const auto by = static_cast<uint64_t>(step);
    for (int64_t i = 0; i < std::min(count, kApart); ++i) {
      values[i] = static_cast<int64_t>(static_cast<uint64_t>(start) + static_cast<uint64_t>(first + i) * by);
    }
    for (int64_t i = kApart; i < count; ++i) {
      values[i] = static_cast<int64_t>(static_cast<uint64_t>(values[i - kApart]) + kApart * by);
    }
  });
}

void fill_arange(const TensorView& out, double start, double step) {
  fill_ranges<double>(out, [=](int64_t first, int64_t count, double* values) {
    const auto base = static_cast<double>(first);
    for (int i = 0; i < static_cast<int>(count); ++i) values[i] = start + (base + i) * step;
  });
}

void fill_linspace(const TensorView& out, double start, double end, int64_t steps) {
  const double step = steps > 1 ? (end - start) / static_cast<double>(steps - 1) : 0;
  const int64_t half = steps == 1 ? 1 : steps / 2;  // one element gets the start value
  fill_ranges<double>(out, [=](int64_t first, int64_t count, double* values) {
    for (int64_t i = first; i < first + count; ++i) {
      values[i - first] =
          i < half ? start + step * static_cast<double>(i) : end - step * static_cast<double>(steps - 1 - i);
    }
  });
}

namespace {

// The smallest and the largest of the integers that it has seen.
struct Extremes {
  int64_t least = INT64_MAX, most = INT64_MIN;

  template <typename T>
  void see(const T* values, int64_t count) {
    T low = values[0], high = values[0];
    for (int64_t i = 1; i < count; ++i) {
      low = std::min(low, values[i]);
      high = std::max(high, values[i]);
    }
    least = std::min(least, static_cast<int64_t>(low));
    most = std::max(most, static_cast<int64_t>(high));
  }
};

}  // namespace

void index_range(const TensorView& input, int64_t* least, int64_t* most) {
  const int64_t ranges = (input.numel + kRange - 1) / kRange;
  const bool in_place = input.dtype == diopi_dtype_int32 && input.is_contiguous();
  std::atomic<int64_t> low{INT64_MAX}, high{INT64_MIN};
  diopi::parallel_for(ranges, kGrain / kRange, [&](int64_t begin, int64_t end) {
    Extremes seen;
    int64_t values[kRange];
    for (int64_t range = begin; range < end; ++range) {
      const int64_t first = range * kRange, count = std::min(kRange, input.numel - first);
      if (in_place) {
        seen.see(input.ptr<int32_t>() + first, count);
        continue;
      }
      gather_range(input, first, count, diopi_dtype_int64, values);
      seen.see(values, count);
    }
    for (int64_t now = low; seen.least < now && !low.compare_exchange_weak(now, seen.least);) {
    }
    for (int64_t now = high; seen.most > now && !high.compare_exchange_weak(now, seen.most);) {
    }
  });
  *least = low;
  *most = high;
}

void fill_one_hot(const TensorView& out, const TensorView& input) {
  fill_constant(out, int64_t{0});
  const int64_t one = 1;
  alignas(16) char element[kMaxItemsize];
  cast_function(diopi_dtype_int64, out.dtype)(element, &one, 1);
  const int size = out.itemsize();
  const int64_t class_stride = out.stride[out.ndim() - 1] * size;
  if (input.numel == 0) return;
  const TensorView first_class = out.select(out.ndim() - 1, 0);
  const int64_t ranges = (input.numel + kRange - 1) / kRange;
  diopi::parallel_for(ranges, kGrain / kRange, [&](int64_t begin, int64_t end) {
    int64_t index[kRange];
    for (int64_t range = begin; range < end; ++range) {
      const int64_t first = range * kRange, count = std::min(kRange, input.numel - first);
      gather_range(input, first, count, diopi_dtype_int64, index);
      const int64_t* next = index;
      for_element_runs(first_class, first, count, [&](char* address, int64_t stride, int64_t run) {
        for (int64_t i = 0; i < run; ++i) std::memcpy(address + i * stride + *next++ * class_stride, element, size);
      });
    }
  });
}

}  // namespace impl::cpu
