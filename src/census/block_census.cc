// Records are decoded into the columns of the features that are known so far;
// offsets and validity of a column then say all that is counted, at once for
// all rows. FeatureCensus::Add counts the records that the columns do not fit:
// those with a new feature, with one of another kind, and malformed ones.

#include <algorithm>
#include <cassert>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "headrace/census.h"
#include "headrace/message.h"
#include "src/base/out_of_memory.h"
#include "src/census/chunk_decoder.h"
#include "src/census/column_counts.h"
#include "src/plan/program.h"

namespace headrace {
namespace {

// A chunk and its columns stay in cache. A larger record is one alone.
constexpr size_t kChunkRecords = 256;
constexpr size_t kChunkBytes = size_t{256} << 10;

// A column costs a chunk as much as walking so many bytes.
constexpr size_t kBytesPerColumn = 64;

// Making so many columns of a plan costs as much as walking a small record.
constexpr size_t kColumnsPerRecord = 4;

// After so many chunks in vain at most 14 are walked before another is tried.
constexpr uint32_t kMostInVain = 4;

}  // namespace

class BlockCensus::Impl {
 public:
  Impl(bool padded_input, FeatureCensus* census)
      : census_(census), decoder_(padded_input) {}

  Status Add(std::span<const NumberedRecord> records, const Refused& refused);

  // The owner moves.
  void set_census(FeatureCensus* census) { census_ = census; }

 private:
  // Some records of a call.
  struct Chunk {
    std::span<const NumberedRecord> records;
    size_t first = 0;  // index of the first one in the call
    size_t bytes = 0;
    size_t first_row = 0;  // this record is the first row of decoder_
    bool walks_rest = false;
    bool is_tried = false;  // decoding is
    size_t num_walked = 0;
  };

  static Chunk NextChunk(std::span<const NumberedRecord> records, size_t first);
  Status AddChunk(Chunk* chunk);
  Status AddRecords(Chunk* chunk);
  void Review(const Chunk& chunk);
  Status Decode(Chunk* chunk, size_t* next);
  Status Walk(Chunk* chunk, size_t i);
  void NoteFitting(const Chunk& chunk, size_t first, size_t count);
  Status CountRows(Chunk* chunk);
  Status WalkRows(Chunk* chunk);
  bool NeedsPlan() const;
  void MakePlan();
  bool KnowsAll() const;
  bool FoundKind(const column::ColumnSet& columns) const;
  // False for a feature that had no kind when the plan was made, unless it is
  // of that which the plan took for it.
  bool HasKindOfPlan(uint32_t slot) const {
    return counts_[slot]->kind == program_->kind(slot) &&
           counts_[slot]->kind != Kind::kNull;
  }

  size_t num_columns() const {
    return census_->features_.size() + census_->feature_lists_.size();
  }
  // Until kAuto is decided only walking can tell.
  bool MayDecode(const Chunk& chunk) const {
    return census_->as_sequences_.empty() &&
           num_columns() <= chunk.bytes / kBytesPerColumn &&
           chunk.bytes <= std::numeric_limits<uint32_t>::max();
  }

  FeatureCensus* census_;
  const Refused* refused_ = nullptr;  // of the call

  std::shared_ptr<const plan::Program> program_;  // null before the first plan
  uint64_t known_ = 0;  // columns and kinds when the plan was made
  std::vector<FeatureCount*> counts_;  // of each slot
  // Every column has a kind and an example. Otherwise rows must be counted in
  // the order of their records, those that are walked included.
  bool knows_all_ = false;
  // Since the plan was made so many records were walked, or fitted it.
  uint64_t num_walked_ = 0;
  uint64_t num_fitting_ = 0;
  uint64_t wait_ = 0;  // so many are walked before another plan is made

  // So many chunks are walked before decoding is tried again.
  uint32_t num_given_up_ = 0;
  uint32_t num_in_vain_ = 0;  // chunks that were tried one after another

