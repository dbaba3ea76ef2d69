// The tools of tests/support: a test is worth what they are.

#include <csignal>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/sequences.h"
#include "tests/support/example_builder.h"
#include "tests/support/guarded_bytes.h"
#include "tests/support/hex.h"
#include "tests/support/record_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

TEST(WireWriter, Varints) {
  EXPECT_EQ(ToHex(Varint(0)), "00");
  EXPECT_EQ(ToHex(Varint(127)), "7f");
  EXPECT_EQ(ToHex(Varint(128)), "8001");
  EXPECT_EQ(ToHex(Varint(1, 3)), "818000");
  EXPECT_EQ(ToHex(Varint(~uint64_t{0})), "ffffffffffffffffff01");
  EXPECT_EQ(Varint(5, 11).size(), 11u);
}

TEST(WireWriter, Fields) {
  EXPECT_EQ(ToHex(LenField(1, "ab")), "0a026162");
  EXPECT_EQ(ToHex(LenFieldDeclaring(2, 300, "x")), "12ac0278");
  EXPECT_EQ(ToHex(Fixed32Field(1, 0x3f800000)), "0d0000803f");
  EXPECT_EQ(ToHex(Group(3, VarintField(1, 1))), "1b08011c");
  EXPECT_EQ(ToHex(NestedGroups(1, 2)), "0b0b0c0c");
}

TEST(ExampleBuilder, WritesWhatTensorFlowWrites) {
  EXPECT_EQ(ToHex(ExampleBuilder().Int64s("a", {4, 5}).Unset("w").Build()),
            "0a140a0b0a016112061a040a0204050a050a01771200");
}

TEST(RecordFile, Checksums) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(MaskedCrc32c(std::string(8, '\0')), 0x07980329u);
  EXPECT_EQ(MaskedCrc32c(""), 0xA282EAD8u);
  EXPECT_EQ(ToHex(FramedRecord("hello")),
            "0500000000000000eab2043e68656c6c6fbb1f1c19");
}

TEST(RecordFile, DamageAndResealing) {
  DamagedFile file({"hello", "", "world"});
  EXPECT_EQ(file.offset(1), 21u);
  EXPECT_EQ(file.offset(3), file.size());
  const std::string intact = file.bytes();
  file.FlipBit(8 * 12);
  EXPECT_NE(file.bytes(), intact);
  file.ResealPayload(0);
  EXPECT_EQ(file.bytes().substr(0, 21), FramedRecord("iello"));
  EXPECT_EQ(file.bytes().substr(21), intact.substr(21));
  file.SetByte(0, 4).ResealHeader(0).Delete(12, 1).ResealPayload(0);
  EXPECT_EQ(file.bytes().substr(0, 20), FramedRecord("ello"));
}

volatile char sink;

void Touch(const char* byte) {
  // Without this ASan explains the fault first, and its exit is no signal.
  std::signal(SIGSEGV, SIG_DFL);
  sink = *byte;
}

TEST(GuardedBytesDeathTest, FaultAtBothEnds) {
  GuardedBytes guarded(100);
  const std::string_view at_end = guarded.PlaceAtEnd("abc");
  EXPECT_EQ(at_end, "abc");
  EXPECT_EXIT(Touch(at_end.data() + 3), ::testing::KilledBySignal(SIGSEGV), "");
  const std::string_view padded = guarded.PlaceAtEnd("abc", 64);
  EXPECT_EQ(padded, "abc");
  Touch(padded.data() + 3 + 63);
  EXPECT_EXIT(Touch(padded.data() + 3 + 64), ::testing::KilledBySignal(SIGSEGV),
              "");
  const std::string_view at_start = guarded.PlaceAtStart("abc");
  EXPECT_EQ(at_start, "abc");
  EXPECT_EXIT(Touch(at_start.data() - 1), ::testing::KilledBySignal(SIGSEGV),
              "");
}

TEST(Sequences, AreAllThere) {
  size_t strings = 0;
  ForEachString(2, [&](const std::string&) { return ++strings != 0; });
  EXPECT_EQ(strings, 65536u);
  std::vector<std::string> sequences;
  ForEachSequence({"a", "b"}, 2, [&](const std::string& sequence) {
    sequences.push_back(sequence);
    return true;
  });
  EXPECT_THAT(sequences, ::testing::UnorderedElementsAre("", "a", "b", "aa",
                                                         "ab", "ba", "bb"));
}

// Failures must be found again from the seed alone.
TEST(Random, SameSeedSameRecords) {
  RandomExample first(/*seed=*/1, {});
  RandomExample second(/*seed=*/1, {});
  Mutator mutator(/*seed=*/2);
  Mutator again(/*seed=*/2);
  for (int i = 0; i < 100; ++i) {
    const std::string record = first.Next();
    EXPECT_EQ(record, second.Next());
    EXPECT_EQ(mutator.Mutate(record), again.Mutate(record));
  }
}

}  // namespace
}  // namespace headrace::testing
