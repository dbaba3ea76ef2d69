// Whatever is wrong with a compressed file, or with its index, and even if the
// index says that it is of this file: what is read is right, or the error says
// what is wrong.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "headrace/dataset.h"
#include "headrace/index.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image.h"
#include "tests/compression/seek_files.h"
#include "tests/compression/stored.h"
#include "tests/index/naive_index.h"
#include "tests/support/effort.h"
#include "tests/support/matchers.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

using compression::FewSeekFiles;
using compression::SeekFile;
using compression::SeekTable;
using compression::SomeRecords;
using Table = std::shared_ptr<const SeekTable>;

// The sweeps of each 97th byte and 61st bit take minutes.
size_t SweepStride() {
  if (SlowTestsWanted()) return 1;
  return kInstrumented ? 2003 : 401;
}

std::vector<SeekFile> HostileFiles() {
  return FewSeekFiles(SomeRecords(2000, 5));
}

// A file that has an index with any points.
class HostileFile {
 public:
  HostileFile(const SeekFile& file, const std::string& stored)
      : file_(file), data_(stored) {}
  ~HostileFile() { std::remove(index_path().c_str()); }

  const std::string& path() const { return data_.path(); }

  // The index claims to be of this file.
  void WriteIndex(const SeekTable& table, const std::string& plain) {
    const auto stored = OrThrow(index::OpenStored(path(), {}));
    index::ImageWriter writer;
    for (const RecordPlace& place : NaivePlaces(plain)) {
      writer.Add(place.length);
    }
    const auto image = writer.Finish(
        OrThrow(index::Identify(stored.get(), path(), {})), &table);
    index_.assign(image.begin(), image.end());
    WriteIndex(index_);
  }
  void WriteIndex(const std::string& bytes) {
    std::ofstream(index_path(), std::ios::binary) << bytes;
  }
  // The one written last through a table.
  const std::string& index() const { return index_; }

  // Windows cannot be told from right ones until a block ends, if their digests
  // are forged, too: parts may then have some records twice.
  void ExpectRightOrClear(bool windows_are_forged = false);

 private:
  std::string index_path() const { return path() + ".hri"; }
  ReadOptions Options(size_t threads, IndexUse use) const {
    return {.message = MessageType::kRaw,
            .compression = file_.compression,
            .threads = threads,
            .index = use};
  }
  void ExpectInOrder(const Transcript& truth);
  void ExpectParts(const Transcript& truth, bool may_overlap);
  void ExpectResumes(const Transcript& truth);
  void ExpectTakes();

  const SeekFile& file_;
  const TemporaryFile data_;
  std::string index_;
};

bool IsClear(const Status& status, const std::string& path) {
  const ErrorCode code = status.code();
  const bool is_known =
      code == ErrorCode::kDecompress || code == ErrorCode::kBadIndex ||
      code == ErrorCode::kIo || code == ErrorCode::kSplitSeam || IsDamage(code);
  return is_known && !status.message().empty() && status.info() &&
         status.info()->file.starts_with(path);
}

std::vector<std::string> BareRows(const std::vector<std::string>& rows) {
  std::vector<std::string> values;
  for (const std::string& row : rows) {
    values.push_back(row.substr(row.find(' ', row.find('@'))));
  }
  return values;
}

void HostileFile::ExpectRightOrClear(bool windows_are_forged) {
  const Transcript truth = ReadAll({path()}, Options(1, IndexUse::kNone));
  ExpectInOrder(truth);
  ExpectParts(truth, windows_are_forged);
  ExpectResumes(truth);
  ExpectTakes();
}

