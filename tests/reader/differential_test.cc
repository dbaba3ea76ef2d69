// The same file and the same plan give the same rows, the same report and the
// same error, letter for letter, in every way that a file can be read: over
// some hundred files of odd, malformed and damaged records.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"
#include "tests/random/random_example.h"
#include "tests/reader/inputs/memory_files.h"
#include "tests/reader/inputs/random_files.h"
#include "tests/reader/inputs/record_files.h"
#include "tests/record/scan.h"
#include "tests/support/effort.h"
#include "tests/support/temporary_file.h"
#include "tests/support/transcript.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kFiles = kInstrumented ? 20 : 200;

// The policies and bounds of one comparison.
ReadOptions RandomPolicies(Random* random) {
  ReadOptions options = {
      .on_corrupt = kPolicies[random->Below(3)],
      .on_row_error = random->OneIn(2) ? OnRowError::kSkip : OnRowError::kFail,
      .verify_payload = !random->OneIn(4),
      .verify_unselected = random->OneIn(2)};
  if (random->OneIn(4)) options.max_bad = random->Below(3);
  if (random->OneIn(4)) options.limits.max_record_bytes = random->Below(300);
  if (random->OneIn(4)) options.limits.max_reported = random->Below(3);
  options.batch_size = 1 + random->Below(50);
  return options;
}

// Texts name the file, whose name is another in every way.
std::string WithoutPath(std::string text, const std::string& path) {
  for (size_t at; (at = text.find(path)) != std::string::npos;) {
    text.replace(at, path.size(), "FILE");
  }
  return text;
}

void ExpectSame(const Transcript& expected, const Transcript& actual,
                const std::string& path, const std::string& other_path) {
  EXPECT_EQ(WithoutPath(actual.end, other_path),
            WithoutPath(expected.end, path));
  EXPECT_TRUE(actual.rows == expected.rows);
}

// ------------------------------------------------------ Ways to read a file

void ExpectSameForThreadsAndMaps(const Transcript& expected,
                                 const std::string& path,
                                 const ReadOptions& options, const Plan* plan) {
  for (size_t threads = 1; threads <= 8; ++threads) {
    ReadOptions other = options;
    other.threads = threads;
    other.mmap = threads % 2 == 1;
    const Transcript read = ReadAll({path}, other, plan);
    ExpectSame(expected, read, path, path);
    EXPECT_EQ(read.tensors, expected.tensors);
  }
}

void ExpectSameForBatchSizes(const Transcript& expected,
                             const std::string& path,
                             const ReadOptions& options, const Plan* plan) {
  for (const size_t batch_size :
       {size_t{1}, size_t{2}, size_t{17}, size_t{1000}, kAutoBatchSize}) {
    for (const size_t threads : {1u, 3u}) {
      ReadOptions other = options;
      other.batch_size = batch_size;
      other.threads = threads;
      ExpectSame(expected, ReadAll({path}, other, plan), path, path);
    }
  }
}

// Offsets are those of the uncompressed stream.
void ExpectSameForCompressions(const Transcript& expected,
                               const RandomFile& file, const std::string& path,
                               const ReadOptions& options, const Plan* plan) {
  for (const Compression compression : kCompressions) {
    const std::string stored = CompressedBytes(file.bytes, compression);
    const TemporaryFile other(stored);
    ReadOptions known = options;
    known.compression = compression;
    const Transcript read = ReadAll({other.path()}, known, plan);
    ExpectSame(expected, read, path, other.path());
    EXPECT_EQ(read.tensors, expected.tensors);
    for (const size_t piece : {size_t{1}, size_t{1000}, ~size_t{0}}) {
      MemoryFiles files;
      files["input"] = {
          .bytes = stored, .can_seek = piece != 1000, .piece = piece};
      known.open_input = files.opener();
      ExpectSame(expected, ReadAll({"input"}, known, plan), path, "input");
    }
  }
}

