// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/generator.hpp"

#include <cstring>

#include "impl/common/runtime_call.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi {

namespace {

constexpr uint64_t kLanes = 4;  // words of a counter block

struct SeedAndOffset {
  uint64_t seed = 0, offset = 0;
};

uint64_t blocks_of(uint64_t words) { return words / kLanes + (words % kLanes != 0); }

// The offset of the next call after a call that takes `words` words at `offset`.
uint64_t next_offset(uint64_t offset, int64_t words) {
  return (blocks_of(offset) + blocks_of(static_cast<uint64_t>(words))) * kLanes;
}

RandomStream stream_at(const SeedAndOffset& state) { return RandomStream{state.seed, blocks_of(state.offset)}; }

}  // namespace

namespace {

// Reads the state of a generator: a tensor whose first 16 bytes are seed and offset.
Status read_state(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, diopiTensorHandle_t* tensor,
                  TensorView* view, SeedAndOffset* state) {
  DIOPI_TRY_RUNTIME("generator", diopiGeneratorGetState, ctx, generator, tensor);
  DIOPI_TRY(read_tensor(*tensor, "state of generator", view));
  DIOPI_REQUIRE(view->is_contiguous() && view->numel * view->itemsize() >= static_cast<int64_t>(sizeof(*state)),
                diopiErrorOccurred, "the state of generator has %lld bytes, expected a seed and an offset of 8 each",
                static_cast<long long>(view->numel * view->itemsize()));
  std::memcpy(state, view->data, sizeof(*state));
  return diopiSuccess;
}

}  // namespace

Status detail::reserve_through_state(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, int64_t words,
                                     RandomStream* stream) {
  diopiTensorHandle_t tensor = nullptr;
  TensorView view;
  SeedAndOffset state;
  DIOPI_TRY(read_state(ctx, generator, &tensor, &view, &state));
  *stream = stream_at(state);
  state.offset = next_offset(state.offset, words);
  std::memcpy(view.data, &state, sizeof(state));
  DIOPI_TRY_RUNTIME("generator", diopiGeneratorSetState, generator, tensor);
  return diopiSuccess;
}

Status detail::peek_through_state(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, RandomStream* stream) {
  diopiTensorHandle_t tensor = nullptr;
  TensorView view;
  SeedAndOffset state;
  DIOPI_TRY(read_state(ctx, generator, &tensor, &view, &state));
  *stream = stream_at(state);
  return diopiSuccess;
}

Status peek_random(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, RandomStream* stream) {
  DIOPI_REQUIRE(generator != nullptr, diopiErrorOccurred, "generator is null");
  if (diopiGeneratorGetSeedAndOffset != nullptr) {
    SeedAndOffset state;
    DIOPI_TRY_RUNTIME("generator", diopiGeneratorGetSeedAndOffset, generator, &state.seed, &state.offset);
    *stream = stream_at(state);
    return diopiSuccess;
  }
  DIOPI_REQUIRE(diopiGeneratorGetState != nullptr, diopiErrorOccurred,
                "the runtime gives no access to the seed and offset of generator");
  return detail::peek_through_state(ctx, generator, stream);
}

Status reserve_random(diopiContextHandle_t ctx, diopiGeneratorHandle_t generator, int64_t words, RandomStream* stream) {
  DIOPI_REQUIRE(generator != nullptr, diopiErrorOccurred, "generator is null");
  if (diopiGeneratorGetSeedAndOffset != nullptr && diopiGeneratorSetSeedAndOffset != nullptr) {
    SeedAndOffset state;
    DIOPI_TRY_RUNTIME("generator", diopiGeneratorGetSeedAndOffset, generator, &state.seed, &state.offset);
    *stream = stream_at(state);
    DIOPI_TRY_RUNTIME("generator", diopiGeneratorSetSeedAndOffset, generator, state.seed,
                      next_offset(state.offset, words));
    return diopiSuccess;
  }
  DIOPI_REQUIRE(diopiGeneratorGetState != nullptr && diopiGeneratorSetState != nullptr, diopiErrorOccurred,
                "the runtime gives no access to the seed and offset of generator");
  return detail::reserve_through_state(ctx, generator, words, stream);
}

Status reserve_random_each(diopiContextHandle_t ctx, const diopiGeneratorHandle_t* generators, const bool* wanted,
                           int64_t count, int64_t words, RandomStream* streams, uint64_t* offsets) {
  const bool restores = diopiGeneratorGetSeedAndOffset != nullptr && diopiGeneratorSetSeedAndOffset != nullptr;
  const auto reserve = [&](int64_t i) -> Status {
    DIOPI_REQUIRE(generators[i] != nullptr, diopiErrorOccurred, "generators[%lld] is null", static_cast<long long>(i));
    if (restores) {
      uint64_t seed = 0;
      DIOPI_TRY_RUNTIME("generators", diopiGeneratorGetSeedAndOffset, generators[i], &seed, &offsets[i]);
    }
    return reserve_random(ctx, generators[i], words, &streams[i]);
  };
  for (int64_t i = 0; i < count; ++i) {
    if (!wanted[i]) continue;
    const Status status = reserve(i);
    if (status.ok()) continue;
    while (restores && --i >= 0) {
      if (wanted[i]) (void)diopiGeneratorSetSeedAndOffset(generators[i], streams[i].seed, offsets[i]);
    }
    return status;
  }
  return diopiSuccess;
}

}  // namespace diopi
