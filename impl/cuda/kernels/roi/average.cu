// SPDX-License-Identifier: BSD-3-Clause
// Averages of samples in upright regions, and their gradient. Each axis is sampled on its own: the samples of a bin are
// those of its rows times those of its columns. Samples that read the same elements are added up first, so a bin of
// many samples reads few elements. The gradient of an element is a sum over the regions in their order: no thread adds
// to what another one writes.
#include "impl/common/kernel_table.hpp"
#include "impl/cuda/kernels/roi/region.cuh"
#include "impl/cuda/kernels/roi/roi.hpp"
#include "impl/cuda/kernels/rows/sum.cuh"
#include "impl/cuda/kernels/scan/scan.cuh"

namespace impl::cuda {

namespace {

constexpr int kRoiThreads = 128;
constexpr int kChannels = 8;  // of a thread, which computes the positions once for all of them
constexpr int kTileWidth = 16, kTileHeight = kRoiThreads / kTileWidth;

// Adds the products of elements and weights of kChannels channels.
template <typename T, typename Number>
struct ChannelSums {
  const T* data;
  int64_t stride;
  int count;
  Number sum[kChannels];

  __device__ void add(int64_t offset, Number weight) {
    for (int c = 0; c < kChannels; ++c) {
      if (c < count) sum[c] += weight * convert<Number>(data[offset + c * stride]);
    }
  }
  __device__ void clear() {
    for (int c = 0; c < kChannels; ++c) sum[c] = 0;
  }
  // `zero`: samples of the weight 0 are part of the weight.
  __device__ void add(int64_t offset, double weight, bool zero) {
    add(offset, static_cast<Number>(weight));
    if (zero) add(offset, Number(0));
  }
};

template <typename T, typename Number>
__device__ void add_taps(const Regions& p, const AxisTaps& y, const AxisTaps& x, double share,
                         ChannelSums<T, Number>* sums) {
  for (int a = 0; a < 2; ++a) {
    for (int b = 0; b < 2; ++b) {
      sums->add(y.element[a] * p.images.stride[2] + x.element[b] * p.images.stride[3],
                y.weight[a] * share * x.weight[b], y.zero[a] || x.zero[b]);
    }
  }
}

template <typename T, typename Number>
__global__ void __launch_bounds__(kRoiThreads) average_bins(Regions p, const T* images, T* bins) {
  const int64_t chunks = (p.images.extent[1] + kChannels - 1) / kChannels;
  const int64_t items = p.count * chunks * p.bins.extent[2] * p.bins.extent[3];
  for (int64_t i = thread_item(); i < items; i += static_cast<int64_t>(gridDim.x) * kRoiThreads) {
    int64_t rest = i;
    const int64_t pw = split_index(&rest, p.bins.extent[3]), ph = split_index(&rest, p.bins.extent[2]);
    const int64_t channel = split_index(&rest, chunks) * kChannels;
    Region<T> region;
    read_region(p, rest, &region);
    if (!diopi::is_image(region.image, p.images.extent[0])) continue;
    ChannelSums<T, Number> row{};
    row.data = images + static_cast<int64_t>(region.image) * p.images.stride[0] + channel * p.images.stride[1];
    row.stride = p.images.stride[1];
    row.count = static_cast<int>(min(p.images.extent[1] - channel, int64_t{kChannels}));
    Sum<Number> total[kChannels] = {};
    const Coordinate begin_y = region.y.begin_of(static_cast<double>(ph));
    const Coordinate begin_x = region.x.begin_of(static_cast<double>(pw));
    const WholeRange rows = region.y.samples_inside(begin_y), columns = region.x.samples_inside(begin_x);
    AxisTaps y, x;
    for (double a = rows.first; region.y.next_taps(begin_y, &a, rows.last, &y);) {
      row.clear();
      for (double b = columns.first; region.x.next_taps(begin_x, &b, columns.last, &x);) {
        add_taps(p, y, x, region.share, &row);
      }
      for (int c = 0; c < kChannels; ++c) total[c].add(row.sum[c]);
    }
    T* out =
        bins + rest * p.bins.stride[0] + channel * p.bins.stride[1] + ph * p.bins.stride[2] + pw * p.bins.stride[3];
    for (int c = 0; c < kChannels; ++c) {
      if (c < row.count) out[c * p.bins.stride[1]] = convert<T>(total[c].value());
    }
  }
}

// A tile of an image and some of its channels, which a block computes.
struct Tile {
  int64_t image, channel, top, left, bottom, right;

