// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/norm/norm_sync.hpp"

#include "impl/common/temporary.hpp"
#include "impl/cuda/kernels/rows/pointwise.cuh"

namespace impl::cuda {

namespace {

using diopi::GatherStatisticsProblem;

constexpr int kGatherThreads = 128;

struct MoveCentre {
  static constexpr int kInputs = 3, kOutputs = 1;
  using Value = double;
  __device__ void operator()(const double* x, double* y) const { y[0] = x[0] + (x[1] - x[2]) * (x[1] - x[2]); }
};

struct ChannelGradient {
  static constexpr int kInputs = 8, kOutputs = 1;
  using Value = double;
  bool is_std;
  __device__ void operator()(const double* x, double* y) const {
    const double r = is_std ? 1 / x[3] : x[3], square = is_std ? 1 : r * r;
    y[0] = (x[0] - x[5] / x[7] - (x[1] - x[2]) * (square * x[6] / x[7])) * (r * x[4]);
  }
};

struct SyncNorm {
  static constexpr int kInputs = 5, kOutputs = 2;
  using Value = double;
  double eps;
  __device__ void operator()(const double* x, double* y) const {
    y[0] = (x[0] - x[1]) / sqrt(x[2] + eps);
    y[1] = y[0] * x[3] + x[4];
  }
};

struct Update {
  static constexpr int kInputs = 4, kOutputs = 3;
  using Value = double;
  SyncUpdate p;
  __device__ void operator()(const double* x, double* y) const {
    const double sample = p.count > 1 ? x[1] * (p.count / (p.count - 1)) : x[1];
    y[0] = p.momentum * x[0] + (1 - p.momentum) * x[2];
    y[1] = p.momentum * sample + (1 - p.momentum) * x[3];
    y[2] = sqrt(x[1] + p.eps);
  }
};

// Statistics have a stride for each of their dimensions.
struct Gather {
  Sources<5> in;   // mean_all, invstd_all, counts, running_mean, running_var
  Targets<4> out;  // mean, invstd, running_mean, running_var
  int64_t devices, channels;
  int64_t device_step[3], channel_step[5], out_step[4];
  double momentum, eps;
};

__global__ void gather(Gather p) {
  for (int64_t c = thread_item(); c < p.channels; c += static_cast<int64_t>(gridDim.x) * kGatherThreads) {
    const auto at = [&](int k, int64_t r) {
      return p.in.read<double>(k, c * p.channel_step[k] + r * p.device_step[k]);
    };
    double n = 0, sum = 0, squares = 0;
    for (int64_t r = 0; r < p.devices; ++r) {
      const double count = at(2, r);
      n += count;
      sum += count * at(0, r);
    }
    const double mean = sum / n;
    for (int64_t r = 0; r < p.devices; ++r) {
      const double off = at(0, r) - mean, inverse = at(1, r), count = at(2, r);
      squares += count * (1 / (inverse * inverse) - p.eps) + count * off * off;
    }
    const double running_mean = p.in.read<double>(3, c * p.channel_step[3]);
    const double running_var = p.in.read<double>(4, c * p.channel_step[4]);
    p.out.write(0, c * p.out_step[0], mean);
    p.out.write(1, c * p.out_step[1], 1 / sqrt(squares / n + p.eps));
    p.out.write(2, c * p.out_step[2], (1 - p.momentum) * running_mean + p.momentum * mean);
    p.out.write(3, c * p.out_step[3], (1 - p.momentum) * running_var + p.momentum * (squares / (n - 1)));
  }
}

}  // namespace

Status pointwise_move_centre(diopiContextHandle_t ctx, const PointwiseCall& call) {
  return run_pointwise(ctx, MoveCentre{}, call);
}
Status pointwise_channel_gradient(diopiContextHandle_t ctx, bool is_std, const PointwiseCall& call) {
  return run_pointwise(ctx, ChannelGradient{is_std}, call);
}
Status pointwise_sync_norm(diopiContextHandle_t ctx, double eps, const PointwiseCall& call) {
  return run_pointwise(ctx, SyncNorm{eps}, call);
}
Status pointwise_sync_update(diopiContextHandle_t ctx, const SyncUpdate& update, const PointwiseCall& call) {
  return run_pointwise(ctx, Update{update}, call);
}

Status gather_statistics(diopiContextHandle_t ctx, const GatherStatisticsProblem& p) {
  Gather g{};
  g.devices = p.mean_all.shape[0];
  g.channels = p.mean_all.shape[1];
  g.momentum = p.momentum;
  g.eps = p.eps;
  const TensorView* const in[] = {&p.mean_all, &p.invstd_all, &p.counts, p.running_mean, p.running_var};
  const TensorView* const out[] = {&p.mean, &p.invstd, p.running_mean, p.running_var};
  for (int k = 0; k < 5; ++k) {
    if (in[k] == nullptr) continue;
    g.in.data[k] = in[k]->data;
    g.in.dtype[k] = in[k]->dtype;
    if (k < 3) g.device_step[k] = in[k]->stride[0];
    if (k != 2) g.channel_step[k] = in[k]->stride[k < 2 ? 1 : 0];
  }
  for (int j = 0; j < 4; ++j) {
    if (out[j] == nullptr) continue;
    g.out.data[j] = out[j]->data;
    g.out.dtype[j] = out[j]->dtype;
    g.out_step[j] = out[j]->stride[0];
  }
  if (g.channels == 0) return diopiSuccess;
  return launch_blocks(ctx, gather, (g.channels + kGatherThreads - 1) / kGatherThreads, kGatherThreads, g);
}

}  // namespace impl::cuda
