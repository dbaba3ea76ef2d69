#include "src/decode/census/block_counter.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include "headrace/limits.h"

namespace headrace::census {
namespace {

// The largest chunk: it stays in cache with its columns. A record that is
// larger has a chunk to itself.
constexpr size_t kChunkRecords = 256;
constexpr size_t kChunkBytes = size_t{256} << 10;

// Number of bytes that can be walked in the time that one column adds to a
// chunk.
constexpr size_t kBytesPerColumn = 64;

// Columns of a plan that can be made in the time it takes to walk a small
// record.
constexpr size_t kColumnsPerRecord = 4;

// Number of failed chunks in a row up to which the wait grows: at most 14
// chunks are walked before decoding is tried again.
constexpr uint32_t kMaxInVain = 4;

}  // namespace

ChunkDecoder::ChunkDecoder(bool padded_input)
    : padded_input_(padded_input), columns_(Limits().max_batch_bytes) {
  columns_.MarkUnset();
}

void ChunkDecoder::Start(const std::shared_ptr<const plan::Program>& program,
                         std::span<const NumberedRecord> records) {
  assert(columns_.num_rows() == 0);
  MakeSpans(records);
  if (program_ == program) return;
  // Sizes that the columns of another program reached say nothing about these
  // columns.
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

BlockCounter::Chunk BlockCounter::NextChunk(
    std::span<const NumberedRecord> records, size_t first) {
  Chunk chunk;
  chunk.first = first;
  size_t size = 0;
  while (first + size < records.size() && size < kChunkRecords) {
    const size_t bytes = records[first + size].payload.size();
    if (size > 0 && bytes > kChunkBytes - std::min(chunk.bytes, kChunkBytes)) {
      break;
    }
    chunk.bytes += bytes;
    ++size;
  }
  chunk.records = records.subspan(first, size);
  return chunk;
}

Status BlockCounter::Add(std::span<const NumberedRecord> records,
                         const Refused& refused) {
  refused_ = &refused;
  for (size_t next = 0; next < records.size();) {
    Chunk chunk = NextChunk(records, next);
    next += chunk.records.size();
    if (Status status = AddChunk(&chunk); !status.ok()) return status;
  }
  return Status();
}

Status BlockCounter::AddChunk(Chunk* chunk) {
  if (num_given_up_ > 0) {
    --num_given_up_;
    chunk->walks_rest = true;
  }
  const Status status = AddRecords(chunk);
  if (status.code() == ErrorCode::kOutOfMemory) return status;
  const Status counted = FinishRows(chunk);
  if (chunk->is_tried) Review(*chunk);
  return status.ok() ? counted : status;
}

// Where nearly all records are walked, decoding is tried less and less often.
void BlockCounter::Review(const Chunk& chunk) {
  const size_t size = chunk.records.size();
  const bool is_in_vain = chunk.num_walked > size - size / 8;
  num_in_vain_ = is_in_vain ? std::min(num_in_vain_ + 1, kMaxInVain) : 0;
  num_given_up_ = is_in_vain ? (uint32_t{1} << num_in_vain_) - 2 : 0;
}

Status BlockCounter::AddRecords(Chunk* chunk) {
  bool is_started = false;
  for (size_t next = 0; next < chunk->records.size();) {
    Status status;
    const bool may_decode = !chunk->walks_rest && MayDecode(*chunk);
    if (may_decode && NeedsPlan()) {
      if (status = FinishRows(chunk); !status.ok()) return status;
      MakePlan();
      is_started = false;
    }
    if (!may_decode || program_ == nullptr) {
      status = WalkOne(chunk, next++);
    } else {
      chunk->is_tried = true;
      if (!is_started) decoder_.Start(program_, chunk->records);
      is_started = true;
      status = Decode(chunk, &next);
    }
    if (!status.ok()) return status;
  }
  return Status();
}

// Decodes records from `*next` on, and walks the one that ends the decoding.
Status BlockCounter::Decode(Chunk* chunk, size_t* next) {
  const decode::BlockEnd end = decoder_.Decode(*next);
  const auto decoded = chunk->records.subspan(*next, end.num_decoded);
  num_fitting_ += decoded.size();
  NoteDecoded(decoded);
  for (const NumberedRecord& record : decoded) rows_.push_back(&record);
  *next += decoded.size();
  if (end.code == ErrorCode::kOk) return Status();
  if (end.code == ErrorCode::kOutOfMemory) return Status::OutOfMemory();
  if (end.code == ErrorCode::kLimit) {
    // There is no room for more rows.
    if (Status status = FinishRows(chunk); !status.ok()) return status;
    decoder_.Clear();
  }
  return WalkOne(chunk, (*next)++);
}

// If the order matters, all earlier rows are counted first. Counting them costs
// as much as a chunk, so it happens once per chunk.
Status BlockCounter::WalkOne(Chunk* chunk, size_t i) {
  if (decoder_.num_rows() > 0 && NeedsOrder()) {
    chunk->walks_rest = true;
    if (Status status = FinishRows(chunk); !status.ok()) return status;
  }
  ++num_walked_;
  ++chunk->num_walked;
  const Status status = Walk(chunk->records[i]);
  if (status.ok() || status.code() == ErrorCode::kOutOfMemory) return status;
  return (*refused_)(chunk->first + i, status);
}

// Counts the rows so far.
Status BlockCounter::FinishRows(Chunk* chunk) {
  if (rows_.empty()) return Status();
  finished_.swap(rows_);
  rows_.clear();
  const bool must_walk = MustWalk(decoder_.columns());
  if (!must_walk) CountRows(decoder_.columns(), finished_);
  decoder_.Clear();
  if (!must_walk) return Status();
  num_fitting_ -= finished_.size();
  for (const NumberedRecord* const row : finished_) {
    const auto i = static_cast<size_t>(row - chunk->records.data());
    if (Status status = WalkOne(chunk, i); !status.ok()) return status;
  }
  return Status();
}

bool BlockCounter::MayDecode(const Chunk& chunk) const {
  return MayDecode() && num_columns() <= chunk.bytes / kBytesPerColumn &&
         chunk.bytes <= std::numeric_limits<uint32_t>::max();
}

// Where new features keep appearing, plans are made less and less often.
bool BlockCounter::NeedsPlan() const {
  if (num_columns() == 0) return false;
  return program_ == nullptr ||
         (known_ != num_columns() + num_kinds() && num_walked_ >= wait_);
}

void BlockCounter::MakePlan() {
  std::vector<ColumnField> fields = columns();
  for (ColumnField& field : fields) {
    // Cells without a kind fit columns of any kind.
    if (field.kind == Kind::kNull && !field.in_sequence) {
      field.kind = Kind::kInt64;
    }
  }
  auto program = plan::Program::ForColumns(std::move(fields), message(),
                                           /*sequence_struct=*/false,
                                           plan::LateKeys::kCollected);
  assert(program.ok());  // All counted keys are keys of this message.
  const bool was_good = program_ == nullptr || num_fitting_ >= num_walked_;
  program_ = *std::move(program);
  NotePlan(*program_);
  known_ = num_columns() + num_kinds();
  wait_ = std::max<uint64_t>(num_columns() / kColumnsPerRecord,
                             was_good ? 0 : 2 * wait_ + 1);
  num_walked_ = num_fitting_ = 0;
}

}  // namespace headrace::census