  __device__ Tile(const Regions& p, int64_t number) {
    const int64_t* extent = p.images.extent;
    left = split_index(&number, (extent[3] + kTileWidth - 1) / kTileWidth) * kTileWidth;
    top = split_index(&number, (extent[2] + kTileHeight - 1) / kTileHeight) * kTileHeight;
    channel = split_index(&number, (extent[1] + kChannels - 1) / kChannels) * kChannels;
    image = number;
    right = min(left + kTileWidth, extent[3]) - 1;
    bottom = min(top + kTileHeight, extent[2]) - 1;
  }
  template <typename T>
  __device__ bool is_reached_by(const Region<T>& r) const {
    return r.image == static_cast<double>(image) && r.y.reaches(r.y.lowest_reader(top), r.y.highest_reader(bottom)) &&
           r.x.reaches(r.x.lowest_reader(left), r.x.highest_reader(right));
  }
};

// Adds the gradients of all samples of a region that read the element (y, x).
template <typename T, typename Number>
__device__ void add_region(const Regions& p, const Region<T>& region, int64_t y, int64_t x,
                           ChannelSums<T, Number>* sums) {
  AxisTaps in_y, in_x;
  const WholeRange rows = region.y.bins_in(region.y.lowest_reader(y), region.y.highest_reader(y));
  const WholeRange columns = region.x.bins_in(region.x.lowest_reader(x), region.x.highest_reader(x));
  for (double ph = rows.first; ph <= rows.last; ph += 1) {
    if (!region.y.weight_in(ph, y, &in_y)) continue;
    const int64_t row = region.number * p.bins.stride[0] + static_cast<int64_t>(ph) * p.bins.stride[2];
    for (double pw = columns.first; pw <= columns.last; pw += 1) {
      if (!region.x.weight_in(pw, x, &in_x)) continue;
      sums->add(row + static_cast<int64_t>(pw) * p.bins.stride[3], in_y.weight[0] * region.share * in_x.weight[0],
                in_y.zero[0] || in_x.zero[0]);
    }
  }
}

// The threads of a block find the regions that reach its tile, some at a time, and each adds their gradients of its
// element in the order of the regions.
template <typename T, typename Number>
__global__ void __launch_bounds__(kRoiThreads) add_gradients(Regions p, const T* bins, T* images, int64_t tiles) {
  DIOPI_SHARED(Region<T>, reaching, [kRoiThreads]);
  for (int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
    const Tile tile(p, number);
    const int64_t y = tile.top + threadIdx.x / kTileWidth, x = tile.left + threadIdx.x % kTileWidth;
    const bool is_element = y <= tile.bottom && x <= tile.right;
    ChannelSums<T, Number> sums{};
    sums.data = bins + tile.channel * p.bins.stride[1];
    sums.stride = p.bins.stride[1];
    sums.count = static_cast<int>(min(p.images.extent[1] - tile.channel, int64_t{kChannels}));
    for (int64_t first = 0; first < p.count; first += kRoiThreads) {
      Region<T> region;
      bool reaches = first + threadIdx.x < p.count;
      if (reaches) {
        read_region(p, first + threadIdx.x, &region);
        reaches = tile.is_reached_by(region);
      }
      int found = 0;
      const int place = scan_block(reaches ? 1 : 0, &found);
      if (reaches) reaching[place] = region;
      __syncthreads();
      for (int k = 0; k < found && is_element; ++k) add_region(p, reaching[k], y, x, &sums);
      __syncthreads();  // before the next regions replace these
    }
    if (!is_element) continue;
    T* out = images + tile.image * p.images.stride[0] + tile.channel * p.images.stride[1] + y * p.images.stride[2] +
             x * p.images.stride[3];
    for (int c = 0; c < kChannels; ++c) {
      if (c < sums.count) out[c * p.images.stride[1]] = convert<T>(sums.sum[c]);
    }
  }
}

int64_t parts_of(int64_t extent, int part) { return (extent + part - 1) / part; }

template <typename T, typename Number>
Status run(diopiContextHandle_t ctx, const Regions& p, void* images, void* bins, bool adjoint) {
  const int64_t chunks = parts_of(p.images.extent[1], kChannels);
  if (adjoint) {
    const int64_t tiles = p.images.extent[0] * chunks * parts_of(p.images.extent[2], kTileHeight) *
                          parts_of(p.images.extent[3], kTileWidth);
    return launch_blocks(ctx, add_gradients<T, Number>, tiles, kRoiThreads, p, static_cast<const T*>(bins),
                         static_cast<T*>(images), tiles);
  }
  const int64_t items = p.count * chunks * p.bins.extent[2] * p.bins.extent[3];
  return launch_blocks(ctx, average_bins<T, Number>, parts_of(items, kRoiThreads), kRoiThreads, p,
                       static_cast<const T*>(images), static_cast<T*>(bins));
}

}  // namespace

Status average_regions(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& images, const TensorView& bins,
                       const TensorView& rois, bool adjoint) {
  const Regions p = regions_of(grid, images, bins, rois);
  return diopi::visit_dtype<diopi::FloatingTypes>(images.dtype, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    using Number = std::conditional_t<std::is_same_v<T, double>, double, float>;
    return run<T, Number>(ctx, p, images.data, bins.data, adjoint);
  });
}

}  // namespace impl::cuda
