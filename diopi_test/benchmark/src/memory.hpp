// SPDX-License-Identifier: BSD-3-Clause
// Where the tensors of cases are: memory of the host, or of the vendor's device.
#ifndef DIOPI_TEST_BENCHMARK_SRC_MEMORY_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_MEMORY_HPP_

#include <diopirt_host.h>

#include <cstddef>
#include <functional>

namespace diopi_bench {

// A block of memory that all cases use one after another, so that the system provides its pages only once.
class Memory {
 public:
  Memory() = default;
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  virtual bool is_device() const = 0;
  char* get(size_t bytes);                                           // the block; its contents are undefined
  virtual void write(char* to, const char* from, size_t bytes) = 0;  // from the host into the block
  virtual void read(char* to, const char* from, size_t bytes) = 0;   // from the block to the host
  // A copy within the block. On a device, a call of it only queues the copy; copied() waits for it.
  virtual std::function<void()> prepare_copy(char* to, const char* from, size_t bytes) = 0;
  virtual void copied() {}

 private:
  virtual char* allocate(size_t bytes) = 0;  // null if there is not enough memory
  virtual void release(char* block, size_t bytes) = 0;

 protected:
  void clear();

  char* block_ = nullptr;
  size_t bytes_ = 0;
};

class HostMemory : public Memory {
 public:
  ~HostMemory() override { clear(); }
  bool is_device() const override { return false; }
  void write(char* to, const char* from, size_t bytes) override;
  void read(char* to, const char* from, size_t bytes) override;
  std::function<void()> prepare_copy(char* to, const char* from, size_t bytes) override;

 private:
  char* allocate(size_t bytes) override;
  void release(char* block, size_t bytes) override;
};

// Memory of the vendor's device, through the runtime. The context must live longer.
class DeviceMemory : public Memory {
 public:
  explicit DeviceMemory(diopiContextHandle_t context) : context_(context) {}
  ~DeviceMemory() override { clear(); }
  bool is_device() const override { return true; }
  void write(char* to, const char* from, size_t bytes) override;
  void read(char* to, const char* from, size_t bytes) override;
  std::function<void()> prepare_copy(char* to, const char* from, size_t bytes) override;
  void copied() override;

 private:
  char* allocate(size_t bytes) override;
  void release(char* block, size_t bytes) override;
  diopiTensorHandle_t view(const char* begin, size_t bytes) const;

  diopiContextHandle_t context_;
  diopiTensorHandle_t tensor_ = nullptr;
};

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_MEMORY_HPP_
