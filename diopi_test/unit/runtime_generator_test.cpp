// SPDX-License-Identifier: BSD-3-Clause
// Generators and records.
#include <cstring>

#include "diopi_test/unit/runtime_fixture.hpp"

namespace runtime_test {
namespace {

class RuntimeGenerator : public RuntimeTest {
 protected:
  void SetUp() override {
    RuntimeTest::SetUp();
    ASSERT_EQ(diopirtCreateGenerator(0xFEDCBA9876543210, &generator_), diopiSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(diopirtDestroyGenerator(generator_), diopiSuccess);
    RuntimeTest::TearDown();
  }
  void expect_position(uint64_t seed, uint64_t offset) {
    uint64_t s = 0, o = 0;
    EXPECT_EQ(diopiGeneratorGetSeedAndOffset(generator_, &s, &o), diopiSuccess);
    EXPECT_EQ(s, seed);
    EXPECT_EQ(o, offset);
  }

  diopiGeneratorHandle_t generator_ = nullptr;
};

TEST_F(RuntimeGenerator, starts_at_the_beginning_of_its_seed) { expect_position(0xFEDCBA9876543210, 0); }

TEST_F(RuntimeGenerator, seed_and_offset_are_kept) {
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(generator_, UINT64_MAX, 12345678901234567890u), diopiSuccess);
  expect_position(UINT64_MAX, 12345678901234567890u);
}

TEST_F(RuntimeGenerator, state_round_trip_restores_seed_and_offset) {
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(generator_, 42, 1000), diopiSuccess);
  diopiTensorHandle_t state = nullptr;
  ASSERT_EQ(diopiGeneratorGetState(ctx_, generator_, &state), diopiSuccess) << message();
  EXPECT_EQ(shape_of(state), (std::vector<int64_t>{16}));
  uint64_t words[2];
  std::memcpy(words, data_of(state), sizeof(words));
  EXPECT_EQ(words[0], 42u);
  EXPECT_EQ(words[1], 1000u);
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(generator_, 1, 2), diopiSuccess);
  EXPECT_EQ(diopiGeneratorSetState(generator_, state), diopiSuccess) << message();
  expect_position(42, 1000);
}

TEST_F(RuntimeGenerator, state_is_a_temporary_of_the_context) {
  diopiTensorHandle_t state = nullptr;
  ASSERT_EQ(diopiGeneratorGetState(ctx_, generator_, &state), diopiSuccess);
  EXPECT_EQ(statistics(ctx_).live_temporaries, 1);
  EXPECT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  EXPECT_EQ(statistics(ctx_).live_temporaries, 0);
}

TEST_F(RuntimeGenerator, strided_state_is_read_in_its_own_order) {
  const diopiTensorHandle_t wide = create({32}, diopi_dtype_uint8, diopi_host);
  auto* bytes = static_cast<unsigned char*>(data_of(wide));
  std::memset(bytes, 0xFF, 32);
  for (int i = 0; i < 16; ++i) bytes[2 * i] = i == 0 ? 7 : i == 8 ? 9 : 0;
  const diopiTensorHandle_t state = view(wide, {16}, {2}, 0);
  EXPECT_EQ(diopiGeneratorSetState(generator_, state), diopiSuccess) << message();
  expect_position(7, 9);
  diopirtReleaseTensor(state);
  diopirtReleaseTensor(wide);
}