TEST(DifferentialTest, WaysToReadAFile) {
  std::map<ErrorCode, int> ends;
  for (uint64_t seed = 0; seed < kFiles && !HasFailure(); ++seed) {
    const RandomFile file = RandomFileOf(seed);
    SCOPED_TRACE(file.name);
    Random random(seed);
    ReadOptions options = RandomPolicies(&random);
    // Detection goes by the first bytes, which may be damaged.
    options.compression = Compression::kNone;
    options.sample = random.Below(60);
    const bool is_inferred = file.is_inferable && random.OneIn(2);
    const Plan* const plan = is_inferred ? nullptr : &file.plan;
    // Inputs that cannot seek take no sample of all records.
    if (is_inferred) options.sample += 1;
    const TemporaryFile stored(file.bytes);
    const std::string& path = stored.path();
    const Transcript expected = ReadAll({path}, options, plan);
    ++ends[expected.status.code()];
    ExpectSameForThreadsAndMaps(expected, path, options, plan);
    if (seed % 3 == 0) {
      ExpectSameForBatchSizes(expected, path, options, plan);
    } else if (seed % 3 == 1) {
      ExpectSameForCompressions(expected, file, path, options, plan);
    }
  }
  // Endings that are hardly ever met would prove nothing. A sanitizer's few
  // files do not meet them all.
  if (kInstrumented) return;
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kHeaderCrc, ErrorCode::kPayloadCrc,
        ErrorCode::kTruncatedPayload, ErrorCode::kTooLarge,
        ErrorCode::kMalformed, ErrorCode::kTooManyBad}) {
    EXPECT_GE(ends[code], 2) << NameOf(code);
  }
}

// ------------------------------------------------------- Orders and subsets

// Cells by the origin of their row and the name of their column.
struct Cells {
  std::map<std::string, std::map<std::string, std::string>> rows;
  std::string end;
};

Cells ReadCells(const std::string& path, const ReadOptions& options,
                const std::vector<ColumnField>& columns, MessageType message) {
  Cells cells;
  const auto plan = Plan::ForColumns(columns, message, false);
  EXPECT_TRUE(plan.ok()) << plan.status().ToString();
  auto reader = Reader::Open({path}, *plan, options);
  EXPECT_TRUE(reader.ok()) << reader.status().ToString();
  while (auto batch = reader->Next()) {
    for (size_t row = 0; row < batch->num_rows(); ++row) {
      auto& of_row = cells.rows[ToText(batch->origins()[row])];
      for (const Column& column : batch->columns()) {
        const char* const place = column.in_sequence ? "list " : "feature ";
        of_row[place + std::string(column.name)] = CellToText(column, row);
      }
    }
  }
  cells.end = EndToText(*reader);
  return cells;
}

// With the features of the context before those of the lists.
std::vector<ColumnField> Shuffled(std::vector<ColumnField> columns,
                                  Random* random) {
  for (size_t i = columns.size(); i > 1; --i) {
    std::swap(columns[i - 1], columns[random->Below(i)]);
  }
  std::stable_partition(columns.begin(), columns.end(),
                        [](const ColumnField& c) { return !c.in_sequence; });
  return columns;
}

// Of several columns of a record that have another kind any may be named.
std::string WithoutWrongFeatures(const std::string& end) {
  std::istringstream lines(end);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    text += line.substr(0, line.find("wrong_kind")) + "\n";
  }
  return text;
}

TEST(DifferentialTest, OrderOfTheColumns) {
  for (uint64_t seed = 0; seed < kFiles && !HasFailure(); ++seed) {
    const RandomFile file = RandomFileOf(seed);
    if (file.columns.empty()) continue;
    SCOPED_TRACE(file.name);
    Random random(seed);
    const ReadOptions options = RandomPolicies(&random);
    const TemporaryFile stored(file.bytes);
    const MessageType message = file.plan.message();
    const Cells expected =
        ReadCells(stored.path(), options, file.columns, message);
    for (int i = 0; i < 4; ++i) {
      const Cells read = ReadCells(stored.path(), options,
                                   Shuffled(file.columns, &random), message);
      EXPECT_EQ(WithoutWrongFeatures(read.end),
                WithoutWrongFeatures(expected.end));
      EXPECT_TRUE(read.rows == expected.rows);
    }
  }
}

