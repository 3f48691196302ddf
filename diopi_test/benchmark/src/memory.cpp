// SPDX-License-Identifier: BSD-3-Clause
#include "memory.hpp"

#include <sys/mman.h>

#include <cstring>
#include <memory>

#include "library.hpp"

namespace diopi_bench {
namespace {

constexpr size_t kMostUnused = size_t{4} << 30;  // a block that exceeds a case's need by more is made smaller

}  // namespace

void Memory::clear() {
  if (block_ != nullptr) release(block_, bytes_);
  block_ = nullptr;
  bytes_ = 0;
}

char* Memory::get(size_t bytes) {
  if (block_ != nullptr && bytes <= bytes_ && bytes_ - bytes <= kMostUnused) return block_;
  clear();
  block_ = allocate(bytes);
  if (block_ == nullptr) throw std::runtime_error("not enough memory for the case");
  bytes_ = bytes;
  return block_;
}

void HostMemory::write(char* to, const char* from, size_t bytes) { std::memcpy(to, from, bytes); }
void HostMemory::read(char* to, const char* from, size_t bytes) { std::memcpy(to, from, bytes); }

std::function<void()> HostMemory::prepare_copy(char* to, const char* from, size_t bytes) {
  return [=] { std::memcpy(to, from, bytes); };
}

char* HostMemory::allocate(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<char*>(memory);
}

void HostMemory::release(char* block, size_t bytes) { munmap(block, bytes); }

char* DeviceMemory::allocate(size_t bytes) {
  const auto size = static_cast<int64_t>(bytes);
  void* data = nullptr;
  if (diopirtCreateTensor(context_, {&size, 1}, nullptr, diopi_dtype_uint8, diopi_device, &tensor_) != diopiSuccess) {
    return nullptr;
  }
  check(diopiGetTensorData(tensor_, &data), "finding the memory of the device");
  return static_cast<char*>(data);
}

void DeviceMemory::release(char* block, size_t bytes) {
  diopirtReleaseTensor(tensor_);
  tensor_ = nullptr;
}

void DeviceMemory::write(char* to, const char* from, size_t bytes) {
  check(diopirtWriteStorage(context_, tensor_, to - block_, from, bytes), "copying to the device");
}

void DeviceMemory::read(char* to, const char* from, size_t bytes) {
  check(diopirtReadStorage(context_, tensor_, from - block_, to, bytes), "copying from the device");
}

diopiTensorHandle_t DeviceMemory::view(const char* begin, size_t bytes) const {
  const auto size = static_cast<int64_t>(bytes);
  diopiTensorHandle_t part = nullptr;
  check(diopirtCreateView(tensor_, {&size, 1}, nullptr, begin - block_, &part), "making a view");
  return part;
}

std::function<void()> DeviceMemory::prepare_copy(char* to, const char* from, size_t bytes) {
  using Handle = std::shared_ptr<diopiTensor>;
  const Handle source(view(from, bytes), diopirtReleaseTensor), target(view(to, bytes), diopirtReleaseTensor);
  return [this, source, target] {
    check(diopirtQueueCopy(context_, target.get(), source.get()), "copying on the device");
  };
}

void DeviceMemory::copied() { check(diopirtSynchronize(context_), "waiting for copies"); }

}  // namespace diopi_bench
