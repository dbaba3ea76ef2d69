// Every small way to damage a small file, under every policy, window size and
// block size; what must come out is said by an oracle and, for what users rely
// on, in words of its own.

#include <string>
#include <vector>

#include "tests/record/naive_scan.h"
#include "tests/record/random_damage.h"
#include "tests/record/scan.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

const std::vector<std::string>& Three() {
  static const auto& payloads =
      *new std::vector<std::string>{"hello", "", "twelve bytes"};
  return payloads;
}

std::vector<std::string> Payloads(const ScanOutcome& outcome) {
  std::vector<std::string> payloads;
  for (const ScannedRecord& record : outcome.records) {
    payloads.push_back(record.payload);
  }
  return payloads;
}

// The records without the one whose bytes hold `offset`, which is returned.
std::vector<std::string> WithoutOwner(const DamagedFile& file, size_t offset,
                                      size_t* owner) {
  std::vector<std::string> rest = Three();
  *owner = 0;
  while (file.offset(*owner + 1) <= offset) ++*owner;
  rest.erase(rest.begin() + static_cast<ptrdiff_t>(*owner));
  return rest;
}

TEST(Damage, EverySingleBit) {
  const DamagedFile whole(Three());
  for (size_t bit = 0; bit < whole.size() * 8; ++bit) {
    SCOPED_TRACE(bit);
    DamagedFile file = whole;
    file.FlipBit(bit);
    size_t owner;
    const auto rest = WithoutOwner(whole, bit / 8, &owner);
    const bool in_header = bit / 8 < whole.offset(owner) + 12;
    const SkippedRegion lost{
        whole.offset(owner), whole.offset(owner + 1),
        in_header ? ErrorCode::kHeaderCrc : ErrorCode::kPayloadCrc};

    const ScanOutcome fail = ScanAllWays(file.bytes(), OnCorrupt::kFail);
    EXPECT_EQ(fail.records.size(), owner);
    EXPECT_EQ(fail.error, lost.reason);
    EXPECT_EQ(fail.offset, lost.begin);

    const ScanOutcome skip = ScanAllWays(file.bytes(), OnCorrupt::kSkip);
    if (in_header) {
      EXPECT_EQ(skip, fail);
    } else {
      EXPECT_EQ(Payloads(skip), rest);
      EXPECT_THAT(skip.regions, ElementsAre(lost));
    }

    const ScanOutcome rescan = ScanAllWays(file.bytes(), OnCorrupt::kRescan);
    EXPECT_EQ(Payloads(rescan), rest);
    EXPECT_THAT(rescan.regions, ElementsAre(lost));
    for (const ScannedRecord& record : rescan.records) {
      EXPECT_EQ(record.recovered, in_header && record.offset > lost.begin);
    }
  }
}

TEST(Damage, EveryByteMissing) {
  const DamagedFile whole(Three());
  for (size_t at = 0; at < whole.size(); ++at) {
    SCOPED_TRACE(at);
    DamagedFile file = whole;
    file.Delete(at, 1);
    size_t owner;
    const auto rest = WithoutOwner(whole, at, &owner);
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(file.bytes(), policy);
      if (policy != OnCorrupt::kRescan) continue;
      EXPECT_EQ(Payloads(outcome), rest);
      ASSERT_EQ(outcome.regions.size(), 1u);
      EXPECT_EQ(outcome.regions[0].begin, whole.offset(owner));
      EXPECT_EQ(outcome.regions[0].end, whole.offset(owner + 1) - 1);
    }
  }
}