  census::ChunkDecoder decoder_;
};

BlockCensus::Impl::Chunk BlockCensus::Impl::NextChunk(
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

Status BlockCensus::Impl::Add(std::span<const NumberedRecord> records,
                              const Refused& refused) {
  refused_ = &refused;
  for (size_t next = 0; next < records.size();) {
    Chunk chunk = NextChunk(records, next);
    next += chunk.records.size();
    if (Status status = AddChunk(&chunk); !status.ok()) return status;
  }
  return Status();
}

Status BlockCensus::Impl::AddChunk(Chunk* chunk) {
  if (num_given_up_ > 0) {
    --num_given_up_;
    chunk->walks_rest = true;
  }
  const Status status = AddRecords(chunk);
  if (status.code() == ErrorCode::kOutOfMemory) return status;
  const Status counted = CountRows(chunk);
  if (chunk->is_tried) Review(*chunk);
  return status.ok() ? counted : status;
}

// Decoding is tried the less often where nearly all records are walked.
void BlockCensus::Impl::Review(const Chunk& chunk) {
  const size_t size = chunk.records.size();
  const bool is_in_vain = chunk.num_walked > size - size / 8;
  num_in_vain_ = is_in_vain ? std::min(num_in_vain_ + 1, kMostInVain) : 0;
  num_given_up_ = is_in_vain ? (uint32_t{1} << num_in_vain_) - 2 : 0;
}

Status BlockCensus::Impl::AddRecords(Chunk* chunk) {
  bool is_started = false;
  for (size_t next = 0; next < chunk->records.size();) {
    Status status;
    const bool may_decode = !chunk->walks_rest && MayDecode(*chunk);
    if (may_decode && NeedsPlan()) {
      if (status = CountRows(chunk); !status.ok()) return status;
      MakePlan();
      is_started = false;
    }
    if (!may_decode || program_ == nullptr) {
      status = Walk(chunk, next++);
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

// Decodes records from `next` on, and walks the one that ends this.
Status BlockCensus::Impl::Decode(Chunk* chunk, size_t* next) {
  if (decoder_.num_rows() == 0) chunk->first_row = *next;
  const decode::BlockEnd end = decoder_.Decode(*next);
  NoteFitting(*chunk, *next, end.num_decoded);
  *next += end.num_decoded;
  if (end.code == ErrorCode::kOk) return Status();
  if (end.code == ErrorCode::kOutOfMemory) {
    return census_->status_ = Status::OutOfMemory();
  }
  if (end.code == ErrorCode::kLimit) {
    // There is no room for more rows.
    if (Status status = CountRows(chunk); !status.ok()) return status;
    decoder_.Clear();
  }
  return Walk(chunk, (*next)++);
}

// These records have rows.
void BlockCensus::Impl::NoteFitting(const Chunk& chunk, size_t first,
                                    size_t count) {
  num_fitting_ += count;
  if (census_->message_ != MessageType::kSequence) return;
  for (const NumberedRecord& record : chunk.records.subspan(first, count)) {
    if (census_->has_feature_lists_) return;
    census_->has_feature_lists_ = HasFeatureLists(record.payload);
  }
}

// All rows before the record are counted first if the order matters. This costs
// as much as a chunk, so it happens once per chunk.
Status BlockCensus::Impl::Walk(Chunk* chunk, size_t i) {
  if (!knows_all_ && decoder_.num_rows() > 0) {
    chunk->walks_rest = true;
    if (Status status = CountRows(chunk); !status.ok()) return status;
  }
  ++num_walked_;
  ++chunk->num_walked;
  const NumberedRecord& record = chunk->records[i];
  const Status status = census_->Add(record.payload, record.number);
  if (status.ok() || status.code() == ErrorCode::kOutOfMemory) return status;
  return (*refused_)(chunk->first + i, status);
}

Status BlockCensus::Impl::CountRows(Chunk* chunk) {
  const column::ColumnSet& columns = decoder_.columns();
  if (columns.num_rows() == 0) return Status();
  if (!knows_all_ && FoundKind(columns)) return WalkRows(chunk);
  census_->num_records_ += columns.num_rows();
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    census::AddColumn(columns.builder(slot), counts_[slot]);
  }
  decoder_.Clear();
  if (!knows_all_) knows_all_ = KnowsAll();
  return Status();
}

// A feature without a kind was taken for one of int64, and has values: which
// record was the first only walking can tell.
Status BlockCensus::Impl::WalkRows(Chunk* chunk) {
  const size_t num_rows = decoder_.num_rows();
  decoder_.Clear();
  num_fitting_ -= num_rows;
  for (size_t i = 0; i < num_rows; ++i) {
    Status status = Walk(chunk, chunk->first_row + i);
    if (!status.ok()) return status;
  }
  return Status();
}

bool BlockCensus::Impl::FoundKind(const column::ColumnSet& columns) const {
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (!HasKindOfPlan(slot) && !program_->slots()[slot].in_sequence &&
        census::HasTyped(columns.builder(slot))) {
      return true;
    }
  }
  return false;
}

bool BlockCensus::Impl::KnowsAll() const {
  for (uint32_t slot = 0; slot < counts_.size(); ++slot) {
    if (!HasKindOfPlan(slot) || counts_[slot]->example.empty()) return false;
  }
  return true;
}

// Plans become rare where new features come again and again.
bool BlockCensus::Impl::NeedsPlan() const {
  if (num_columns() == 0) return false;
  return program_ == nullptr ||
         (known_ != num_columns() + census_->num_kinds_ &&
          num_walked_ >= wait_);
}

void BlockCensus::Impl::MakePlan() {
  std::vector<ColumnField> columns = census_->columns();
  for (ColumnField& column : columns) {
    // Cells without a kind fit columns of any; FoundKind sees the others.
    if (column.kind == Kind::kNull && !column.in_sequence) {
      column.kind = Kind::kInt64;
    }
  }
  auto program = plan::Program::ForColumns(
      std::move(columns), census_->message_, /*sequence_struct=*/false,
      plan::LateKeys::kCollected);
  assert(program.ok());  // What was counted are keys of this message.
  const bool was_good = program_ == nullptr || num_fitting_ >= num_walked_;
  program_ = *std::move(program);
  counts_.clear();
  for (auto& [key, count] : census_->features_) counts_.push_back(&count);
  for (auto& [key, count] : census_->feature_lists_) counts_.push_back(&count);
  known_ = num_columns() + census_->num_kinds_;
  knows_all_ = KnowsAll();
  wait_ = std::max<uint64_t>(num_columns() / kColumnsPerRecord,
                             was_good ? 0 : 2 * wait_ + 1);
  num_walked_ = num_fitting_ = 0;
}

BlockCensus::BlockCensus(MessageType message, bool padded_input)
    : census_(message), padded_input_(padded_input) {}
BlockCensus::BlockCensus(BlockCensus&& other) noexcept
    : census_(std::move(other.census_)),
      padded_input_(other.padded_input_),
      impl_(std::move(other.impl_)) {
  if (impl_) impl_->set_census(&census_);
}
BlockCensus& BlockCensus::operator=(BlockCensus&& other) noexcept {
  census_ = std::move(other.census_);
  padded_input_ = other.padded_input_;
  impl_ = std::move(other.impl_);
  if (impl_) impl_->set_census(&census_);
  return *this;
}
BlockCensus::~BlockCensus() = default;

Status BlockCensus::Add(std::span<const NumberedRecord> records,
                        const Refused& refused) {
  if (!census_.status_.ok()) return census_.status_;
  return CatchOutOfMemory(&census_.status_, [&] {
    if (impl_ == nullptr) {
      impl_ = std::make_unique<Impl>(padded_input_, &census_);
    }
    return impl_->Add(records, refused);
  });
}

}  // namespace headrace