void HostileFile::ExpectInOrder(const Transcript& truth) {
  for (const size_t threads : {1u, 3u}) {
    for (const IndexUse use : {IndexUse::kAuto, IndexUse::kRequired}) {
      const Transcript read = ReadAll({path()}, Options(threads, use));
      if (use == IndexUse::kRequired &&
          (read.status.code() == ErrorCode::kBadIndex ||
           read.status.code() == ErrorCode::kNotFound) &&
          read.rows.empty()) {
        continue;
      }
      ASSERT_EQ(read.end, truth.end) << threads;
      ASSERT_TRUE(read.rows == truth.rows) << threads;
    }
  }
  // These know of no index.
  RecordReader reader =
      OrThrow(RecordReader::Open(path(), {.compression = file_.compression}));
  size_t records = 0;
  while (true) {
    auto record = reader.Next();
    if (!record) {
      ASSERT_EQ(record.status().ToString(), truth.status.ToString());
      break;
    }
    ++records;
  }
  ASSERT_EQ(records, truth.rows.size());
}

// Rows of a part lie together in the whole.
void HostileFile::ExpectParts(const Transcript& truth, bool may_overlap) {
  const TemporaryFile plain(file_.plain);
  const auto whole =
      BareRows(ReadAll({plain.path()}, {.message = MessageType::kRaw}).rows);
  std::vector<std::string> together;
  bool is_whole = true;
  for (uint64_t i = 0; i < 3; ++i) {
    ReadOptions options = Options(i == 1 ? 3 : 1, IndexUse::kAuto);
    options.range = PartOf(file_.plain.size(), i, 3);
    if (i == 2) options.range.end = ~uint64_t{0};
    const Transcript part = ReadAll({path()}, options);
    const auto rows = BareRows(part.rows);
    if (!part.status.ok()) {
      ASSERT_TRUE(IsClear(part.status, path())) << part.status.ToString();
      is_whole = false;
    }
    ASSERT_TRUE(std::search(whole.begin(), whole.end(), rows.begin(),
                            rows.end()) != whole.end() ||
                rows.empty())
        << "part " << i;
    together.insert(together.end(), rows.begin(), rows.end());
  }
  ASSERT_TRUE(may_overlap || together == whole || !is_whole ||
              !truth.status.ok());
}

void HostileFile::ExpectResumes(const Transcript& truth) {
  if (truth.rows.empty()) return;
  for (const size_t row : {truth.rows.size() / 2, truth.rows.size() - 1}) {
    ReadOptions options = Options(1, IndexUse::kAuto);
    options.resume_after = truth.origins[row];
    const Transcript rest = ReadAll({path()}, options);
    if (!rest.status.ok() && rest.end != truth.end) {
      ASSERT_TRUE(IsClear(rest.status, path()) ||
                  rest.status.code() == ErrorCode::kInvalidArgument)
          << rest.status.ToString();
      continue;
    }
    ASSERT_TRUE(rest.rows == truth.Tail(row + 1));
  }
}

void HostileFile::ExpectTakes() {
  const TemporaryFile plain(file_.plain);
  const auto whole =
      BareRows(ReadAll({plain.path()}, {.message = MessageType::kRaw}).rows);
  auto dataset = Dataset::Open({path()}, {.message = MessageType::kRaw});
  if (!dataset.ok()) {
    ASSERT_TRUE(IsClear(dataset.status(), path()))
        << dataset.status().ToString();
    return;
  }
  for (size_t row = 0; row < dataset->size(); row += 1 + dataset->size() / 13) {
    const auto batch = dataset->Take(std::vector<uint64_t>{row});
    if (!batch.ok()) {
      ASSERT_TRUE(IsClear(batch.status(), path())) << batch.status().ToString();
      continue;
    }
    Transcript taken;
    AddRows(*batch, &taken);
    ASSERT_LT(row, whole.size());
    ASSERT_EQ(BareRows(taken.rows)[0], whole[row]);
  }
}

TEST(HostileSeek, Intact) {
  for (const SeekFile& file : HostileFiles()) {
    HostileFile hostile(file, file.stored);
    hostile.WriteIndex(*BuildTable(file, compression::kSpacing), file.plain);
    hostile.ExpectRightOrClear();
    if (HasFatalFailure()) FAIL() << file;
  }
}

