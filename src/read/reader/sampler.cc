#include "src/read/reader/sampler.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "src/base/text/numbers.h"
#include "src/input/record/finding.h"

namespace headrace::reader {
namespace {

uint64_t OrAll(uint64_t bound) { return bound == 0 ? ~uint64_t{0} : bound; }

// A sample of all records is not kept, so it needs no bound.
uint64_t MostBytes(const ReadOptions& options) {
  if (options.sample == 0) return ~uint64_t{0};
  return std::min(OrAll(options.sample_bytes), kMaxSampleBytes);
}

}  // namespace

Sampler::Sampler(const ReadOptions& options, RecordStream* stream,
                 const Interrupt& interrupt)
    : options_(options),
      stream_(stream),
      interrupt_(interrupt),
      most_records_(OrAll(options.sample)),
      most_bytes_(MostBytes(options)),
      census_(options.message, /*padded_input=*/true) {}

Status Sampler::CheckSampleOfAll() const {
  if (options_.sample > 0 || stream_->can_reopen()) return Status();
  return Status(ErrorCode::kInvalidArgument,
                "this input can be read only once: give a sample of more than "
                "0 records");
}

bool Sampler::IsFull() const {
  if (num_records_ == 0) return false;
  return num_records_ >= most_records_ || bytes_before_ + bytes_ >= most_bytes_;
}

// Inspects the records of the block, up to the end of the sample.
Status Sampler::LookAt(const FileBlock& block) {
  if (block.file != file_) {
    bytes_before_ += std::exchange(bytes_, 0);
    file_ = block.file;
  }
  numbered_.clear();
  for (const record::RecordSpan& span : block.block.records) {
    // The first record is always inspected, even if its offset is beyond the
    // maximum.
    bytes_ = num_records_ == 0 ? bytes_ : span.offset;
    if (IsFull()) break;
    bytes_ = span.end();
    if (block.block.payloads_unverified && !record::PayloadIsIntact(span)) {
      NoteBadPayload(block, span);
      if (!damage_.ok()) break;
      continue;
    }
    numbered_.push_back(
        {{reinterpret_cast<const char*>(span.payload), span.size},
         num_records_++});
  }
  return census_.Add(numbered_, [this](size_t, const Status&) {
    ++num_bad_;
    return Status();
  });
}

void Sampler::NoteBadPayload(const FileBlock& block,
                             const record::RecordSpan& span) {
  const std::string& file = stream_->FileName(block.file);
  if (options_.on_corrupt == OnCorrupt::kFail) {
    const auto index =
        static_cast<uint64_t>(&span - block.block.records.data());
    damage_ = record::BadPayload(
        span, record::NumberAfter(block.block.first_record, index), file);
    return;
  }
  bad_payloads_.Add(
      {.regions = {{file, {span.offset, span.end(), ErrorCode::kPayloadCrc}}},
       .records = {},
       .count = 1},
      1);
}

std::string Sampler::ExplainGaps(ErrorInfo* info) const {
  std::string text;
  if (!damage_.ok()) {
    const ErrorInfo& damage = *damage_.info();
    info->file = damage.file;
    info->record = damage.record;
    info->offset = damage.offset;
    text += "; the sample ends here, at damage: " +
            std::string(NameOf(damage.code)) + ": " + damage.message;
  }
  Skipped left_out = stream_->left_out_of_sample();
  left_out.Add(Skipped(bad_payloads_), 1);
  if (left_out.count > 0) {
    text += "; " + Counted(left_out.count, "damaged region") +
            " of the sample " + (left_out.count == 1 ? "was" : "were") +
            " skipped";
  }
  for (const FileRegion& region : left_out.regions) {
    text += (left_out.count == 1 ? ", " : ", such as ") +
            std::string(NameOf(region.region.reason)) + " at offset " +
            std::to_string(region.region.begin) + " of " + region.file;
  }
  if (num_bad_ > 0) {
    text += "; " + Counted(num_bad_, "record") + " of the sample " +
            (num_bad_ == 1 ? "is bad, and shows" : "are bad, and show") +
            " no columns";
  }
  return text;
}

Result<BlockCensus> Sampler::Run() {
  if (Status status = CheckSampleOfAll(); !status.ok()) return status;
  while (!IsFull() && damage_.ok()) {
    auto block = stream_->Peek(static_cast<size_t>(
        std::min<uint64_t>(kBlockRecords, most_records_ - num_records_)));
    if (interrupt_.is_set()) return Cancelled();
    if (Status status = CheckSampleOfAll(); !status.ok()) return status;
    // An error before the first record that is not damage ends reading now,
    // because no row precedes it. For example, a file cannot be opened.
    if (!block.ok() && num_records_ == 0 && !IsDamage(block.status().code())) {
      return block.status();
    }
    if (!block.ok()) damage_ = block.status();
    if (!block) break;
    if (Status status = LookAt(*block); !status.ok()) return status;
  }
  if (Status status = stream_->Rewind(); !status.ok()) return status;
  return std::move(census_);
}

}  // namespace headrace::reader
