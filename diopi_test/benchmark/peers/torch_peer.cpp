// SPDX-License-Identifier: BSD-3-Clause
#include "torch_peer.hpp"

#include <ATen/Parallel.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/multinomial.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cmath>

namespace diopi_bench {
namespace {

at::ScalarType scalar_type(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_int8:
      return at::kChar;
    case diopi_dtype_uint8:
      return at::kByte;
    case diopi_dtype_int16:
      return at::kShort;
    case diopi_dtype_int32:
      return at::kInt;
    case diopi_dtype_int64:
      return at::kLong;
    case diopi_dtype_float16:
      return at::kHalf;
    case diopi_dtype_bfloat16:
      return at::kBFloat16;
    case diopi_dtype_float32:
      return at::kFloat;
    case diopi_dtype_float64:
      return at::kDouble;
    case diopi_dtype_bool:
      return at::kBool;
    case diopi_dtype_complex64:
      return at::kComplexFloat;
    default:
      throw std::runtime_error("the bench does not hand this dtype to libtorch");
  }
}

at::Tensor wrap(const Tensor& tensor) {
  const auto device = tensor.on_device ? at::kCUDA : at::kCPU;
  return at::from_blob(tensor.data, tensor.shape, tensor.strides, at::dtype(scalar_type(tensor.dtype)).device(device));
}

// The part of PyTorch for CUDA is a library beside the one that this module is linked with. It is opened only for
// tensors on a GPU, because it takes seconds to load.
void load_cuda() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void*>(&at::set_num_threads), &info) == 0) throw std::runtime_error("where is libtorch?");
  const std::string folder = std::string(info.dli_fname).substr(0, std::string(info.dli_fname).rfind('/') + 1);
  if (dlopen((folder + "libtorch_cuda.so").c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
    throw std::runtime_error(std::string("this PyTorch cannot use CUDA: ") + dlerror());
  }
  try {
    at::empty({1}, at::kCUDA);  // makes PyTorch use the GPU
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());
  }
}

class TorchPeer : public Peer {
 public:
  std::string version() override { return "libtorch " TORCH_VERSION; }
  void set_threads(int threads) override { at::set_num_threads(threads); }
  void use_device() override {
    load_cuda();
    on_device_ = true;
  }
  void synchronize() override {
    if (!on_device_) return;
    const c10::impl::VirtualGuardImpl device(c10::DeviceType::CUDA);
    device.getStream(device.getDevice()).synchronize();
  }
  Call prepare(const Operands& operands) override {
    const PrepareTorch prepare = find_torch_call(operands.op);
    return prepare ? prepare(operands) : Call();
  }

 private:
  bool on_device_ = false;
};

}  // namespace

at::Tensor wrap(const Operands& operands, const std::string& name) {
  const Tensor* tensor = operands.find(name);
  return tensor ? wrap(*tensor) : at::Tensor();
}

std::vector<at::Tensor> wrap_list(const Operands& operands, const std::string& name) {
  std::vector<at::Tensor> all;
  for (const Tensor& tensor : operands.list_of_tensors(name)) all.push_back(wrap(tensor));
  return all;
}

at::Scalar make_scalar(double value, diopiDtype_t dtype) {
  if (at::isIntegralType(scalar_type(dtype), true) && value == std::floor(value)) return static_cast<int64_t>(value);
  return value;
}

void store_result(const at::Tensor& result, const Tensor& output) {
  if (result.data_ptr() == output.data) return;
  const at::Tensor memory = wrap(output);
  if (result.numel() != memory.numel()) throw std::runtime_error("libtorch's result has another size");
  memory.copy_(result.reshape(memory.sizes()));
}

at::Tensor take_top_p(const std::tuple<at::Tensor, at::Tensor>& sorted, const at::Tensor& top_p) {
  const at::Tensor &probabilities = std::get<0>(sorted), &ids = std::get<1>(sorted);
  const at::Tensor before = at::cumsum(probabilities, -1).sub(probabilities);
  const at::Tensor kept = probabilities.masked_fill(before.gt(top_p.unsqueeze(1)), 0);
  return at::gather(ids, 1, at::multinomial(kept, 1)).t();
}

}  // namespace diopi_bench

DIOPI_BENCH_PEER(diopi_bench::TorchPeer)
