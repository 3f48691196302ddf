// SPDX-License-Identifier: BSD-3-Clause
// Copies data between the host, devices and layouts, through the vendor's callbacks.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>

#include "runtime/context.hpp"

namespace diopirt {
namespace {

struct Freed {
  void operator()(char* memory) const { std::free(memory); }
};
using HostBuffer = std::unique_ptr<char, Freed>;

Status host_buffer(int64_t bytes, HostBuffer* buffer) {
  buffer->reset(static_cast<char*>(std::malloc(static_cast<size_t>(std::max<int64_t>(bytes, 1)))));
  DIOPI_REQUIRE(*buffer != nullptr, diopiErrorOccurred, "the host has no %lld bytes of memory",
                static_cast<long long>(bytes));
  return diopiSuccess;
}

Status queue_on_device(diopiContext* ctx, void* dst, const void* src, int64_t bytes) {
  diopiStreamHandle_t stream = nullptr;
  DIOPI_TRY(context_stream(ctx, &stream));
  return ctx->vendor->copy_on_device(stream, dst, src, static_cast<uint64_t>(bytes));
}

// Copies bytes. Returns when they have arrived.
Status move_bytes(diopiContext* ctx, diopiDevice_t to, void* dst, diopiDevice_t from, const void* src, int64_t bytes) {
  if (bytes == 0) return diopiSuccess;
  if (to == diopi_host && from == diopi_host) {
    std::memmove(dst, src, static_cast<size_t>(bytes));
    return diopiSuccess;
  }
  diopiStreamHandle_t stream = nullptr;
  DIOPI_TRY(context_stream(ctx, &stream));
  const auto count = static_cast<uint64_t>(bytes);
  if (from == diopi_host) {
    DIOPI_TRY(ctx->vendor->copy_to_device(stream, dst, src, count));
  } else if (to == diopi_host) {
    DIOPI_TRY(ctx->vendor->copy_to_host(stream, dst, src, count));
  } else {
    DIOPI_TRY(queue_on_device(ctx, dst, src, bytes));
  }
  return ctx->vendor->stream_synchronize(stream);
}

int64_t span_bytes(const diopiTensor* tensor) {
  if (tensor->numel == 0) return 0;
  int64_t span = 1;
  for (int64_t i = 0; i < tensor->shape.len; ++i) span += (tensor->shape.data[i] - 1) * tensor->stride.data[i];
  return span * tensor->itemsize;
}

bool is_row_major(const diopiTensor* tensor) {
  if (tensor->numel == 0) return true;
  int64_t expected = 1;
  for (int64_t i = tensor->shape.len - 1; i >= 0; --i) {
    if (tensor->shape.data[i] == 1) continue;
    if (tensor->stride.data[i] != expected) return false;
    expected *= tensor->shape.data[i];
  }
  return true;
}

// Requires that the stride of each dimension exceeds the span of all dimensions with smaller strides: then no elements
// overlap.
Status check_no_overlap(const diopiTensor* tensor) {
  const int64_t n = tensor->shape.len;
  const std::unique_ptr<int64_t[]> order(new (std::nothrow) int64_t[n + 1]);
  DIOPI_REQUIRE(order != nullptr, diopiErrorOccurred, "out of memory");
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  const int64_t* stride = tensor->stride.data;
  std::sort(order.get(), order.get() + n, [&](int64_t a, int64_t b) { return stride[a] < stride[b]; });
  int64_t reach = 0;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t size = tensor->shape.data[order[i]];
    if (size == 1) continue;
    DIOPI_REQUIRE(stride[order[i]] > reach, diopiErrorOccurred, "elements of the tensor may share memory");
    reach += (size - 1) * stride[order[i]];
  }
  return diopiSuccess;
}

template <int kItemsize>
void move_run(char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t count) {
  for (int64_t i = 0; i < count; ++i) std::memcpy(dst + i * dst_step, src + i * src_step, kItemsize);
}

void move_run(int32_t itemsize, char* dst, int64_t dst_step, const char* src, int64_t src_step, int64_t count) {
  switch (itemsize) {
    case 1:
      return move_run<1>(dst, dst_step, src, src_step, count);
    case 2:
      return move_run<2>(dst, dst_step, src, src_step, count);
    case 4:
      return move_run<4>(dst, dst_step, src, src_step, count);
    case 8:
      return move_run<8>(dst, dst_step, src, src_step, count);
    default:
      return move_run<16>(dst, dst_step, src, src_step, count);
  }
}

// Copies between a strided tensor and a packed buffer, in row-major order, one run of the last dimension at a time.
Status repack(const diopiTensor* tensor, char* strided, char* packed, bool to_packed) {
  if (tensor->numel == 0) return diopiSuccess;
  const int64_t outer = tensor->shape.len - 1;
  const int64_t* shape = tensor->shape.data;
  const int64_t* stride = tensor->stride.data;
  const int64_t item = tensor->itemsize;
  const int64_t run = outer < 0 ? 1 : shape[outer];
  const int64_t step = outer < 0 ? 0 : stride[outer] * item;
  const std::unique_ptr<int64_t[]> index(new (std::nothrow) int64_t[outer + 2]());
  DIOPI_REQUIRE(index != nullptr, diopiErrorOccurred, "out of memory");
  for (int64_t done = 0; done < tensor->numel; done += run, packed += run * item) {
    if (to_packed) {
      move_run(tensor->itemsize, packed, item, strided, step, run);
    } else {
      move_run(tensor->itemsize, strided, step, packed, item, run);
    }
    for (int64_t d = outer - 1; d >= 0; --d) {
      strided += stride[d] * item;
      if (++index[d] < shape[d]) break;
      strided -= shape[d] * stride[d] * item;
      index[d] = 0;
    }
  }
  return diopiSuccess;
}

Status read_elements(diopiContext* ctx, const diopiTensor* tensor, char* out) {
  const diopiDevice_t device = tensor->storage->device;
  if (is_row_major(tensor)) {
    return move_bytes(ctx, diopi_host, out, device, tensor->data, tensor->numel * tensor->itemsize);
  }
  if (device == diopi_host) return repack(tensor, static_cast<char*>(tensor->data), out, true);
  HostBuffer staged;
  const int64_t bytes = span_bytes(tensor);
  DIOPI_TRY(host_buffer(bytes, &staged));
  DIOPI_TRY(move_bytes(ctx, diopi_host, staged.get(), device, tensor->data, bytes));
  return repack(tensor, staged.get(), out, true);
}

Status write_elements(diopiContext* ctx, const diopiTensor* tensor, const char* in) {
  const diopiDevice_t device = tensor->storage->device;
  if (is_row_major(tensor)) {
    return move_bytes(ctx, device, tensor->data, diopi_host, in, tensor->numel * tensor->itemsize);
  }
  DIOPI_TRY(check_no_overlap(tensor));
  char* const packed = const_cast<char*>(in);  // only read
  if (device == diopi_host) return repack(tensor, static_cast<char*>(tensor->data), packed, false);
  HostBuffer staged;
  const int64_t bytes = span_bytes(tensor);
  DIOPI_TRY(host_buffer(bytes, &staged));
  // The bytes between the elements belong to other tensors, so they are read first and written back unchanged.
  DIOPI_TRY(move_bytes(ctx, diopi_host, staged.get(), device, tensor->data, bytes));
  DIOPI_TRY(repack(tensor, staged.get(), packed, false));
  return move_bytes(ctx, device, tensor->data, diopi_host, staged.get(), bytes);
}

bool same(const diopiSize_t& a, const diopiSize_t& b) {
  return a.len == b.len && std::equal(a.data, a.data + a.len, b.data);
}

Status check_alike(const diopiTensor* dst, const diopiTensor* src) {
  DIOPI_REQUIRE(same(dst->shape, src->shape), diopiErrorOccurred, "the shapes of dst and src differ");
  DIOPI_REQUIRE(dst->dtype == src->dtype, diopiDtypeNotSupported, "the dtypes of dst and src differ");
  return diopiSuccess;
}

Status copy_tensor(diopiContext* ctx, diopiTensor* dst, const diopiTensor* src) {
  DIOPI_TRY(check_alike(dst, src));
  const int64_t bytes = dst->numel * dst->itemsize;
  const bool both_row_major = is_row_major(dst) && is_row_major(src);
  // With equal strides and no gaps, the bytes of both have the same order.
  const bool same_order = same(dst->stride, src->stride) && span_bytes(src) == bytes && check_no_overlap(src).ok();
  if (both_row_major || same_order) {
    return move_bytes(ctx, dst->storage->device, dst->data, src->storage->device, src->data, bytes);
  }
  HostBuffer packed;
  DIOPI_TRY(host_buffer(bytes, &packed));
  DIOPI_TRY(read_elements(ctx, src, packed.get()));
  return write_elements(ctx, dst, packed.get());
}

Status queue_copy(diopiContext* ctx, diopiTensor* dst, const diopiTensor* src) {
  DIOPI_TRY(check_alike(dst, src));
  const bool on_device = dst->storage->device == diopi_device && src->storage->device == diopi_device;
  DIOPI_REQUIRE(on_device, diopiErrorOccurred, "dst and src are not both on the device");
  DIOPI_REQUIRE(is_row_major(dst) && is_row_major(src), diopiErrorOccurred, "dst or src is not row-major");
  if (dst->numel == 0) return diopiSuccess;
  return queue_on_device(ctx, dst->data, src->data, dst->numel * dst->itemsize);
}

Status check_transfer(const diopiContext* ctx, const diopiTensor* tensor, const void* data, size_t bytes) {
  DIOPI_REQUIRE(ctx != nullptr && tensor != nullptr, diopiErrorOccurred, "%s is null",
                ctx == nullptr ? "ctx" : "tensor");
  DIOPI_REQUIRE(!tensor->sparse, diopiErrorOccurred, "the tensor is sparse: copy its parts");
  DIOPI_REQUIRE(data != nullptr || bytes == 0, diopiErrorOccurred, "data is null");
  return diopiSuccess;
}

Status check_writable(const diopiTensor* tensor, const char* name) {
  DIOPI_REQUIRE(!tensor->storage->read_only, diopiErrorOccurred, "%s is read-only", name);
  return diopiSuccess;
}

Status check_tensors(const diopiContext* ctx, const diopiTensor* dst, const diopiTensor* src) {
  DIOPI_TRY(check_transfer(ctx, dst, dst, 0));
  DIOPI_TRY(check_transfer(ctx, src, src, 0));
  return check_writable(dst, "dst");
}

Status check_elements(const diopiTensor* tensor, size_t bytes) {
  DIOPI_REQUIRE(bytes == static_cast<size_t>(tensor->numel * tensor->itemsize), diopiErrorOccurred,
                "bytes = %zu, expected %lld", bytes, static_cast<long long>(tensor->numel * tensor->itemsize));
  return diopiSuccess;
}

Status check_range(const diopiTensor* tensor, size_t offset, size_t bytes) {
  const size_t room = tensor->storage->bytes;
  DIOPI_REQUIRE(offset <= room && bytes <= room - offset, diopiErrorOccurred,
                "%zu bytes at %zu are outside a storage of %zu", bytes, offset, room);
  return diopiSuccess;
}

}  // namespace
}  // namespace diopirt

