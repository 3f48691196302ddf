// SPDX-License-Identifier: BSD-3-Clause
#include <chrono>

#include "onednn_program.hpp"

namespace diopi_bench {

memory::data_type data_type(diopiDtype_t dtype) {
  switch (dtype) {
    case diopi_dtype_float32:
      return memory::data_type::f32;
    case diopi_dtype_bfloat16:
      return memory::data_type::bf16;
    case diopi_dtype_float16:
      return memory::data_type::f16;
    default:
      throw dnnl::error(dnnl_unimplemented, "the bench does not hand this dtype to oneDNN");
  }
}

memory::desc plain_desc(const Tensor& tensor) { return {tensor.shape, data_type(tensor.dtype), tensor.strides}; }

memory::desc row_major_desc(const std::vector<int64_t>& dims, diopiDtype_t dtype) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * dims[i];
  return {dims, data_type(dtype), strides};
}

memory::desc Program::wanted(const memory::desc& plain) const {
  if (!free_layouts_) return plain;
#if DNNL_VERSION_MAJOR >= 3
  return {plain.get_dims(), plain.get_data_type(), memory::format_tag::any};
#else
  return {plain.dims(), plain.data_type(), memory::format_tag::any};
#endif
}

memory Program::tensor(const std::string& name, const memory::desc& plain) {
  const auto found = tensors_.find(name);
  if (found != tensors_.end()) return found->second;
  return tensors_.emplace(name, memory(plain, engine_, nullptr)).first->second;
}

memory Program::input(const std::string& name, const memory::desc& plain, const memory::desc& wanted) {
  memory from = tensor(name, plain);
  if (plain == wanted) return from;
  memory to = own(wanted);
  add(dnnl::reorder(from, to), {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  return to;
}

memory Program::output(const std::string& name, const memory::desc& plain, const memory::desc& wanted) {
  memory to = tensor(name, plain);
  return plain == wanted ? to : own(wanted);
}

void Program::deliver(const std::string& name, const memory& from) {
  memory to = tensors_.at(name);
  if (from.get_desc() == to.get_desc()) return;
  memory source = from;
  add(dnnl::reorder(source, to), {{DNNL_ARG_FROM, source}, {DNNL_ARG_TO, to}});
}

void Program::add(const dnnl::primitive& primitive, std::unordered_map<int, memory> arguments) {
  steps_.push_back({primitive, std::move(arguments)});
}

void Program::bind(const Operands& operands) {
  for (auto& [name, handle] : tensors_) handle.set_data_handle(operands.tensor(name).data);
}

void Program::run(int64_t times) {
  for (; times > 0; --times) {
    for (const Step& step : steps_) step.primitive.execute(stream_, step.arguments);
  }
  stream_.wait();
}

namespace {

double seconds_for(Program& program, int64_t times) {
  const auto begin = std::chrono::steady_clock::now();
  program.run(times);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class OnednnPeer : public Peer {
 public:
  std::string version() override {
    const dnnl_version_t* version = dnnl_version();
    return "oneDNN " + std::to_string(version->major) + "." + std::to_string(version->minor) + "." +
           std::to_string(version->patch);
  }

  void set_threads(int threads) override {}  // the environment variable OMP_NUM_THREADS sets it

  Call prepare(const Operands& operands) override {
    if (program_ == nullptr) program_ = fastest(operands);
    if (program_ == nullptr) return {};
    return [program = program_, operands](int64_t times, bool) {
      program->bind(operands);
      program->run(times);
    };
  }

  void release() override { program_.reset(); }

 private:
  // Tries both ways in which a user would call oneDNN: with the tensors' layouts, and with oneDNN's preferred layouts
  // and reorders. Returns the faster program; null if oneDNN lacks the operator.
  static std::shared_ptr<Program> fastest(const Operands& operands) {
    Builder build = nullptr;
    for (const auto* builders : {&product_builders(), &layer_builders()}) {
      const auto found = builders->find(operands.op);
      if (found != builders->end()) build = found->second;
    }
    std::shared_ptr<Program> best;
    double best_seconds = 0;
    for (const bool free_layouts : {false, true}) {
      if (build == nullptr) break;
      try {
        auto program = std::make_shared<Program>(free_layouts);
        build(*program, operands);
        program->bind(operands);
        program->run(1);
        const double once = seconds_for(*program, 1);
        const int64_t times = once > 0.02 ? 1 : static_cast<int64_t>(0.02 / (once + 1e-7)) + 1;
        const double seconds = seconds_for(*program, times) / static_cast<double>(times);
        if (best == nullptr || seconds < best_seconds) {
          best = program;
          best_seconds = seconds;
        }
      } catch (const dnnl::error& error) {
        if (error.status != dnnl_unimplemented && error.status != dnnl_invalid_arguments) throw;
      }
    }
    return best;
  }

  std::shared_ptr<Program> program_;
};

}  // namespace
}  // namespace diopi_bench

DIOPI_BENCH_PEER(diopi_bench::OnednnPeer)
