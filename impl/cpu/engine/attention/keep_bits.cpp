// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/attention.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/random_params.hpp"
#include "impl/cpu/random/philox.hpp"

namespace impl::cpu {

Status fill_keep_bits(diopiContextHandle_t ctx, const TensorView& bits, int64_t count, double p,
                      const diopi::RandomStream& stream) {
  (void)ctx;
  constexpr int64_t kWords = 1024, kByte = 8;
  const diopi::BernoulliParams keep(1 - p);
  uint8_t* const bytes = bits.ptr<uint8_t>();
  const int64_t size = bits.numel;
  const auto fill_chunk = [=](int64_t chunk) {
    uint32_t words[kWords];
    const int64_t first = chunk * kWords;
    philox_words(stream, first / kPhiloxLanes, kWords / kPhiloxLanes, words);
    for (int64_t i = 0; i < kWords && (first + i) / kByte < size; i += kByte) {
      unsigned byte = 0;
      for (int64_t j = 0; j < kByte; ++j) {
        const bool kept = first + i + j < count && keep.any && words[i + j] <= keep.last;
        byte |= static_cast<unsigned>(kept) << j;
      }
      bytes[(first + i) / kByte] = static_cast<uint8_t>(byte);
    }
  };
  diopi::parallel_for((size * kByte + kWords - 1) / kWords, diopi::Picoseconds{kWords * 1000},
                      [=](int64_t begin, int64_t end) {
                        for (int64_t chunk = begin; chunk < end; ++chunk) fill_chunk(chunk);
                      });
  return diopiSuccess;
}

}  // namespace impl::cpu