TEST(Damage, EveryByteInserted) {
  const DamagedFile whole(Three());
  for (size_t at = 0; at <= whole.size(); ++at) {
    for (int byte = 0; byte < 256; byte += kInstrumented ? 15 : 1) {
      SCOPED_TRACE(std::to_string(byte) + " at " + std::to_string(at));
      const std::string inserted(1, static_cast<char>(byte));
      DamagedFile file = whole;
      file.Insert(at, inserted);
      for (OnCorrupt policy : kPolicies) {
        // Which byte it is hardly matters to windows and blocks.
        const ScanOutcome outcome = byte % 85 == 0
                                        ? ScanAllWays(file.bytes(), policy)
                                        : Scan(file.bytes(), policy);
        EXPECT_EQ(outcome, NaiveScan(file.bytes(), {.on_corrupt = policy}));
        if (policy != OnCorrupt::kRescan) continue;
        // Inside a record only that one is lost; between two, or where the
        // byte is like those beside it up to there, nothing.
        size_t left = 0;
        for (const std::string& payload : Three()) {
          if (file.bytes().find(FramedRecord(payload)) != std::string::npos) {
            ++left;
          }
        }
        EXPECT_GE(left, 2u);
        EXPECT_EQ(outcome.records.size(), left);
        EXPECT_EQ(outcome.regions.size(), 1u);
      }
    }
  }
}

// The same where a byte is another one: all of them, not single bits.
TEST(Damage, EveryByteReplaced) {
  const DamagedFile whole(Three());
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int mask = 1; mask < 256; mask += kInstrumented ? 15 : 1) {
      SCOPED_TRACE(std::to_string(mask) + " at " + std::to_string(at));
      DamagedFile file = whole;
      file.FlipByte(at, static_cast<uint8_t>(mask));
      for (OnCorrupt policy : kPolicies) {
        const ScanOutcome outcome = Scan(file.bytes(), policy);
        EXPECT_EQ(outcome, NaiveScan(file.bytes(), {.on_corrupt = policy}));
        // Only the record that has the byte.
        if (policy != OnCorrupt::kRescan) continue;
        size_t owner;
        EXPECT_EQ(Payloads(outcome), WithoutOwner(whole, at, &owner));
      }
    }
  }
}

// An intact file, cut into two windows at every byte.
TEST(Damage, NoneWhereverAWindowEnds) {
  const DamagedFile whole(Three());
  ScanSetup setup;
  for (setup.source.window_bytes = 1;
       setup.source.window_bytes <= whole.size() + 1;
       ++setup.source.window_bytes) {
    for (OnCorrupt policy : kPolicies) {
      setup.scan.on_corrupt = policy;
      const ScanOutcome outcome = Scan(whole.bytes(), setup);
      EXPECT_EQ(Payloads(outcome), Three());
      EXPECT_THAT(outcome.regions, IsEmpty());
      EXPECT_EQ(outcome.error, ErrorCode::kOk);
    }
  }
}

TEST(Damage, EveryCut) {
  const DamagedFile whole(Three());
  for (size_t size = 0; size <= whole.size(); ++size) {
    SCOPED_TRACE(size);
    const std::string file = whole.bytes().substr(0, size);
    size_t complete = 0;
    while (complete < 3 && whole.offset(complete + 1) <= size) ++complete;
    const uint64_t end = whole.offset(complete);
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(file, policy);
      EXPECT_EQ(outcome.records.size(), complete);
      const bool clean = end == size;
      if (policy == OnCorrupt::kFail) {
        EXPECT_EQ(outcome.error == ErrorCode::kOk, clean);
        EXPECT_EQ(outcome.offset, end);
      } else {
        EXPECT_EQ(outcome.error, ErrorCode::kOk);
        EXPECT_EQ(outcome.regions.empty(), clean);
      }
    }
  }
}

TEST(Damage, BlocksOfZeros) {
  const DamagedFile whole(Three());
  for (size_t zeros : {1u, 8u, 12u, 16u, 100u, 4096u}) {
    for (size_t record = 0; record <= 3; ++record) {
      SCOPED_TRACE(zeros);
      DamagedFile file = whole;
      file.Insert(whole.offset(record), std::string(zeros, '\0'));
      for (OnCorrupt policy : kPolicies) {
        const ScanOutcome outcome = Scan(file.bytes(), policy);
        EXPECT_EQ(outcome, NaiveScan(file.bytes(), {.on_corrupt = policy}));
        if (policy != OnCorrupt::kRescan) continue;
        EXPECT_EQ(Payloads(outcome), Three());
        ASSERT_EQ(outcome.regions.size(), 1u);
        EXPECT_EQ(outcome.regions[0].end - outcome.regions[0].begin, zeros);
      }
    }
  }
}