using diopirt::OperatorScope;

diopiError_t diopirtCopyFromHost(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, const void* data, size_t bytes) {
  const OperatorScope scope("diopirtCopyFromHost");
  DIOPI_TRY(diopirt::check_transfer(ctx, tensor, data, bytes));
  DIOPI_TRY(diopirt::check_writable(tensor, "tensor"));
  DIOPI_TRY(diopirt::check_elements(tensor, bytes));
  return diopirt::write_elements(ctx, tensor, static_cast<const char*>(data));
}

diopiError_t diopirtCopyToHost(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, void* data, size_t bytes) {
  const OperatorScope scope("diopirtCopyToHost");
  DIOPI_TRY(diopirt::check_transfer(ctx, tensor, data, bytes));
  DIOPI_TRY(diopirt::check_elements(tensor, bytes));
  return diopirt::read_elements(ctx, tensor, static_cast<char*>(data));
}

diopiError_t diopirtCopyTensor(diopiContextHandle_t ctx, diopiTensorHandle_t dst, diopiConstTensorHandle_t src) {
  const OperatorScope scope("diopirtCopyTensor");
  DIOPI_TRY(diopirt::check_tensors(ctx, dst, src));
  return diopirt::copy_tensor(ctx, dst, src);
}

diopiError_t diopirtQueueCopy(diopiContextHandle_t ctx, diopiTensorHandle_t dst, diopiConstTensorHandle_t src) {
  const OperatorScope scope("diopirtQueueCopy");
  DIOPI_TRY(diopirt::check_tensors(ctx, dst, src));
  return diopirt::queue_copy(ctx, dst, src);
}

