#include "src/cli/bench/stages.h"

#include <algorithm>

#include "src/read/reader/byte_reader.h"

namespace headrace::cli {

Result<uint64_t> ReadBytes(const BenchInput& input) {
  uint64_t total = 0;
  for (const std::string& path : input.files) {
    auto reader =
        ByteReader::Open(path, {.compression = input.records.compression,
                                .mmap = input.records.mmap,
                                .limits = input.records.limits});
    if (!reader) return reader.status();
    auto bytes = reader->Next();
    while (bytes) bytes = reader->Next();
    if (!bytes.ok()) return bytes.status();
    total += reader->position();
  }
  return total;
}

Result<FramedTotals> FrameRecords(const BenchInput& input) {
  FramedTotals totals;
  for (const std::string& path : input.files) {
    auto reader = RecordReader::Open(path, input.records);
    if (!reader) return reader.status();
    auto record = reader->Next();
    for (; record; record = reader->Next()) ++totals.records;
    if (!record.ok()) return record.status();
    totals.bytes += reader->position();
    totals.is_compressed |= reader->compression() != Compression::kNone;
  }
  return totals;
}

Result<uint64_t> ReadBatches(const BenchInput& input) {
  ReadOptions options = input.batches;
  options.features.clear();  // the plan has only these
  auto reader = Reader::Open(input.files, *input.plan, options);
  if (!reader) return reader.status();
  uint64_t rows = 0;
  auto batch = reader->Next();
  for (; batch; batch = reader->Next()) rows += batch->num_rows();
  if (!batch.ok()) return batch.status();
  return rows;
}

HeldRecords::HeldRecords(const BenchInput& input)
    : decoder_(*input.plan, {.on_row_error = input.batches.on_row_error,
                             .padded_input = true,
                             .limits = input.batches.limits}),
      wanted_sizes_(input.batch_records) {}

Status HeldRecords::HoldFile(const std::string& path, const BenchInput& input,
                             uint64_t most_bytes,
                             std::vector<uint32_t>* sizes) {
  auto reader = RecordReader::Open(path, input.records);
  if (!reader) return reader.status();
  for (;;) {
    auto record = reader->Next();
    if (!record) return record.status();
    const std::string_view payload = record->payload;
    const uint64_t bytes = num_bytes_ + kRecordOverhead + payload.size();
    is_full_ = !sizes->empty() && bytes > most_bytes;
    if (is_full_) return Status();
    num_bytes_ = bytes;
    if (sizes->empty()) {
      // Room for all records to come, so that nothing is copied again.
      payloads_.reserve(std::max<uint64_t>(most_bytes, bytes) + kPadding);
    }
    sizes->push_back(static_cast<uint32_t>(payload.size()));
    payloads_.insert(payloads_.end(), payload.begin(), payload.end());
  }
}

Result<HeldRecords> HeldRecords::Hold(const BenchInput& input,
                                      uint64_t most_bytes) {
  HeldRecords held(input);
  std::vector<uint32_t> sizes;
  for (const std::string& path : input.files) {
    Status status = held.HoldFile(path, input, most_bytes, &sizes);
    if (!status.ok()) return status;
    if (held.is_full_) break;
  }
  held.payloads_.resize(held.payloads_.size() + kPadding);
  held.records_.reserve(sizes.size());
  const char* payload = held.payloads_.data();
  for (const uint32_t size : sizes) {
    held.records_.emplace_back(payload, size);
    payload += size;
  }
  return held;
}

Result<uint64_t> HeldRecords::FindBatches() {
  uint64_t rows = 0;
  size_t wanted = 1;
  auto next_wanted = wanted_sizes_.begin();
  for (std::span<const std::string_view> rest = records_; !rest.empty();) {
    if (next_wanted != wanted_sizes_.end()) wanted = *next_wanted++;
    size_t count = std::min(wanted, rest.size());
    Result<Batch> batch = decoder_.Decode(rest.first(count));
    // Reader ends such a batch early.
    while (batch.status().code() == ErrorCode::kLimit && count > 1) {
      count /= 2;
      batch = decoder_.Decode(rest.first(count));
    }
    if (!batch) return batch.status();
    rows += batch->num_rows();
    batch_sizes_.push_back(count);
    rest = rest.subspan(count);
  }
  return rows;
}

Result<uint64_t> HeldRecords::Decode() {
  if (batch_sizes_.empty()) return FindBatches();
  uint64_t rows = 0;
  std::span<const std::string_view> rest = records_;
  for (const size_t count : batch_sizes_) {
    const Result<Batch> batch = decoder_.Decode(rest.first(count));
    if (!batch) return batch.status();
    rows += batch->num_rows();
    rest = rest.subspan(count);
  }
  return rows;
}

}  // namespace headrace::cli
