// A mapped file that another process writes to, in place, while it is read: any
// values may come of it, and errors, but nothing that ends the process. Meant
// for AddressSanitizer.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "tests/naive/batch_columns.h"
#include "tests/process/single_step.h"
#include "tests/support/each_target.h"
#include "tests/support/effort.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// Writes contents of one size over a file in turn, by calls of the system: what
// they write is not a data race of this process.
class Scribbler {
 public:
  Scribbler(const std::string& path, std::vector<std::string> contents)
      : contents_(std::move(contents)),
        descriptor_(open(path.c_str(), O_WRONLY | O_CLOEXEC)),
        thread_([this] { Scribble(); }) {}
  Scribbler(const Scribbler&) = delete;
  Scribbler& operator=(const Scribbler&) = delete;
  ~Scribbler() {
    done_ = true;
    thread_.join();
    close(descriptor_);
  }

 private:
  // In pieces, so that a file is never all of one content for long.
  void Scribble() const {
    constexpr size_t kPiece = 3000;
    for (size_t round = 0; !done_; ++round) {
      const std::string& bytes = contents_[round % contents_.size()];
      for (size_t at = 0; at < bytes.size() && !done_; at += kPiece) {
        const size_t size = std::min(kPiece, bytes.size() - at);
        ASSERT_EQ(pwrite(descriptor_, bytes.data() + at, size,
                         static_cast<off_t>(at)),
                  static_cast<ssize_t>(size));
      }
    }
  }

  const std::vector<std::string> contents_;
  const int descriptor_;
  std::atomic<bool> done_ = false;
  std::thread thread_;
};

// One record, whose packed list has ten bytes a value or one.
std::string LongList(int64_t value) {
  constexpr size_t kBytes = 4'000'000;
  const size_t size = value < 0 ? 10 : 1;
  return RecordFile(
      {ExampleBuilder()
           .Int64s("a", std::vector<int64_t>(kBytes / size, value))
           .Build()});
}

// Records of the same sizes whose entries begin and end elsewhere, or have
// other keys and kinds.
std::string ManyRecords(size_t variant) {
  const std::string value(16 + 8 * variant, 'v');
  const std::string rest(40 - 8 * variant, 'r');
  const char* const keys[] = {"a", "k", "b"};
  std::vector<std::string> records;
  for (size_t i = 0; i < 3000; ++i) {
    ExampleBuilder builder;
    builder.Bytes("b", {value}).Bytes("c", {rest});
    builder.Int64s(keys[variant], {static_cast<int64_t>(i % 100)});
    builder.Floats("f", std::vector<float>(4, 1)).Bytes("not asked for", {"x"});
    const std::string steps = variant == 0
                                  ? FeatureListOf({Int64Feature({1, 2, 3}), ""})
                                  : FeatureListOf({Int64Feature({1}), "", ""});
    records.push_back(builder.Build() +
                      FeatureListsField(EntryField("s", steps)));
  }
  return RecordFile(records);
}

void ReadToTheEnd(const std::string& path, const Plan* plan,
                  ReadOptions options) {
  options.mmap = true;
  auto reader = plan != nullptr ? Reader::Open({path}, *plan, options)
                                : Reader::Open({path}, options);
  while (reader.ok()) {
    const auto batch = reader->Next();
    if (!batch) break;
    EXPECT_EQ(BrokenPromise(*batch), "");
  }
}

void ReadInAllWays(const std::string& path, const std::vector<Plan>& plans) {
  ForEachTarget([&] {
    for (const OnCorrupt on_corrupt : {OnCorrupt::kSkip, OnCorrupt::kRescan}) {
      for (const bool verify : {false, true}) {
        const ReadOptions options = {.on_corrupt = on_corrupt,
                                     .on_row_error = OnRowError::kSkip,
                                     .verify_payload = verify};
        ReadToTheEnd(path, nullptr, options);
        for (const Plan& plan : plans) ReadToTheEnd(path, &plan, options);
      }
    }
  });
}

TEST(ChangingFile, LongPackedLists) {
  const std::vector<std::string> contents = {LongList(-1), LongList(1)};
  const TemporaryFile file(contents[1]);
  const Scribbler scribbler(file.path(), contents);
  ReadInAllWays(
      file.path(),
      {*Plan::ForColumns({{"a", Kind::kInt64}}),
       *Plan::Compile(FeatureSpec().Add("a", VarLen(DType::kInt64))),
       *Plan::Compile(FeatureSpec().Add("a", Ragged(DType::kInt64)))});
}

TEST(ChangingFile, ManyRecords) {
  const std::vector<std::string> contents = {ManyRecords(0), ManyRecords(1),
                                             ManyRecords(2)};
  const TemporaryFile file(contents[0]);
  const Scribbler scribbler(file.path(), contents);
  ReadInAllWays(
      file.path(),
      {*Plan::ForColumns({{"a", Kind::kInt64},
                          {"b", Kind::kBytes},
                          {"c", Kind::kBytes},
                          {"f", Kind::kFloat},
                          {"s", Kind::kInt64, /*in_sequence=*/true}}),
       *Plan::Compile(FeatureSpec()
                          .Add("b", FixedLen(DType::kBytes)
                                        .Default(DefaultValues(
                                            std::vector<std::string>{"-"})))
                          .Add("f", FixedLen(DType::kFloat, {4}))
                          .AddSequence("s", Ragged(DType::kInt64)))});
}

// ----------------------------------------------------- One header, stepwise

struct ChangingLength {
  std::string file;
  size_t at = 0;
  uint64_t steps = 0;
  uint64_t period = 1;
};

// The length in a header is right or absurd by turns.
bool ChangeLength(void* argument) {
  auto* const changing = static_cast<ChangingLength*>(argument);
  if (++changing->steps % changing->period != 0) return true;
  for (size_t i = 0; i < 8; ++i) changing->file[changing->at + i] ^= '\xFF';
  return true;
}

// A header is found, and then read again.
TEST(ChangingFile, LengthOfAHeaderThatWasFound) {
  if (!CanSingleStep()) GTEST_SKIP() << "no single steps here";
  const std::string record = FramedRecord(std::string(5000, 'p'));
  // Its length is 0: what it changes to is 2^64 - 1.
  const std::string damaged = std::string(8, 'x') + RecordHeader(0);
  // An instrumented build executes several times as many instructions.
  constexpr uint64_t kRatio = kInstrumented ? 8 : 5;
  for (uint64_t period = 40; period < 1500; period = period * kRatio / 4) {
    // Longer than what is copied before it is read.
    ChangingLength changing = {.file = damaged + record, .at = 8};
    changing.period = period;
    auto reader = OrThrow(RecordReader::FromMemory(
        changing.file,
        {.compression = Compression::kNone, .on_corrupt = OnCorrupt::kRescan}));
    SingleStep(&ChangeLength, &changing, [&] {
      while (true) {
        const auto next = reader.Next();
        if (!next) break;
      }
    });
  }
}

}  // namespace
}  // namespace headrace::testing
