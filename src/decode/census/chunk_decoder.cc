#include "src/decode/census/chunk_decoder.h"

#include <cassert>
#include <cstring>

#include "headrace/limits.h"

namespace headrace::census {

ChunkDecoder::ChunkDecoder(bool padded_input)
    : padded_input_(padded_input), columns_(Limits().max_batch_bytes) {
  columns_.MarkUnset();
}

void ChunkDecoder::Start(const std::shared_ptr<const plan::Program>& program,
                         std::span<const NumberedRecord> records) {
  assert(columns_.num_rows() == 0);
  MakeSpans(records);
  if (program_ == program) return;
  // Sizes that another program's columns reached say nothing about these.
  program_ = program;
  columns_.StartAfresh(program_->slots(), /*keep_nulls=*/true);
}

void ChunkDecoder::Clear() {
  columns_.Start(program_->slots(), /*keep_nulls=*/true);
}

// Spans point to the records or, where these lack padding, to copies.
void ChunkDecoder::MakeSpans(std::span<const NumberedRecord> records) {
  if (!padded_input_) {
    size_t bytes = kPadding;
    for (const NumberedRecord& record : records) bytes += record.payload.size();
    copy_.resize(bytes);
  }
  spans_.clear();
  uint8_t* copy = copy_.data();
  for (const NumberedRecord& record : records) {
    const size_t size = record.payload.size();
    const auto* payload =
        reinterpret_cast<const uint8_t*>(record.payload.data());
    if (!padded_input_) {
      if (size > 0) std::memcpy(copy, payload, size);
      payload = copy;
      copy += size;
    }
    spans_.push_back({.payload = payload, .size = static_cast<uint32_t>(size)});
  }
}

decode::BlockEnd ChunkDecoder::Decode(size_t first) {
  return decode::DecodeBlock(
      *program_, std::span(spans_).subspan(first),
      {.verify_unselected = true, .strict_columns = true, .order = &order_},
      &columns_, &late_);
}

}  // namespace headrace::census
