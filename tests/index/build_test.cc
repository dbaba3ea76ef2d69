// Indexes are made of files, and saved.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "headrace/index.h"
#include "headrace/record_reader.h"
#include "tests/compression/stored.h"
#include "tests/index/naive_index.h"
#include "tests/random/random_example.h"
#include "tests/support/compressions.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {
namespace {

using Payloads = std::vector<std::string>;

NaiveIndex NaiveOf(std::string_view file) {
  NaiveIndex places;
  for (const RecordPlace& place : NaivePlaces(file)) places.push_back(place);
  return places;
}

// Bytes that the caller gives, with what was asked for.
struct Calls {
  uint64_t bytes = 0;
  uint64_t reads = 0;
};

class CountedInput : public InputFile {
 public:
  CountedInput(std::string_view bytes, bool seekable, Calls* calls)
      : bytes_(bytes), seekable_(seekable), calls_(calls) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const size_t size = std::min(out.size(), bytes_.size() - at_);
    std::memcpy(out.data(), bytes_.data() + at_, size);
    at_ += size;
    calls_->bytes += size;
    ++calls_->reads;
    return size;
  }
  bool can_seek() const override { return seekable_; }
  Status Seek(uint64_t position) override {
    at_ = static_cast<size_t>(std::min<uint64_t>(position, bytes_.size()));
    return Status();
  }
  uint64_t size() const override { return bytes_.size(); }

 private:
  const std::string_view bytes_;
  const bool seekable_;
  Calls* const calls_;
  size_t at_ = 0;
};

OpenInput Opening(std::string_view bytes, Calls* calls, bool seekable = true) {
  return [=](const std::string&) -> Result<std::unique_ptr<InputFile>> {
    return std::unique_ptr<InputFile>(
        std::make_unique<CountedInput>(bytes, seekable, calls));
  };
}

void ExpectIndexOf(const std::string& bytes) {
  const NaiveIndex expected = NaiveOf(bytes);
  const TemporaryFile file(bytes);
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/x.hri";
  for (const bool verify : {false, true}) {
    const Index built = OrThrow(Index::Build(file.path(), {.verify = verify}));
    EXPECT_EQ(PlacesOf(built), expected);
    EXPECT_EQ(built.stream_bytes(), bytes.size());
    ASSERT_THAT(built.Save(path), IsOk());
    const std::string saved = ContentOf(path);
    EXPECT_EQ(saved.size(), built.index_bytes());
    EXPECT_EQ(ReadNaively(saved), expected);
    const Index opened = OrThrow(Index::Open(path));
    EXPECT_EQ(PlacesOf(opened), expected);
    EXPECT_THAT(opened.CheckIsOf(file.path()), IsOk());
  }
}

TEST(IndexBuild, FewRecords) {
  for (const size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 128u, 129u}) {
    SCOPED_TRACE(count);
    Payloads payloads(count, "some bytes");
    for (size_t i = 0; i < count; i += 3) payloads[i].clear();
    ExpectIndexOf(RecordFile(payloads));
  }
}

// Records of all sizes around those of the walk's reads.
TEST(IndexBuild, RandomFiles) {
  Random random(/*seed=*/1);
  for (int i = 0; i < 60; ++i) {
    SCOPED_TRACE(i);
    const size_t largest = size_t{1} << random.Below(20);
    const size_t count = 1 + random.Below((size_t{4} << 20) / (largest + 1000));
    std::string bytes;
    for (size_t j = 0; j < count; ++j) {
      const bool is_small = random.OneIn(3);
      const std::string payload(random.Below(is_small ? 20 : largest + 1), 'x');
      // The walk does not look at payloads and footers.
      bytes += RecordHeader(payload.size()) + payload + "foot";
    }
    Calls calls;
    const Index index =
        OrThrow(Index::Build("x", {.open_input = Opening(bytes, &calls)}));
    ASSERT_EQ(PlacesOf(index), NaiveOf(bytes));
  }
}