diopiError_t diopirtWriteStorage(diopiContextHandle_t ctx, diopiTensorHandle_t tensor, size_t offset, const void* data,
                                 size_t bytes) {
  const OperatorScope scope("diopirtWriteStorage");
  DIOPI_TRY(diopirt::check_transfer(ctx, tensor, data, bytes));
  DIOPI_TRY(diopirt::check_writable(tensor, "tensor"));
  DIOPI_TRY(diopirt::check_range(tensor, offset, bytes));
  char* const base = static_cast<char*>(tensor->storage->data);
  return diopirt::move_bytes(ctx, tensor->storage->device, base + offset, diopi_host, data,
                             static_cast<int64_t>(bytes));
}

diopiError_t diopirtReadStorage(diopiContextHandle_t ctx, diopiConstTensorHandle_t tensor, size_t offset, void* data,
                                size_t bytes) {
  const OperatorScope scope("diopirtReadStorage");
  DIOPI_TRY(diopirt::check_transfer(ctx, tensor, data, bytes));
  DIOPI_TRY(diopirt::check_range(tensor, offset, bytes));
  const char* const base = static_cast<const char*>(tensor->storage->data);
  return diopirt::move_bytes(ctx, diopi_host, data, tensor->storage->device, base + offset,
                             static_cast<int64_t>(bytes));
}