// A row that is good for all columns is good for some, with the same cells. (A
// column that is not asked for makes no row bad by its kind.)
TEST(DifferentialTest, SomeOfTheColumns) {
  for (uint64_t seed = 0; seed < kFiles && !HasFailure(); ++seed) {
    const RandomFile file = RandomFileOf(seed);
    if (file.columns.empty()) continue;
    SCOPED_TRACE(file.name);
    Random random(seed);
    const ReadOptions options{.on_corrupt = OnCorrupt::kRescan,
                              .on_row_error = OnRowError::kSkip,
                              .verify_unselected = true};
    const TemporaryFile stored(file.bytes);
    const MessageType message = file.plan.message();
    const Cells all = ReadCells(stored.path(), options, file.columns, message);
    for (int i = 0; i < 4; ++i) {
      std::vector<ColumnField> columns = file.columns;
      std::erase_if(columns, [&](const auto&) { return random.OneIn(2); });
      Cells some = ReadCells(stored.path(), options, columns, message);
      EXPECT_GE(some.rows.size(), all.rows.size());
      for (const auto& [origin, cells] : all.rows) {
        ASSERT_EQ(some.rows.count(origin), 1u) << origin;
        EXPECT_EQ(some.rows[origin].size(), columns.size());
        for (const auto& [column, cell] : some.rows[origin]) {
          EXPECT_EQ(cell, cells.at(column)) << origin << " " << column;
        }
      }
    }
  }
}

// ------------------------------------------------- A reader without a Reader

// What reading comes to when a file is scanned in other windows, and a Decoder
// is given the payloads.
struct Pieces {
  std::vector<std::string> rows = {};
  std::vector<SkippedRegion> regions = {};
  Status row_error = {};  // under kFail
  ErrorCode error = ErrorCode::kOk;
  uint64_t offset = 0;  // of the error
};

// The bytes so many beyond a multiple of 64, with padding after them. Over all
// files of a test each alignment comes some times.
const char* PlaceAt(size_t alignment, const std::string& bytes,
                    std::vector<char>* memory) {
  memory->resize(bytes.size() + 64 + kPadding);
  const auto base = reinterpret_cast<uintptr_t>(memory->data());
  char* const placed = memory->data() + (alignment + 64 - base % 64) % 64;
  if (!bytes.empty()) std::memcpy(placed, bytes.data(), bytes.size());
  return placed;
}

// The payloads as they lie in `file`, which has padding after it.
std::vector<std::string_view> PayloadsIn(const char* file,
                                         const ScanOutcome& scanned) {
  std::vector<std::string_view> payloads;
  for (const ScannedRecord& record : scanned.records) {
    payloads.emplace_back(file + record.offset + 12, record.payload.size());
  }
  return payloads;
}

Pieces DecodeScanned(const ScanOutcome& scanned, const char* file,
                     const ReadOptions& options, const Plan& plan) {
  Pieces pieces{.regions = scanned.regions,
                .error = scanned.error,
                .offset = scanned.offset};
  Decoder decoder(plan, {.on_row_error = OnRowError::kSkip,
                         .verify_unselected = options.verify_unselected,
                         .padded_input = true});
  const auto payloads = PayloadsIn(file, scanned);
  const auto batch = decoder.Decode(payloads);
  EXPECT_TRUE(batch.ok()) << batch.status().ToString();
  uint64_t end = payloads.size();
  if (options.on_row_error == OnRowError::kFail && !decoder.skipped().empty()) {
    pieces.row_error = decoder.skipped().front();
    end = pieces.row_error.info()->record;
    pieces.error = pieces.row_error.code();
    pieces.offset = scanned.records[end].offset;
  }
  for (size_t row = 0; row < batch->num_rows(); ++row) {
    RowOrigin origin = batch->origins()[row];
    if (origin.record >= end) break;
    const ScannedRecord& record = scanned.records[origin.record];
    origin.record = record.number;
    origin.offset = record.offset;
    origin.recovered = record.recovered;
    std::string text = ToText(origin);
    for (const Column& column : batch->columns()) {
      text += " " + std::string(column.name) + "=" + CellToText(column, row);
    }
    pieces.rows.push_back(std::move(text));
  }
  return pieces;
}

