// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cuda/kernels/loss/reduced_loss.hpp"

#include "impl/cuda/engine/pieces.hpp"
#include "impl/cuda/engine/stream.hpp"
#include "impl/cuda/kernels/first_bad.cuh"
#include "impl/cuda/kernels/number.cuh"

namespace impl::cuda {

namespace {

constexpr int kSampleThreads = 64;  // few, because there are often few samples
constexpr int kSumThreads = 512;

struct Samples {
  Strided<3> nest;  // strides in the input, the target and the output
  int64_t first, class_step, weight_step;
  const char *input, *target, *weight;
  char* out;
  LossPart* parts;
  int64_t classes, ignore_index;
  diopiDtype_t target_dtype, weight_dtype, out_dtype;
  int32_t has_scores;
  FirstBad bad;
};

// The logarithm of the probability of a class. The scores of the sample begin at `x`.
template <typename T>
__device__ inline double log_probability(const Samples& s, const T* x, int64_t target) {
  const double own = convert<double>(x[target * s.class_step]);
  if (s.has_scores == 0) return own;
  constexpr int kEach = 4;  // loads that do not wait for each other
  double most = -INFINITY, sum = 0, score[kEach];
  const auto read = [&](int64_t first) {
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) {
      score[j] = first + j < s.classes ? convert<double>(x[(first + j) * s.class_step]) : -INFINITY;
    }
  };
  for (int64_t first = 0; first < s.classes; first += kEach) {
    read(first);
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) most = fmax(most, score[j]);
  }
  for (int64_t first = 0; first < s.classes; first += kEach) {
    read(first);
    DIOPI_UNROLL
    for (int j = 0; j < kEach; ++j) sum += exp(score[j] - most);
  }
  return own - most - log(sum);
}

__device__ inline void add_part(LossPart* a, const LossPart& b) {
  a->loss += b.loss;
  a->weight += b.weight;
}

// The sum of the parts of the threads, in thread 0. All threads of the block call this function.
template <int kThreads>
__device__ LossPart sum_parts(LossPart part) {
  DIOPI_SHARED(LossPart, parts, [kThreads]);
  parts[threadIdx.x] = part;
  for (int step = kThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (static_cast<int>(threadIdx.x) < step) add_part(&parts[threadIdx.x], parts[threadIdx.x + step]);
  }
  return threadIdx.x == 0 ? parts[0] : part;
}

template <typename T>
__global__ void __launch_bounds__(kSampleThreads, 16) compute_samples(Samples s) {
  const uint32_t item = blockIdx.x * kSampleThreads + threadIdx.x;
  LossPart part{0, 0};
  if (item < s.nest.numel) {
    int32_t offset[3];
    s.nest.offsets(item, offset);
    const int64_t target = load_as<int64_t>(s.target, offset[1], s.target_dtype);
    if (target == s.ignore_index) {
      // counts as zero
    } else if (target < 0 || target >= s.classes) {
      report(s.bad, s.first + item, target);
    } else {
      part.weight = s.weight != nullptr ? load_as<double>(s.weight, target * s.weight_step, s.weight_dtype) : 1;
      part.loss = -part.weight * log_probability(s, reinterpret_cast<const T*>(s.input) + offset[0], target);
    }
    if (s.parts == nullptr) store_as(s.out, offset[2], s.out_dtype, part.loss);
  }
  if (s.parts == nullptr) return;
  part = sum_parts<kSampleThreads>(part);
  if (threadIdx.x == 0) s.parts[blockIdx.x] = part;
}

struct AllParts {
  const LossPart* parts;
  int64_t count;
  char *out, *total_weight;
  diopiDtype_t out_dtype, total_dtype;
  int64_t is_mean;
};

__global__ void __launch_bounds__(kSumThreads) write_loss(AllParts all) {
  LossPart part{0, 0};
  for (int64_t i = threadIdx.x; i < all.count; i += kSumThreads) add_part(&part, all.parts[i]);
  part = sum_parts<kSumThreads>(part);
  if (threadIdx.x != 0) return;
  store_as(all.out, 0, all.out_dtype, all.is_mean != 0 ? part.loss / part.weight : part.loss);
  if (all.total_weight != nullptr) store_as(all.total_weight, 0, all.total_dtype, part.weight);
}