TEST(HostileSeek, Cuts) {
  for (const SeekFile& file : HostileFiles()) {
    const Table table = BuildTable(file, compression::kSpacing);
    for (size_t size = 30; size < file.stored.size();
         size += 97 * (SweepStride() / 4 + 1)) {
      HostileFile hostile(file, file.stored.substr(0, size));
      hostile.WriteIndex(*table, file.plain);
      hostile.ExpectRightOrClear();
      if (HasFatalFailure()) FAIL() << file << " cut to " << size;
    }
  }
}

TEST(HostileSeek, Flips) {
  for (const SeekFile& file : HostileFiles()) {
    const Table table = BuildTable(file, compression::kSpacing);
    for (size_t bit = 85; bit < 8 * file.stored.size();
         bit += 61 * SweepStride()) {
      HostileFile hostile(file, DamagedFile(file.stored).FlipBit(bit).bytes());
      hostile.WriteIndex(*table, file.plain);
      hostile.ExpectRightOrClear();
      if (HasFatalFailure()) FAIL() << file << " bit " << bit;
    }
  }
}

// Fields of members say something else.
TEST(HostileSeek, ClaimsThatLie) {
  const std::string plain = SomeRecords(2000, 5);
  for (const SeekFile& file : FewSeekFiles(plain)) {
    const bool is_bgzf = file.name == "bgzf";
    if (file.name != "blocked" && !is_bgzf) continue;
    // The fields begin behind the header, XLEN and the subfield's head.
    const size_t width = is_bgzf ? 2 : 4;
    const Table hops = HopTable(file);
    const auto points = hops->points();
    for (const size_t member :
         {size_t{0}, size_t{1}, points.size() / 2, points.size() - 1}) {
      const auto at = [&](size_t m, size_t field) {
        return static_cast<size_t>(points[m].stored_byte()) + 16 + 4 * field;
      };
      for (size_t field = 0; field < (is_bgzf ? 1u : 2u); ++field) {
        const uint64_t right = NumberIn(file.stored, at(member, field), width);
        const size_t other = (member + 1) % points.size();
        for (const uint64_t number :
             {uint64_t{0}, uint64_t{1}, right - 1, right + 1, ~uint64_t{0},
              NumberIn(file.stored, at(other, field), width)}) {
          std::string stored = file.stored;
          SetNumberIn(&stored, at(member, field), width, number);
          if (stored == file.stored) continue;
          HostileFile hostile(file, stored);
          hostile.ExpectRightOrClear();
          const Transcript truth =
              ReadAll({hostile.path()}, {.message = MessageType::kRaw});
          EXPECT_EQ(truth.status.code(),
                    is_bgzf ? ErrorCode::kOk : ErrorCode::kDecompress);
          if (HasFailure()) {
            FAIL() << file << " member " << member << " field " << field
                   << " is " << number;
          }
        }
      }
    }
  }
}

// They lead into payloads, where other records lie: nobody gives these.
TEST(HostileSeek, ClaimsThatLeadIntoPayloads) {
  for (const SeekFile& file : compression::LyingFiles()) {
    ASSERT_NE(HopTable(file), nullptr) << file;
    const bool is_error = file.name == "HR lies";
    HostileFile hostile(file, file.stored);
    hostile.ExpectRightOrClear();
    if (HasFatalFailure()) FAIL() << file;
    const Status places = CheckClaimedPlaces(hostile.path());
    EXPECT_EQ(places.code(), ErrorCode::kDecompress) << file;
    const Result<Index> index = Index::Build(hostile.path(), {});
    EXPECT_EQ(index.ok(), !is_error) << index.status().ToString();
    if (!index.ok()) continue;
    const Transcript truth =
        ReadAll({hostile.path()}, {.message = MessageType::kRaw});
    EXPECT_THAT(truth.status, IsOk());
    Dataset dataset = OrThrow(
        Dataset::Open({hostile.path()}, {.message = MessageType::kRaw}));
    ASSERT_EQ(dataset.size(), truth.rows.size());
    for (uint64_t row = 0; row < dataset.size(); ++row) {
      Transcript taken;
      AddRows(OrThrow(dataset.Take(std::vector<uint64_t>{row})), &taken);
      ASSERT_EQ(BareRows(taken.rows)[0], BareRows(truth.rows)[row]) << file;
    }
    // Whoever makes an index while reading finds the members, too.
    for (const size_t threads : {1u, 3u}) {
      EXPECT_THAT(ReadAll({hostile.path()}, {.message = MessageType::kRaw,
                                             .threads = threads,
                                             .write_index = true})
                      .status,
                  IsOk());
      hostile.ExpectRightOrClear();
      if (HasFatalFailure()) FAIL() << file;
      std::remove((hostile.path() + ".hri").c_str());
    }
  }
}

