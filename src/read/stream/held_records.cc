#include "src/read/stream/held_records.h"

#include <algorithm>
#include <utility>

namespace headrace::reader {

HeldRecords::Held HeldRecords::Hold(const FileBlock& block, Skipped&& left_out,
                                    uint64_t stored_position) {
  const auto records = block.block.records;
  Held held{{records.begin(), records.end()},
            block,
            std::move(left_out),
            stored_position};
  held.block.block.records = held.records;
  return held;
}

void HeldRecords::PushBack(const FileBlock& block, Skipped&& left_out,
                           uint64_t stored_position) {
  held_.push_back(Hold(block, std::move(left_out), stored_position));
}

void HeldRecords::PushFront(const FileBlock& block, Skipped&& left_out,
                            uint64_t stored_position) {
  held_.push_front(Hold(block, std::move(left_out), stored_position));
  stored_position_ = stored_position;
}

void HeldRecords::DropFiles(const std::function<bool(uint32_t file)>& drops) {
  std::erase_if(held_,
                [&](const Held& held) { return drops(held.block.file); });
}

std::optional<FileBlock> HeldRecords::Next(size_t max_records,
                                           const RunAt& run_at,
                                           size_t max_regions,
                                           Skipped* left_out) {
  while (!held_.empty()) {
    Held& held = held_.front();
    stored_position_ = held.stored_position;
    left_out->Add(std::move(held.left_out), max_regions);
    held.left_out.Clear();
    FileBlock first = held.block;
    const size_t size = first.block.records.size();
    const Run run = run_at(first.file, first.block.first_record);
    const auto count = static_cast<size_t>(
        std::min<uint64_t>({run.size, size, run.is_own ? max_records : size}));
    held.block = first.After(count);
    if (count == size) {
      given_ = std::move(held);
      held_.pop_front();
    }
    if (count == 0 || !run.is_own) continue;
    first.block.records = first.block.records.first(count);
    return first;
  }
  given_.reset();
  return std::nullopt;
}

bool HeldRecords::DropThrough(const RowOrigin& last) {
  for (; !held_.empty(); held_.pop_front()) {
    Held& held = held_.front();
    const auto records = held.block.block.records;
    if (held.block.file > last.file) return false;
    if (held.block.file < last.file || records.empty() ||
        records.back().offset < last.offset) {
      continue;
    }
    const auto found = std::find_if(
        records.begin(), records.end(),
        [&](const auto& span) { return span.offset == last.offset; });
    const auto read = static_cast<uint64_t>(found - records.begin());
    const uint64_t number =
        record::NumberAfter(held.block.block.first_record, read);
    if (found == records.end()) return false;
    if (number != last.record && number != kUnknown) return false;
    held.left_out.Clear();
    stored_position_ = held.stored_position;
    held.block = held.block.After(static_cast<size_t>(read) + 1);
    return true;
  }
  return false;
}

}  // namespace headrace::reader
