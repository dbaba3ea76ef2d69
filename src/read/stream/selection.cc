#include "src/read/stream/selection.h"

namespace headrace::reader {
namespace {

// Ranges with ends are divided by their records, everything else by ShardRule.
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

}  // namespace headrace::reader