void ExpectSame(const Pieces& pieces, const Transcript& read) {
  EXPECT_TRUE(pieces.rows == read.rows);
  EXPECT_EQ(pieces.error, read.status.code());
  std::vector<SkippedRegion> regions;
  for (const FileRegion& region : read.report.regions) {
    regions.push_back(region.region);
  }
  if (!pieces.row_error.ok()) {
    // Damage behind the row was not come to.
    EXPECT_LE(regions.size(), pieces.regions.size());
    EXPECT_EQ(read.status.message(), pieces.row_error.message());
    EXPECT_EQ(read.status.info()->feature, pieces.row_error.info()->feature);
    EXPECT_EQ(read.status.info()->record, pieces.row_error.info()->record);
  } else {
    EXPECT_EQ(regions, pieces.regions);
  }
  if (!read.status.ok()) {
    EXPECT_EQ(read.status.info()->offset, pieces.offset);
  }
}

TEST(DifferentialTest, AScannerAndADecoder) {
  std::vector<char> memory;
  for (uint64_t seed = 0; seed < kFiles && !HasFailure(); ++seed) {
    const RandomFile file = RandomFileOf(seed);
    SCOPED_TRACE(file.name);
    Random random(seed);
    ReadOptions options = RandomPolicies(&random);
    options.compression = Compression::kNone;
    options.max_bad = ~uint64_t{0};
    options.limits.max_reported = 1000;
    const TemporaryFile stored(file.bytes);
    const Transcript expected = ReadAll({stored.path()}, options, &file.plan);
    ScanSetup setup;
    setup.scan.on_corrupt = options.on_corrupt;
    setup.scan.verify_payload = options.verify_payload;
    setup.scan.limits = options.limits;
    for (const size_t window : {size_t{0}, size_t{1}, size_t{61},
                                1 + random.Below(file.bytes.size() + 1)}) {
      // Small windows of a long file take long.
      if (window > 0 && file.bytes.size() / window > 20000) continue;
      setup.source.window_bytes = window;
      const ScanOutcome scanned = Scan(file.bytes, setup);
      const char* const placed =
          PlaceAt(seed * 4 + window % 4, file.bytes, &memory);
      ExpectSame(DecodeScanned(scanned, placed, options, file.plan), expected);
    }
  }
}

// --------------------------------------------------------------- Alignments

TEST(DifferentialTest, RecordsOfMemoryAtAnyAlignment) {
  std::vector<char> memory;
  for (uint64_t seed = 0; seed < kFiles && !HasFailure(); ++seed) {
    const RandomFile file = RandomFileOf(seed);
    SCOPED_TRACE(file.name);
    RecordReaderOptions options{.compression = Compression::kNone,
                                .on_corrupt = kPolicies[seed % 3]};
    const ScanOutcome expected =
        NaiveScan(file.bytes, {.on_corrupt = options.on_corrupt});
    for (size_t i = 0; i < 8; ++i) {
      const char* const placed = PlaceAt(seed * 8 + i, file.bytes, &memory);
      auto reader =
          RecordReader::FromMemory({placed, file.bytes.size()}, options);
      ASSERT_TRUE(reader.ok());
      ScanOutcome scanned;
      auto record = reader->Next();
      for (; record; record = reader->Next()) {
        scanned.records.push_back({std::string(record->payload), record->offset,
                                   record->recovered, record->number});
      }
      scanned.regions = reader->skipped();
      scanned.error = record.status().code();
      scanned.offset =
          record.ok() ? reader->position() : record.status().info()->offset;
      scanned.number = record.ok() ? 0 : record.status().info()->record;
      EXPECT_EQ(scanned, expected) << i;
    }
  }
}

}  // namespace
}  // namespace headrace::testing