TEST_F(RuntimeGenerator, wrong_states_are_refused_and_change_nothing) {
  const diopiTensorHandle_t shorter = create({15}, diopi_dtype_uint8, diopi_host);
  const diopiTensorHandle_t integers = create({16}, diopi_dtype_int8, diopi_host);
  const diopiTensorHandle_t elsewhere = create({16}, diopi_dtype_uint8, diopi_device);
  EXPECT_EQ(diopiGeneratorSetState(generator_, shorter), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGeneratorSetState: state has 15 elements in 1 dimensions, expected 16 in 1");
  EXPECT_EQ(diopiGeneratorSetState(generator_, integers), diopiDtypeNotSupported);
  EXPECT_EQ(message(), "diopiGeneratorSetState: state has dtype int8, expected uint8");
  EXPECT_EQ(diopiGeneratorSetState(generator_, elsewhere), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGeneratorSetState: state is not in host memory");
  EXPECT_EQ(diopiGeneratorSetState(generator_, nullptr), diopiErrorOccurred);
  expect_position(0xFEDCBA9876543210, 0);
  for (const diopiTensorHandle_t t : {shorter, integers, elsewhere}) diopirtReleaseTensor(t);
}

TEST_F(RuntimeGenerator, null_arguments_are_refused) {
  uint64_t word = 0;
  diopiTensorHandle_t state = nullptr;
  EXPECT_EQ(diopiGeneratorGetSeedAndOffset(nullptr, &word, &word), diopiErrorOccurred);
  EXPECT_EQ(diopiGeneratorGetSeedAndOffset(generator_, &word, nullptr), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopiGeneratorGetSeedAndOffset: ptrOffset is null");
  EXPECT_EQ(diopiGeneratorSetSeedAndOffset(nullptr, 1, 2), diopiErrorOccurred);
  EXPECT_EQ(diopiGeneratorGetState(ctx_, nullptr, &state), diopiErrorOccurred);
  EXPECT_EQ(diopiGeneratorGetState(nullptr, generator_, &state), diopiErrorOccurred);
}

struct Journal {
  std::vector<std::string> lines;

  static void* start(const char* name, void* journal) {
    auto* lines = &static_cast<Journal*>(journal)->lines;
    lines->push_back(std::string("start ") + name);
    return new std::string(name);
  }
  static void end(void* token, void* journal) {
    auto* name = static_cast<std::string*>(token);
    static_cast<Journal*>(journal)->lines.push_back("end " + *name);
    delete name;
  }
};

TEST(RuntimeRecord, without_a_hook_nothing_is_recorded) {
  void* record = &record;
  EXPECT_EQ(diopiRecordStart("diopiAdd", &record), diopiSuccess);
  EXPECT_EQ(record, nullptr);
  EXPECT_EQ(diopiRecordEnd(&record), diopiSuccess);
  EXPECT_EQ(diopiRecordStart("diopiAdd", nullptr), diopiErrorOccurred);
  EXPECT_EQ(diopiRecordEnd(nullptr), diopiErrorOccurred);
}

TEST(RuntimeRecord, hook_hears_nested_records) {
  Journal journal;
  void *outer = nullptr, *inner = nullptr;
  ASSERT_EQ(diopirtSetRecordHook(Journal::start, Journal::end, &journal), diopiSuccess);
  EXPECT_EQ(diopiRecordStart("outer", &outer), diopiSuccess);
  EXPECT_EQ(diopiRecordStart("inner", &inner), diopiSuccess);
  EXPECT_EQ(diopiRecordEnd(&inner), diopiSuccess);
  EXPECT_EQ(diopiRecordEnd(&outer), diopiSuccess);
  EXPECT_EQ(outer, nullptr);
  EXPECT_EQ(diopiRecordEnd(&outer), diopiSuccess);  // only one end is needed
  EXPECT_EQ(diopirtSetRecordHook(nullptr, nullptr, nullptr), diopiSuccess);
  EXPECT_EQ(diopiRecordStart("unheard", &outer), diopiSuccess);
  EXPECT_EQ(journal.lines, (std::vector<std::string>{"start outer", "start inner", "end inner", "end outer"}));
}

TEST(RuntimeRecord, open_record_ends_with_the_hook_it_began_with) {
  Journal first, second;
  void* record = nullptr;
  ASSERT_EQ(diopirtSetRecordHook(Journal::start, Journal::end, &first), diopiSuccess);
  EXPECT_EQ(diopiRecordStart("long", &record), diopiSuccess);
  ASSERT_EQ(diopirtSetRecordHook(Journal::start, Journal::end, &second), diopiSuccess);
  EXPECT_EQ(diopiRecordEnd(&record), diopiSuccess);
  EXPECT_EQ(diopirtSetRecordHook(nullptr, nullptr, nullptr), diopiSuccess);
  EXPECT_EQ(first.lines, (std::vector<std::string>{"start long", "end long"}));
  EXPECT_TRUE(second.lines.empty());
}

TEST(RuntimeRecord, half_a_hook_is_refused) {
  EXPECT_EQ(diopirtSetRecordHook(Journal::start, nullptr, nullptr), diopiErrorOccurred);
  EXPECT_EQ(message(), "diopirtSetRecordHook: end is null");
}

}  // namespace
}  // namespace runtime_test