TEST(IndexBuild, IntactRandomFiles) {
  Random random(/*seed=*/2);
  for (int i = 0; i < 10; ++i) {
    Payloads payloads(random.Below(300));
    for (std::string& payload : payloads) {
      payload = random.Bytes(random.Below(random.OneIn(20) ? 70'000 : 200));
    }
    ExpectIndexOf(RecordFile(payloads));
  }
}

TEST(IndexBuild, LargePayloadsAreNotRead) {
  std::string bytes;
  for (int i = 0; i < 100; ++i) {
    bytes += RecordHeader(200'000) + std::string(200'000, 'x') + "foot";
  }
  Calls calls;
  const Index index =
      OrThrow(Index::Build("x", {.open_input = Opening(bytes, &calls)}));
  EXPECT_EQ(PlacesOf(index), NaiveOf(bytes));
  EXPECT_LT(calls.bytes, bytes.size() / 20);
  EXPECT_LT(calls.reads, 120u);
}

TEST(IndexBuild, SmallRecordsAreReadManyAtATime) {
  const std::string bytes = RecordFile(Payloads(10'000, "some bytes"));
  Calls calls;
  const Index index =
      OrThrow(Index::Build("x", {.open_input = Opening(bytes, &calls)}));
  EXPECT_EQ(index.size(), 10'000u);
  EXPECT_LT(calls.reads, 15u);
}

// The error is the reader's, whatever it is, and wherever.
void ExpectErrorOfReader(const std::string& bytes, bool verify,
                         const Limits& limits = {}) {
  const TemporaryFile file(bytes);
  RecordReader reader = OrThrow(
      RecordReader::Open(file.path(), {.compression = Compression::kNone,
                                       .verify_payload = verify,
                                       .limits = limits}));
  Status expected;
  while (true) {
    auto record = reader.Next();
    expected = record.status();
    if (!record) break;
  }
  const auto built =
      Index::Build(file.path(), {.verify = verify, .limits = limits});
  ASSERT_EQ(built.status().ToString(), expected.ToString());
}

TEST(IndexBuild, ErrorsAreTheReaders) {
  Random random(/*seed=*/3);
  Payloads payloads(20);
  for (std::string& payload : payloads) {
    payload = random.Bytes(random.Below(40));
  }
  const std::string bytes = RecordFile(payloads);
  for (const bool verify : {false, true}) {
    for (size_t size = 12; size < bytes.size(); ++size) {
      ExpectErrorOfReader(bytes.substr(0, size), verify);
    }
    for (size_t bit = 0; bit < 8 * bytes.size(); bit += 3) {
      ExpectErrorOfReader(DamagedFile(bytes).FlipBit(bit).bytes(), verify);
    }
    ExpectErrorOfReader(bytes + RecordHeader(~uint64_t{0}) + "x", verify);
    ExpectErrorOfReader(bytes, verify, {.max_record_bytes = 30});
  }
}

TEST(IndexBuild, ErrorsBehindManyAndLargeRecords) {
  Payloads payloads(3000, std::string(500, 'a'));
  payloads.insert(payloads.begin() + 1000, 5, std::string(300'000, 'b'));
  for (const size_t bad :
       {size_t{1}, size_t{999}, size_t{1002}, size_t{1005}, size_t{3004}}) {
    DamagedFile file(payloads);
    file.FlipByte(file.offset(bad) + 8);
    ExpectErrorOfReader(file.bytes(), false);
    file.CutTo(file.offset(bad) + 20);
    ExpectErrorOfReader(file.bytes(), false);
  }
}

TEST(IndexBuild, OtherInputsAreRefused) {
  const std::string bytes = RecordFile(Payloads{"one", "two"});
  const TemporaryFile file(compression::Compress(Compression::kSnappy, bytes));
  EXPECT_THAT(Index::Build(file.path()),
              IsError(ErrorCode::kInvalidArgument,
                      {.file = file.path(), .text = "snappy"}));
  EXPECT_THAT(Index::Build("-"),
              IsError(ErrorCode::kInvalidArgument, {.text = "standard input"}));
  const TemporaryFolder folder;
  const std::string pipe = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(Index::Build(pipe),
              IsError(ErrorCode::kInvalidArgument, {.text = "a pipe"}));
  EXPECT_THAT(Index::Build(folder.path()), HasCode(ErrorCode::kIo));
  EXPECT_THAT(Index::Build(folder.path() + "/no"),
              HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(Index::Open(pipe.substr(0, pipe.rfind('/'))),
              HasCode(ErrorCode::kIo));
  EXPECT_THAT(Index::Open(folder.path() + "/no"),
              HasCode(ErrorCode::kNotFound));
  Calls calls;
  EXPECT_THAT(Index::Build("x", {.open_input = Opening(bytes, &calls,
                                                       /*seekable=*/false)}),
              IsError(ErrorCode::kInvalidArgument,
                      {.text = "only be read from its beginning"}));
  EXPECT_EQ(
      OrThrow(Index::Build("x", {.open_input = Opening("", &calls)})).size(),
      0u);
}

TEST(IndexBuild, ReportsAndCanBeEnded) {
  const std::string bytes = RecordFile(Payloads(1000, "some bytes"));
  const TemporaryFile file(bytes);
  for (const bool verify : {false, true}) {
    uint64_t last = 0;
    IndexOptions options{.verify = verify};
    options.progress = [&](uint64_t done, uint64_t size) {
      EXPECT_GE(done, last);
      EXPECT_EQ(size, bytes.size());
      last = done;
      return false;
    };
    EXPECT_THAT(Index::Build(file.path(), options), IsOk());
    EXPECT_EQ(last, bytes.size());
    options.progress = [](uint64_t, uint64_t) { return true; };
    EXPECT_THAT(Index::Build(file.path(), options),
                IsError(ErrorCode::kCancelled, {.file = file.path()}));
  }
}

// A change meanwhile is noticed: here when the first progress is reported.
TEST(IndexBuild, AChangeMeanwhileIsAnError) {
  const std::string bytes = RecordFile(Payloads(1000, "some bytes"));
  for (const bool verify : {false, true}) {
    for (const std::string more : {"", "x"}) {
      const TemporaryFile file(bytes);
      IndexOptions options{.verify = verify};
      options.progress = [&](uint64_t, uint64_t) {
        std::ofstream(file.path(), std::ios::app) << more << std::flush;
        const timespec times[2] = {{1, 0}, {1, 0}};
        utimensat(AT_FDCWD, file.path().c_str(), times, 0);
        return false;
      };
      const auto built = Index::Build(file.path(), options);
      EXPECT_FALSE(built.ok());
      if (more.empty() || !verify) {
        EXPECT_THAT(built, IsError(ErrorCode::kIo,
                                   {.file = file.path(), .text = "changed"}));
      }
    }
    const TemporaryFile file(bytes);
    IndexOptions options{.verify = verify};
    options.progress = [&](uint64_t, uint64_t) {
      return truncate(file.path().c_str(), 26 * 100) != 0;
    };
    EXPECT_THAT(Index::Build(file.path(), options),
                IsError(ErrorCode::kIo, {.text = "shrank"}));
  }
}

TEST(IndexBuild, SavingFailsAsOutputsDo) {
  const TemporaryFile file(RecordFile(Payloads{"one"}));
  const Index index = OrThrow(Index::Build(file.path()));
  EXPECT_THAT(index.Save("/no/such/folder/x.hri"),
              HasCode(ErrorCode::kNotFound));
  EXPECT_THAT(index.SaveText("/no/such/folder/x.idx"),
              HasCode(ErrorCode::kNotFound));
}

}  // namespace
}  // namespace headrace::testing
