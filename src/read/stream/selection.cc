#include "src/read/stream/selection.h"

#include <sys/stat.h>

#include <optional>
#include <utility>

#include "headrace/types.h"

namespace headrace::reader {
namespace {

// If every range has an end, shards split the records of the ranges. Otherwise
// ShardRule splits the files.
bool AreDivided(const std::vector<RecordRange>& ranges) {
  return !ranges.empty() && HaveEnds(ranges);
}

std::vector<RecordRange> OwnRanges(const std::vector<RecordRange>& ranges,
                                   const ReadOptions& options) {
  if (!AreDivided(ranges)) return ranges;
  return ShardOf(ranges, options.shard, options.subshards);
}

ShardRule RuleOf(const std::vector<RecordRange>& ranges,
                 const ReadOptions& options, size_t num_files) {
  if (AreDivided(ranges)) return ShardRule({}, {}, num_files);
  return ShardRule(options.shard, options.subshards, num_files);
}

// Returns the size of a regular file; empty for any other path.
std::optional<uint64_t> RegularSize(const std::string& path) {
  struct stat info;
  if (path == "-" || stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::nullopt;
  }
  return static_cast<uint64_t>(info.st_size);
}

}  // namespace

Selection::Selection(const ReadOptions& options, size_t num_files)
    : bytes_(options.range),
      ranges_(Ended(options.record_ranges)),
      own_ranges_(OwnRanges(ranges_, options)),
      rule_(RuleOf(ranges_, options, num_files)),
      is_part_(num_files) {}

ByteRange Selection::BytesOf(const source::Source& source) const {
  if (has_ranges() || !shares_files() || !source.can_read_at()) return bytes_;
  return rule_.RangeOf(source.stream_size());
}

Run Selection::RunAt(uint32_t file, uint64_t record) const {
  if (!shares_files() || is_part_[file]) return {true, ~uint64_t{0}};
  return rule_.RunAt(file, record);
}

StoredSizes::StoredSizes(const std::vector<std::string>& files, bool are_inputs,
                         const Selection& selection)
    : selection_(selection), sizes_(files.size(), kUnknown) {
  for (uint32_t i = 0; i < files.size(); ++i) {
    if (selection_.HasFile(i)) ++num_unknown_;
    if (are_inputs) continue;
    const std::optional<uint64_t> size = RegularSize(files[i]);
    if (!size) can_reopen_ = false;
    Set(i, size.value_or(0));
  }
}

uint64_t StoredSizes::SumBefore(uint32_t file) const {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < file; ++i) {
    if (selection_.HasFile(i) && sizes_[i] != kUnknown) sum += sizes_[i];
  }
  return sum;
}

void StoredSizes::LookAt(uint32_t file, const InputFile& input) {
  if (!input.can_seek()) can_reopen_ = false;
  if (const uint64_t size = input.size(); size > 0) Set(file, size);
}

void StoredSizes::Set(uint32_t file, uint64_t size) {
  const uint64_t before = std::exchange(sizes_[file], size);
  if (!selection_.HasFile(file)) return;
  num_unknown_ += size == kUnknown;
  num_unknown_ -= before == kUnknown;
  sum_ += size == kUnknown ? 0 : size;
  sum_ -= before == kUnknown ? 0 : before;
}

}  // namespace headrace::reader