TEST(Damage, AMebibyteOfZeros) {
  for (size_t record = 0; record <= 3; ++record) {
    DamagedFile file(Three());
    file.Insert(file.offset(record), std::string(1 << 20, '\0'));
    ScanSetup setup;
    setup.scan.on_corrupt = OnCorrupt::kRescan;
    setup.source.window_bytes = 10'000;
    EXPECT_EQ(Payloads(Scan(file.bytes(), setup)), Three());
  }
}

TEST(Damage, SwappedAndDuplicatedRecordsAreNone) {
  const std::string a = FramedRecord("a"), b = FramedRecord("bb");
  for (OnCorrupt policy : kPolicies) {
    EXPECT_THAT(Payloads(ScanAllWays(b + a, policy)), ElementsAre("bb", "a"));
    EXPECT_THAT(Payloads(ScanAllWays(a + a + b, policy)),
                ElementsAre("a", "a", "bb"));
  }
}

TEST(Damage, LengthsWithARightHeaderCrc) {
  const DamagedFile whole(Three());
  const uint64_t left = whole.size() - whole.offset(1) - 16;
  for (uint64_t length :
       {uint64_t{0}, uint64_t{1}, left - 1, left, left + 1, left + 4, left + 5,
        (uint64_t{1} << 31) - 1, uint64_t{1} << 31, (uint64_t{1} << 31) + 1,
        (uint64_t{1} << 32) - 1, uint64_t{1} << 32, (uint64_t{1} << 32) + 1,
        uint64_t{1} << 62, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 3,
        ~uint64_t{0} - 15, ~uint64_t{0} - 16}) {
    for (size_t record : {0u, 1u, 2u}) {
      SCOPED_TRACE(length);
      DamagedFile file = whole;
      file.Overwrite(whole.offset(record), RecordHeader(length));
      for (OnCorrupt policy : kPolicies) ScanAllWays(file.bytes(), policy);
    }
  }
}

TEST(Damage, BothChecksumsWrong) {
  for (size_t record : {0u, 1u, 2u}) {
    DamagedFile file(Three());
    file.FlipByte(file.offset(record) + 9)
        .FlipByte(file.offset(record + 1) - 1);
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(file.bytes(), policy);
      if (policy == OnCorrupt::kRescan) {
        EXPECT_EQ(outcome.records.size(), 2u);
      } else {
        EXPECT_EQ(outcome.error, ErrorCode::kHeaderCrc);
      }
    }
  }
}

TEST(Damage, BadPayloadsInARow) {
  DamagedFile file({"one", "two", "three", "four"});
  file.FlipByte(file.offset(1) + 12).FlipByte(file.offset(2) + 12);
  for (OnCorrupt policy : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
    const ScanOutcome outcome = ScanAllWays(file.bytes(), policy);
    EXPECT_THAT(Payloads(outcome), ElementsAre("one", "four"));
    EXPECT_THAT(outcome.regions,
                ElementsAre(SkippedRegion{file.offset(1), file.offset(2),
                                          ErrorCode::kPayloadCrc},
                            SkippedRegion{file.offset(2), file.offset(3),
                                          ErrorCode::kPayloadCrc}));
  }
}

// The second one's payload is right, which says nothing.
TEST(Damage, BadHeadersInARow) {
  DamagedFile file({"one", "two", "three", "four"});
  file.FlipByte(file.offset(1) + 8).FlipByte(file.offset(2) + 11);
  const ScanOutcome outcome = ScanAllWays(file.bytes(), OnCorrupt::kRescan);
  EXPECT_THAT(Payloads(outcome), ElementsAre("one", "four"));
  EXPECT_THAT(outcome.regions,
              ElementsAre(SkippedRegion{file.offset(1), file.offset(3),
                                        ErrorCode::kHeaderCrc}));
  // Where no length but theirs is allowed, no more is read than each header.
  ScanSetup setup;
  setup.scan.on_corrupt = OnCorrupt::kRescan;
  setup.scan.limits.max_record_bytes = 10;
  setup.source.window_bytes = 1;
  EXPECT_EQ(Scan(file.bytes(), setup), outcome);
}

