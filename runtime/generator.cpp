// SPDX-License-Identifier: BSD-3-Clause
// Generators: a seed and a position in the seed's Philox 4x32-10 sequence. The vendors compute the numbers.
#include <atomic>
#include <cstring>
#include <mutex>
#include <new>

#include "impl/common/dtype.hpp"
#include "runtime/generator.hpp"
#include "runtime/require.hpp"

struct diopiGenerator {
  mutable std::mutex mutex;
  diopirt::GeneratorState state;
};

namespace diopirt {
namespace {

std::atomic<int64_t> live_generators{0};

GeneratorState read_state(const diopiGenerator* generator) {
  const std::lock_guard<std::mutex> lock(generator->mutex);
  return generator->state;
}

void write_state(diopiGenerator* generator, const GeneratorState& state) {
  const std::lock_guard<std::mutex> lock(generator->mutex);
  generator->state = state;
}

Status require_generator(const diopiGenerator* generator) {
  DIOPI_REQUIRE(generator != nullptr, diopiErrorOccurred, "the generator is null");
  return diopiSuccess;
}

}  // namespace

int64_t count_generators() { return live_generators.load(); }

}  // namespace diopirt

using diopirt::GeneratorState;
using diopirt::OperatorScope;

diopiError_t diopirtCreateGenerator(uint64_t seed, diopiGeneratorHandle_t* generator) {
  const OperatorScope scope("diopirtCreateGenerator");
  DIOPI_REQUIRE(generator != nullptr, diopiErrorOccurred, "generator is null");
  *generator = new (std::nothrow) diopiGenerator;
  DIOPI_REQUIRE(*generator != nullptr, diopiErrorOccurred, "out of memory");
  (*generator)->state.seed = seed;
  diopirt::live_generators.fetch_add(1);
  return diopiSuccess;
}

diopiError_t diopirtDestroyGenerator(diopiGeneratorHandle_t generator) {
  if (generator == nullptr) return diopiSuccess;
  diopirt::live_generators.fetch_sub(1);
  delete generator;
  return diopiSuccess;
}

diopiError_t diopiGeneratorGetState(diopiContextHandle_t ctx, diopiConstGeneratorHandle_t th,
                                    diopiTensorHandle_t* data) {
  const OperatorScope scope("diopiGeneratorGetState");
  DIOPI_REQUIRE(data != nullptr, diopiErrorOccurred, "data is null");
  *data = nullptr;
  DIOPI_REQUIRE(ctx != nullptr, diopiErrorOccurred, "ctx is null");
  DIOPI_TRY(diopirt::require_generator(th));
  const GeneratorState state = diopirt::read_state(th);
  const int64_t size = sizeof(state);
  const diopiSize_t shape{&size, 1};
  diopirt::Geometry geometry;
  DIOPI_TRY(diopirt::check_geometry(shape, nullptr, diopi_dtype_uint8, &geometry));
  DIOPI_TRY(diopirt::require_tensor(ctx, geometry, diopi_dtype_uint8, diopi_host, data));
  std::memcpy((*data)->data, &state, sizeof(state));
  return diopiSuccess;
}

diopiError_t diopiGeneratorSetState(diopiGeneratorHandle_t th, diopiConstTensorHandle_t state) {
  const OperatorScope scope("diopiGeneratorSetState");
  DIOPI_TRY(diopirt::require_generator(th));
  DIOPI_REQUIRE(state != nullptr && !state->sparse, diopiErrorOccurred, "state is null or sparse");
  DIOPI_REQUIRE(state->dtype == diopi_dtype_uint8, diopiDtypeNotSupported, "state has dtype %s, expected uint8",
                diopi::dtype_name(state->dtype));
  DIOPI_REQUIRE(state->storage->device == diopi_host, diopiErrorOccurred, "state is not in host memory");
  GeneratorState value;
  DIOPI_REQUIRE(state->shape.len == 1 && state->numel == static_cast<int64_t>(sizeof(value)), diopiErrorOccurred,
                "state has %lld elements in %lld dimensions, expected 16 in 1", static_cast<long long>(state->numel),
                static_cast<long long>(state->shape.len));
  unsigned char bytes[sizeof(value)];
  const auto* source = static_cast<const unsigned char*>(state->data);
  for (size_t i = 0; i < sizeof(bytes); ++i) bytes[i] = source[static_cast<int64_t>(i) * state->stride.data[0]];
  std::memcpy(&value, bytes, sizeof(value));
  diopirt::write_state(th, value);
  return diopiSuccess;
}

diopiError_t diopiGeneratorGetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t* ptrSeed, uint64_t* ptrOffset) {
  const OperatorScope scope("diopiGeneratorGetSeedAndOffset");
  DIOPI_TRY(diopirt::require_generator(th));
  DIOPI_REQUIRE(ptrSeed != nullptr && ptrOffset != nullptr, diopiErrorOccurred, "%s is null",
                ptrSeed == nullptr ? "ptrSeed" : "ptrOffset");
  const GeneratorState state = diopirt::read_state(th);
  *ptrSeed = state.seed;
  *ptrOffset = state.offset;
  return diopiSuccess;
}

diopiError_t diopiGeneratorSetSeedAndOffset(diopiGeneratorHandle_t th, uint64_t seed, uint64_t offset) {
  const OperatorScope scope("diopiGeneratorSetSeedAndOffset");
  DIOPI_TRY(diopirt::require_generator(th));
  diopirt::write_state(th, {seed, offset});
  return diopiSuccess;
}