diopi::LoopNest<3> sample_loops(const ClassLoss& loss, const TensorView* out) {
  diopi::LoopNest<3> nest{};
  for (int i = loss.target.ndim() - 1; i >= 0; --i) {
    const int dim = i >= loss.class_dim ? i + 1 : i;
    nest.push_back(loss.target.shape[i], loss.input.stride[dim], loss.target.stride[i],
                   out != nullptr ? out->stride[i] : 0);
  }
  nest.drop_ones();
  nest.merge();
  return nest;
}

Samples samples_of(const ClassLoss& loss, const ReducedLoss& call) {
  Samples s{};
  s.class_step = loss.input.stride[loss.class_dim];
  s.classes = loss.classes;
  s.ignore_index = loss.ignore_index;
  if (loss.weight != nullptr) {
    s.weight = loss.weight->data;
    s.weight_dtype = loss.weight->dtype;
    s.weight_step = loss.weight->stride[0];
  }
  s.target_dtype = loss.target.dtype;
  s.out_dtype = call.out->dtype;
  s.parts = call.parts;
  s.has_scores = call.has_scores ? 1 : 0;
  s.bad = call.bad;
  return s;
}

template <typename T>
Status launch_samples(cudaStream_t stream, const ClassLoss& loss, const ReducedLoss& call) {
  Samples s = samples_of(loss, call);
  const bool is_reduced = call.parts != nullptr;
  return for_each_piece(sample_loops(loss, is_reduced ? nullptr : call.out), [&](const Piece<3>& piece) -> Status {
    s.nest = piece.nest;
    s.first = piece.first;
    s.input = loss.input.data + piece.base[0] * loss.input.itemsize();
    s.target = loss.target.data + piece.base[1] * loss.target.itemsize();
    s.out = is_reduced ? nullptr : call.out->data + piece.base[2] * call.out->itemsize();
    const dim3 grid = blocks_for(piece.nest.numel, kSampleThreads);
    return checked(launch(compute_samples<T>, grid, dim3(kSampleThreads), 0, stream, s), "losses");
  });
}

}  // namespace

bool has_few_launches(const ClassLoss& loss, const TensorView& out, bool has_scores, bool wants_weight) {
  if (loss.has_probabilities() || loss.label_smoothing != 0 || loss.samples == 0) return false;
  if (has_scores && loss.classes > kMostClasses) return false;
  if (loss.reduction == ReductionNone) {
    return !wants_weight && !diopi::may_overlap(out, loss.input) && !diopi::may_overlap(out, loss.target) &&
           (loss.weight == nullptr || !diopi::may_overlap(out, *loss.weight));
  }
  return fits_32_bits(sample_loops(loss, nullptr));
}

int64_t parts_of_loss(const ClassLoss& loss) { return (loss.samples + kSampleThreads - 1) / kSampleThreads; }

Status compute_reduced_loss(cudaStream_t stream, const ClassLoss& loss, const ReducedLoss& call) {
  using Inputs = diopi::TypeList<float, float16, bfloat16, double>;
  DIOPI_TRY(diopi::visit_dtype<Inputs>(loss.input.dtype, [&](auto tag) -> Status {
    return launch_samples<diopi::tagged<decltype(tag)>>(stream, loss, call);
  }));
  if (call.parts == nullptr) return diopiSuccess;
  AllParts all{};
  all.parts = call.parts;
  all.count = parts_of_loss(loss);
  all.out = call.out->data;
  all.out_dtype = call.out->dtype;
  if (call.total_weight != nullptr) {
    all.total_weight = call.total_weight->data;
    all.total_dtype = call.total_weight->dtype;
  }
  all.is_mean = loss.reduction == ReductionMean ? 1 : 0;
  return checked(launch(write_loss, dim3(1), dim3(kSumThreads), 0, stream, all), "a loss");
}

}  // namespace impl::cuda