TEST(Damage, AFileInsideAPayload) {
  const std::string inner = RecordFile({"in1", "in2"});
  const std::vector<std::string> payloads = {"before", inner, "after"};
  DamagedFile bad_payload(payloads);
  bad_payload.FlipByte(bad_payload.offset(2) - 1);
  const ScanOutcome whole =
      ScanAllWays(bad_payload.bytes(), OnCorrupt::kRescan);
  EXPECT_THAT(Payloads(whole), ElementsAre("before", "after"));

  // Here the inner records cannot be told from outer ones: why a rescan is
  // asked for and never a default.
  DamagedFile bad_header(payloads);
  bad_header.FlipByte(bad_header.offset(1));
  const ScanOutcome lost = ScanAllWays(bad_header.bytes(), OnCorrupt::kRescan);
  EXPECT_THAT(Payloads(lost), ElementsAre("before", "in1", "in2", "after"));
  EXPECT_EQ(lost.regions.size(), 2u);

  for (size_t cut = 1; cut < inner.size() + 16; ++cut) {
    DamagedFile tail(std::vector<std::string>{"before", inner});
    tail.CutTo(tail.size() - cut);
    for (OnCorrupt policy : kPolicies) ScanAllWays(tail.bytes(), policy);
  }
}

TEST(Damage, TextInsteadOfRecords) {
  for (const std::string& text :
       {std::string("a text file\nof two lines\n"), std::string(12, '\t'),
        std::string("\r\n") + "ten bytes!", std::string(12, '~')}) {
    for (OnCorrupt policy : kPolicies) {
      const ScanOutcome outcome = ScanAllWays(text, policy);
      if (policy != OnCorrupt::kRescan) {
        EXPECT_EQ(outcome.error, ErrorCode::kNotTfrecord);
      } else {
        EXPECT_THAT(outcome.regions,
                    ElementsAre(SkippedRegion{0, text.size(),
                                              ErrorCode::kNotTfrecord}));
      }
    }
  }
  for (const char* other : {"eleven byte\x7f", "eleven byte\x1f",
                            "eleven byte\x80", "\xef\xbb\xbfUTF-8 text"}) {
    EXPECT_EQ(Scan(other, OnCorrupt::kFail).error, ErrorCode::kHeaderCrc);
  }
  EXPECT_EQ(Scan("eleven byte", OnCorrupt::kFail).error,
            ErrorCode::kTruncatedHeader);
  const std::string before = "# a comment, then records\n";
  const ScanOutcome found =
      ScanAllWays(before + RecordFile(Three()), OnCorrupt::kRescan);
  EXPECT_EQ(Payloads(found), Three());
}

// ------------------------------------------------------------ At random

// Some records, and some of the above done to them.
std::string RandomDamage(Random* random) {
  std::vector<std::string> payloads(1 + random->Below(8));
  for (std::string& payload : payloads) {
    payload = random->Bytes(random->Below(random->OneIn(4) ? 3000 : 30));
    if (random->OneIn(6)) {
      payload = RecordFile({payload.substr(0, 20), "inner"});
    }
  }
  DamagedFile file(payloads);
  DamageAtRandom(random, &file);
  return file.bytes();
}

TEST(Damage, AtRandomAndInAnyWindows) {
  Random random(20240607);
  const FakeSource::Options failing{
      .failure = Status(
          ErrorInfo{.code = ErrorCode::kDecompress, .file = "fake.tfrecord"})};
  for (int i = 0; i < 1000; ++i) {
    SCOPED_TRACE(i);
    const std::string file = RandomDamage(&random);
    for (OnCorrupt policy : kPolicies) {
      ScanAllWays(file, policy, i % 4 == 0 ? failing : FakeSource::Options());
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace headrace::testing
