#include "src/read/files/file_block.h"

#include <algorithm>
#include <utility>

namespace headrace::reader {

FileBlock FileBlock::After(size_t num_records) const {
  FileBlock rest = *this;
  rest.block.records = rest.block.records.subspan(num_records);
  rest.block.first_record =
      record::NumberAfter(rest.block.first_record, num_records);
  return rest;
}

size_t CountThatFit(std::span<const record::RecordSpan> records, uint64_t bytes,
                    uint64_t most_bytes, bool is_empty) {
  size_t count = 0;
  for (; count < records.size(); ++count) {
    if (records[count].row_error != ErrorCode::kOk) continue;
    bytes += records[count].size;
    if (bytes > most_bytes && !is_empty) break;
    is_empty = false;
  }
  return count;
}

void AppendRegions(std::vector<FileRegion>&& more, size_t max_regions,
                   std::vector<FileRegion>* regions) {
  for (FileRegion& region : more) {
    if (regions->size() >= max_regions) break;
    regions->push_back(std::move(region));
  }
}

void Skipped::Add(Skipped&& more, size_t max_regions) {
  count += more.count;
  AppendRegions(std::move(more.regions), max_regions, &regions);
  records.insert(records.end(), more.records.begin(), more.records.end());
  records.resize(std::min(records.size(), regions.size()));
}

void Skipped::Clear() {
  regions.clear();
  records.clear();
  count = 0;
}

}  // namespace headrace::reader
