#include "src/read/stream/record_ranges.h"

#include <algorithm>

#include "src/read/files/folder.h"

namespace headrace::reader {
namespace {

constexpr uint64_t kNoEnd = ~uint64_t{0};
// Maximum number of rows of all ranges together, so that every language can
// count them. No files have more.
constexpr uint64_t kMaxTotalRows = ~uint64_t{0} >> 1;

Status BadRange(const std::string& file, const std::string& what) {
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = "the range of records " + what,
                          .file = file});
}

Status CheckRange(const std::string& file, const RecordRange& range) {
  if (file == "-") return BadRange(file, "is of standard input");
  if (range.begin > range.end) {
    return BadRange(
        file, "ends before it begins: " + std::to_string(range.begin) + " to " +
                  std::to_string(range.end));
  }
  if (range.begin == kNoEnd) return BadRange(file, "begins after any record");
  const uint64_t last = range.end == kNoEnd ? range.begin : range.end;
  if (last <= range.file_records) return Status();
  return BadRange(file, "goes to record " + std::to_string(last) +
                            " of a file that is said to have " +
                            std::to_string(range.file_records));
}

uint64_t SizeOf(const RecordRange& range) { return range.end - range.begin; }

Status CheckSum(std::span<const RecordRange> ranges) {
  uint64_t sum = 0;
  for (const RecordRange& range : ranges) {
    if (SizeOf(range) > kMaxTotalRows - sum) {
      return Status(ErrorCode::kInvalidArgument,
                    "the ranges have 2^63 records or more");
    }
    sum += SizeOf(range);
  }
  return Status();
}

constexpr char kTruncated[] = "truncated";
constexpr char kExtended[] = "extended";

// `cause` is what may have happened to the file.
Status WrongCount(const std::string& file, const std::string& expected,
                  const std::string& found, const std::string& cause) {
  return Status(ErrorInfo{
      .code = ErrorCode::kWrongRecordCount,
      .message = "the file has " + found + " records instead of " + expected +
                 ": it was " + cause + ", or it is another file",
      .file = file,
      .expected = expected,
      .found = found});
}

}  // namespace

Result<FoundFiles> FilesOf(const std::vector<std::string>& paths,
                           std::span<const RecordRange> ranges,
                           const OpenInput& open_input) {
  if (ranges.empty()) {
    if (open_input) return FoundFiles{.files = paths};
    return LookForFiles(paths);
  }
  if (ranges.size() != paths.size()) {
    return Status(ErrorCode::kInvalidArgument,
                  "there must be a range of records for each path; there are " +
                      std::to_string(ranges.size()) + " and " +
                      std::to_string(paths.size()));
  }
  const std::vector<RecordRange> ended = Ended({ranges.begin(), ranges.end()});
  for (size_t i = 0; i < paths.size(); ++i) {
    Status status = CheckRange(paths[i], ranges[i]);
    if (!status.ok()) return status;
    if (open_input || IsEmpty(ended[i])) continue;
    status = CheckReadable(paths[i]);
    if (!status.ok()) return status;
  }
  if (HaveEnds(ended)) {
    if (Status status = CheckSum(ended); !status.ok()) return status;
  }
  return FoundFiles{.files = paths};
}

std::vector<RecordRange> Ended(std::vector<RecordRange> ranges) {
  for (RecordRange& range : ranges) {
    if (range.end == kNoEnd) range.end = range.file_records;
  }
  return ranges;
}

bool HaveEnds(std::span<const RecordRange> ranges) {
  return std::ranges::none_of(
      ranges, [](const RecordRange& range) { return range.end == kNoEnd; });
}

std::vector<RecordRange> ShardOf(std::vector<RecordRange> ranges,
                                 const Shard& shard,
                                 std::span<const Shard> subshards) {
  uint64_t size = 0;
  for (const RecordRange& range : ranges) size += SizeOf(range);
  // Rows are numbered across all ranges.
  uint64_t begin = 0;
  const auto divide = [&](const Shard& part) {
    const ByteRange rows = PartOf(size, part.index, part.count);
    begin += rows.begin;
    size = rows.end - rows.begin;
  };
  divide(shard);
  for (const Shard& part : subshards) divide(part);
  for (RecordRange& range : ranges) {
    const uint64_t before = std::min(begin, SizeOf(range));
    begin -= before;
    const uint64_t taken = std::min(size, SizeOf(range) - before);
    size -= taken;
    range.begin += before;
    range.end = range.begin + taken;
  }
  return ranges;
}

Status CheckCount(const std::string& file, const RecordRange& range,
                  uint64_t count) {
  if (range.file_records != kNoEnd) {
    if (count == range.file_records) return Status();
    return WrongCount(file, std::to_string(range.file_records),
                      std::to_string(count),
                      count < range.file_records ? kTruncated : kExtended);
  }
  const uint64_t least = range.end == kNoEnd ? range.begin : range.end;
  if (count >= least) return Status();
  return WrongCount(file, "at least " + std::to_string(least),
                    std::to_string(count), kTruncated);
}

Status HasMoreRecords(const std::string& file, const RecordRange& range) {
  const std::string count = std::to_string(range.file_records);
  return WrongCount(file, count, "more than " + count, kExtended);
}

}  // namespace headrace::reader
