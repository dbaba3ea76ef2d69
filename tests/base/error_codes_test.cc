// A specimen of every ErrorCode: an input for which the public API says exactly
// that. A code without one does not compile.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/index.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "headrace/status.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

// Sanitizers would otherwise end the process where malloc fails.
extern "C" {
const char* __asan_default_options();
const char* __asan_default_options() { return "allocator_may_return_null=1"; }
const char* __msan_default_options();
const char* __msan_default_options() { return "allocator_may_return_null=1"; }
const char* __tsan_default_options();
const char* __tsan_default_options() { return "allocator_may_return_null=1"; }
}

namespace headrace::testing {
namespace {

const std::string kPayload = ExampleBuilder().Int64s("id", {1, 2}).Build();

// Everything in the files until they end.
Status Read(const std::vector<std::string>& paths,
            const ReadOptions& options = {}) {
  auto reader = Reader::Open(paths, options);
  if (!reader.ok()) return reader.status();
  while (reader->Next()) continue;
  return reader->status();
}

Status ReadBytes(std::string_view bytes, const ReadOptions& options = {}) {
  const TemporaryFile file(bytes);
  return Read({file.path()}, options);
}

// One record with its bytes cut or changed.
DamagedFile OneRecord() {
  return DamagedFile(std::vector<std::string>{kPayload});
}

Status Decode(const std::vector<std::string_view>& records,
              const FeatureConfig& feature, const Limits& limits = {}) {
  auto plan = Plan::Compile(FeatureSpec().Add("id", feature));
  if (!plan.ok()) return plan.status();
  return Decoder(*plan, {.limits = limits}).Decode(records).status();
}

// Of tensors larger than any address space.
Status DecodeTooMuch() {
  constexpr bool kWide = sizeof(size_t) == 8;
  FeatureConfig padded = VarLen(DType::kInt64);
  padded.pad_to = 500'000'000;
  const std::vector<std::string_view> records(kWide ? size_t{1} << 18 : 1,
                                              kPayload);
  return Decode(records, padded,
                {.max_batch_bytes = std::numeric_limits<int64_t>::max()});
}

// An enumerator that is not named here stops the compiler.
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"

Status Specimen(ErrorCode code) {
  const std::vector<std::string_view> one = {kPayload};
  switch (code) {
    case ErrorCode::kOk:
      return ReadBytes(OneRecord().bytes());
    case ErrorCode::kInvalidArgument:
      return ReadBytes(OneRecord().bytes(), {.features = {"no such name"}});
    case ErrorCode::kBadSpec:
      return Plan::ForColumns({{"id"}, {"id"}}).status();
    case ErrorCode::kNotFound:
      return Read({"/no/such/path"});
    case ErrorCode::kIo:
      return RecordReader::Open("/").status();
    case ErrorCode::kTruncatedHeader:
      return ReadBytes(OneRecord().CutTo(11).bytes());
    case ErrorCode::kTruncatedPayload:
      return ReadBytes(OneRecord().CutTo(12).bytes());
    case ErrorCode::kTruncatedFooter:
      return ReadBytes(OneRecord().CutTo(OneRecord().size() - 1).bytes());
    case ErrorCode::kHeaderCrc:
      return ReadBytes(OneRecord().FlipByte(8).bytes());
    case ErrorCode::kPayloadCrc:
      return ReadBytes(OneRecord().FlipByte(12).bytes());
    case ErrorCode::kTooLarge:
      return ReadBytes(OneRecord().bytes(),
                       {.limits = {.max_record_bytes = 1}});
    case ErrorCode::kDecompress:
      return ReadBytes("\x1f\x8b\x08 a gzip header with nothing behind it");
    case ErrorCode::kNotTfrecord:
      return ReadBytes("a text file, not records");
    case ErrorCode::kSplitSeam: {
      // The part ends in a record that holds a file.
      const std::vector<std::string> many(10000, kPayload);
      const std::vector<std::string> outer = {RecordFile(many)};
      return ReadBytes(RecordFile(outer), {.message = MessageType::kRaw,
                                           .range = {.begin = 0, .end = 1}});
    }
    case ErrorCode::kWrongRecordCount:
      return ReadBytes(OneRecord().bytes(),
                       {.record_ranges = {{.file_records = 2}}});
    case ErrorCode::kBadIndex: {
      const TemporaryFile text("no index");
      return Index::Open(text.path()).status();
    }
    case ErrorCode::kMalformed:
      return Decode({"\x0a\x7f"}, VarLen(DType::kInt64));
    case ErrorCode::kWrongKind:
      return Decode(one, VarLen(DType::kFloat));
    case ErrorCode::kWrongCount:
      return Decode(one, FixedLen(DType::kInt64, {3}));
    case ErrorCode::kMissingFeature:
      return Decode({""}, FixedLen(DType::kInt64));
    case ErrorCode::kBadSparseIndex:
      return Decode(one, Sparse({"i"}, "id", DType::kInt64, {9}));
    case ErrorCode::kBadPartition:
      return Decode(one, Ragged(DType::kInt64, {{.key = "lengths"}}, "id"));
    case ErrorCode::kLimit:
      return Decode(one, VarLen(DType::kInt64), {.max_batch_bytes = 1});
    case ErrorCode::kTooManyBad:
      return ReadBytes(OneRecord().FlipByte(12).bytes(),
                       {.on_corrupt = OnCorrupt::kSkip, .max_bad = 0});
    case ErrorCode::kOutOfMemory:
      return DecodeTooMuch();
    case ErrorCode::kCancelled:
      return ReadBytes(OneRecord().bytes(),
                       {.interrupted = [] { return true; }});
  }
  ADD_FAILURE() << "no specimen of code " << static_cast<int>(code);
  return Status();
}

#pragma GCC diagnostic pop

// All that have a name, which the compiler asks for, too.
std::vector<ErrorCode> AllCodes() {
  std::vector<ErrorCode> codes;
  for (int i = 0; i <= std::numeric_limits<uint8_t>::max(); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (NameOf(code) != "unknown") codes.push_back(code);
  }
  return codes;
}

TEST(ErrorCodes, EachHasASpecimen) {
  const std::vector<ErrorCode> codes = AllCodes();
  ASSERT_THAT(codes, ::testing::Contains(ErrorCode::kCancelled));
  for (const ErrorCode code : codes) {
    SCOPED_TRACE(NameOf(code));
    EXPECT_THAT(Specimen(code), HasCode(code));
  }
}

// Damage and row errors are what policies leave out; no code is both.
TEST(ErrorCodes, NoneIsDamageAndARowError) {
  for (const ErrorCode code : AllCodes()) {
    SCOPED_TRACE(NameOf(code));
    EXPECT_FALSE(IsDamage(code) && IsRowError(code));
  }
}

}  // namespace
}  // namespace headrace::testing