TEST(HostileSeek, ClaimsThatAreTrue) {
  for (const SeekFile& file : HostileFiles()) {
    const TemporaryFile data(file.stored);
    EXPECT_THAT(CheckClaimedPlaces(data.path()), IsOk()) << file;
  }
}

// Each number of each point is another one, and all checks are right.
TEST(HostileSeek, PointsThatLeadElsewhere) {
  struct Change {
    size_t at;  // in the entry
    size_t width;
    int64_t delta;
  };
  const std::vector<Change> changes = {
      {0, 8, 1},  {0, 8, -1},  {0, 8, 8},    {0, 8, -8},  {8, 8, 1},
      {8, 8, -1}, {8, 8, 16},  {8, 8, -700}, {16, 4, 1},  {20, 4, 1},
      {24, 8, 1}, {32, 8, 1},  {32, 8, -48}, {40, 4, -1}, {40, 4, 1},
      {44, 4, 1}, {44, 4, -1},
  };
  for (const SeekFile& file : HostileFiles()) {
    HostileFile hostile(file, file.stored);
    hostile.WriteIndex(*BuildTable(file, compression::kSpacing), file.plain);
    const std::string intact = hostile.index();
    const std::vector<size_t> entries = PointEntries(intact);
    for (size_t i = 1; i < std::min<size_t>(entries.size(), 4); ++i) {
      const auto expect = [&](std::string index, bool is_forged = false) {
        SealIndex(&index);
        hostile.WriteIndex(index);
        hostile.ExpectRightOrClear(is_forged);
      };
      for (const Change& change : changes) {
        std::string index = intact;
        const size_t at = entries[i] + change.at;
        SetNumberIn(&index, at, change.width,
                    NumberIn(index, at, change.width) +
                        static_cast<uint64_t>(change.delta));
        expect(index);
        if (HasFatalFailure()) {
          FAIL() << file << " point " << i << " at " << change.at << " by "
                 << change.delta;
        }
      }
      std::string swapped = intact;
      std::swap_ranges(
          swapped.begin() + static_cast<ptrdiff_t>(entries[i]),
          swapped.begin() + static_cast<ptrdiff_t>(entries[i]) + 48,
          swapped.begin() + static_cast<ptrdiff_t>(entries[i - 1]));
      expect(swapped);
      // The window of another point, with its digest.
      std::string moved = intact;
      const size_t other = entries[i % (entries.size() - 1) + 1];
      moved.replace(entries[i] + 24, 20, intact.substr(other + 24, 20));
      expect(moved, true);
      if (HasFatalFailure()) FAIL() << file << " point " << i;
    }
  }
}

TEST(HostileSeek, IndexOfAnotherFile) {
  const std::vector<SeekFile> files = HostileFiles();
  const std::vector<SeekFile> others = FewSeekFiles(SomeRecords(2000, 6));
  for (const SeekFile& file : files) {
    for (const SeekFile& other : others) {
      HostileFile hostile(file, file.stored);
      hostile.WriteIndex(*BuildTable(other, compression::kSpacing),
                         other.plain);
      hostile.ExpectRightOrClear();
      // With the right places of records.
      hostile.WriteIndex(*BuildTable(other, compression::kSpacing), file.plain);
      hostile.ExpectRightOrClear();
      if (HasFatalFailure()) FAIL() << file << " has that of " << other;
    }
  }
}

}  // namespace
}  // namespace headrace::testing
