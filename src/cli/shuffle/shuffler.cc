#include "src/cli/shuffle/shuffler.h"

#include <algorithm>
#include <new>

#include "headrace/output_sink.h"
#include "headrace/record_reader.h"
#include "src/base/regular_file.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

// An entry has as many bytes as its record in a TFRecord file.
static_assert(sizeof(EntryHeader) == kRecordOverhead);

// The number of files other than those of the buckets.
constexpr uint64_t kOtherFiles = 32;
constexpr size_t kSpoolWindow = size_t{1} << 20;

// A writer has a compressor and a buffer, which should be freed when its shard
// is finished; the file has to stay, without its name, until all shards are
// finished.
class FileSink : public OutputSink {
 public:
  explicit FileSink(OutputFile* file) : file_(file) {}
  Status Write(std::span<const uint8_t> bytes) override {
    return file_->Write(bytes.data(), bytes.size());
  }
  Status Close() override { return file_->Finish(); }

 private:
  OutputFile* file_;
};

Status InputChanged() {
  return Status(ErrorCode::kIo,
                "the input changed between the pass that counts its records "
                "and the one that reads them");
}

}  // namespace

Result<ShardWriter> ShardWriter::Open(std::vector<std::string> paths,
                                      const RecordWriterOptions& stored) {
  ShardWriter writer(std::move(paths), stored);
  if (Status status = writer.OpenShard(); !status.ok()) return status;
  return writer;
}

Status ShardWriter::OpenShard() {
  const std::string& path = paths_[files_.size()];
  OutputFileOptions options;
  options.temporaries = Temporaries();
  options.buffer_bytes = 1;  // the RecordWriter has a buffer
  Result<OutputFile> file = OutputFile::Open(path, options);
  if (!file) return file.status();
  files_.push_back(*std::move(file));
  Result<RecordWriter> writer =
      RecordWriter::ToSink(std::make_unique<FileSink>(&files_.back()),
                           files_.back().name(), stored_);
  if (!writer) return writer.status();
  writer_ = *std::move(writer);
  return Status();
}

Status ShardWriter::FinishShard() {
  const Status status = writer_->Close();
  writer_.reset();
  return status;
}

Status ShardWriter::Write(std::string_view payload) {
  // Shards are empty where there are more of them than records.
  while (next_record_ ==
         PartOf(num_records_, files_.size() - 1, paths_.size()).end) {
    if (Status status = FinishShard(); !status.ok()) return status;
    if (Status status = OpenShard(); !status.ok()) return status;
  }
  ++next_record_;
  return writer_->Write(payload);
}

Status ShardWriter::Close() {
  for (;;) {
    if (Status status = FinishShard(); !status.ok()) return status;
    if (files_.size() == paths_.size()) break;
    if (Status status = OpenShard(); !status.ok()) return status;
  }
  for (const std::string& path : paths_) {
    if (path != "-") RemoveStaleIndexes(path);
  }
  return CommitAll(paths_, &files_);
}

Status Shuffler::Run() {
  if (Status status = TakeMemory(); !status.ok()) return status;
  if (Status status = Gather(); !status.ok()) return status;
  Result<Order> order =
      Order::Make({.rows = num_records_, .seed = options_.seed});
  if (!order) return order.status();
  order_ = *std::move(order);
  out_->set_num_records(num_records_);
  return holds_all_ ? WriteHeld() : WriteBuckets();
}

Status Shuffler::TakeMemory() {
  // Pages to which nothing is written use no memory.
  const auto count = static_cast<size_t>(options_.memory / sizeof(uint64_t));
  memory_.reset(new (std::nothrow) uint64_t[count]);
  if (memory_ != nullptr) return Status();
  return Status(ErrorCode::kOutOfMemory, "cannot allocate " +
                                             ByteSize(options_.memory) +
                                             "; give a smaller --memory");
}

std::span<char> Shuffler::Bytes(size_t count) const {
  return {reinterpret_cast<char*>(memory_.get()), count};
}

std::span<uint64_t> Shuffler::Numbers(uint64_t count) const {
  const std::span all(memory_.get(), memory_bytes() / sizeof(uint64_t));
  return all.last(static_cast<size_t>(count));
}

Status Shuffler::Gather() {
  Result<RecordInput> input = RecordInput::Open(options_.input);
  if (!input) return input.status();
  can_read_again_ =
      std::all_of(input->files().begin(), input->files().end(), IsRegularFile);
  if (input->stored_size() > options_.memory) num_passes_ = 3;
  held_.emplace(Bytes(memory_bytes()));
  auto record = input->Next();
  Status status;
  for (; record && status.ok(); record = input->Next()) {
    status = Hold(record->record.payload);
    Show(0, input->stored_position(), input->stored_size());
  }
  report_ = input->report();
  if (status.ok()) status = record.status();
  if (status.ok() && spool_) status = held_->Flush(&*spool_);
  return status;
}

// Once there are too many records, the memory has the records that were read
// last or, if the input can be read again, nothing of use.
Status Shuffler::Hold(std::string_view payload) {
  const EntryHeader header = EntryHeader::Of(num_records_++, payload);
  num_bytes_ += sizeof(header) + payload.size();
  if (holds_all_) {
    const auto numbers = static_cast<size_t>(num_records_) * sizeof(uint64_t);
    if (held_->Add(header, payload, numbers)) return Status();
    holds_all_ = false;
    num_passes_ = 3;
    if (can_read_again_) return Status();
    console_.Note(
        "the input cannot be read twice: its records go to the folder " +
        folder_ + " first");
    Result<TemporaryFile> spool = TemporaryFile::Create(folder_);
    if (!spool) return spool.status();
    spool_ = *std::move(spool);
  }
  if (!spool_ || held_->Add(header, payload)) return Status();
  return held_->Spill(header, payload, &*spool_);
}

Status Shuffler::WriteHeld() {
  EntryReader entries(held_->entries());
  return WriteEntries(&entries, 0, Numbers(num_records_));
}

Status Shuffler::WriteBuckets() {
  const uint64_t most_files = RaiseOpenFiles();
  const Result<BucketPlan> plan =
      PlanBuckets(num_records_, num_bytes_, memory_bytes(),
                  most_files - std::min(most_files, kOtherFiles));
  if (!plan) return plan.status();
  if (Status status = AnnounceSpace(*plan); !status.ok()) return status;
  Result<Buckets> buckets =
      Buckets::Create(*plan, folder_, Bytes(memory_bytes()));
  if (!buckets) return buckets.status();
  Status status = spool_ ? ScatterSpool(&*buckets) : Scatter(&*buckets);
  if (status.ok()) status = buckets->Finish();
  spool_.reset();
  for (uint64_t bucket = 0; bucket < plan->count && status.ok(); ++bucket) {
    const uint64_t first = bucket * plan->rows;
    const auto offsets = Numbers(std::min(plan->rows, num_records_ - first));
    const TemporaryFile file = buckets->Take(bucket);
    EntryReader entries(&file, Bytes(memory_bytes() - offsets.size_bytes()));
    status = WriteEntries(&entries, first, offsets);
  }
  return status;
}

// The space of a bucket is free again when its records have been written, so an
// output on the same disk needs the space of one more bucket.
Status Shuffler::AnnounceSpace(const BucketPlan& plan) const {
  const uint64_t needed = num_bytes_ + num_bytes_ / plan.count;
  Result<uint64_t> free = FreeSpace(folder_);
  if (!free.ok()) return free.status();
  if (*free < needed) {
    return Status(ErrorInfo{
        .code = ErrorCode::kIo,
        .message = "temporary files need " + ByteSize(needed) + ", " +
                   ByteSize(*free) +
                   " are free; --temp names another folder, and a larger "
                   "--memory may need none",
        .file = folder_});
  }
  console_.Note(ByteSize(num_bytes_) + " of records are more than --memory " +
                ByteSize(options_.memory) + ": temporary files in the folder " +
                folder_ + " take " + ByteSize(needed) +
                " until the output is complete");
  return Status();
}

Status Shuffler::Scatter(Buckets* buckets) {
  Result<RecordInput> input = RecordInput::Open(options_.input);
  if (!input) return input.status();
  uint64_t number = 0;
  uint64_t bytes = 0;
  auto record = input->Next();
  for (; record; record = input->Next()) {
    const std::string_view payload = record->record.payload;
    bytes += kRecordOverhead + payload.size();
    if (number == num_records_ || bytes > num_bytes_) return InputChanged();
    const Result<uint64_t> position = PositionOf(number);
    if (!position) return position.status();
    const Status status =
        buckets->Add(*position, EntryHeader::Of(number, payload), payload);
    if (!status.ok()) return status;
    ++number;
    Show(1, bytes, num_bytes_);
  }
  if (!record.ok()) return record.status();
  return number == num_records_ ? Status() : InputChanged();
}

Status Shuffler::ScatterSpool(Buckets* buckets) {
  std::vector<char> window(kSpoolWindow);
  EntryReader entries(&*spool_, window);
  for (uint64_t offset = 0; offset < entries.size();) {
    const Result<EntryReader::Entry> entry = entries.Get(offset);
    if (!entry) return entry.status();
    if (entry->header.record >= num_records_) return entries.Damaged();
    const Result<uint64_t> position = PositionOf(entry->header.record);
    if (!position) return position.status();
    const Status status =
        buckets->Add(*position, entry->header, entry->payload);
    if (!status.ok()) return status;
    offset += sizeof(EntryHeader) + entry->payload.size();
    Show(1, offset, num_bytes_);
  }
  return Status();
}

Status Shuffler::WriteEntries(EntryReader* entries, uint64_t first,
                              std::span<uint64_t> offsets) {
  std::fill(offsets.begin(), offsets.end(), kUnknown);
  for (uint64_t offset = 0; offset < entries->size();) {
    const Result<EntryHeader> header = entries->Header(offset);
    if (!header) return header.status();
    if (header->record >= num_records_) return entries->Damaged();
    const Result<uint64_t> position = PositionOf(header->record);
    if (!position) return position.status();
    const uint64_t place = *position - first;
    if (place >= offsets.size()) return entries->Damaged();
    offsets[static_cast<size_t>(place)] = offset;
    offset += sizeof(*header) + header->size;
  }
  for (const uint64_t offset : offsets) {
    // A missing record has no offset: kUnknown is beyond the end.
    const Result<EntryReader::Entry> entry = entries->Get(offset);
    if (!entry) return entry.status();
    if (Status status = out_->Write(entry->payload); !status.ok()) {
      return status;
    }
    written_bytes_ += sizeof(EntryHeader) + entry->payload.size();
    Show(num_passes_ - 1, written_bytes_, num_bytes_);
  }
  return Status();
}

Result<uint64_t> Shuffler::PositionOf(uint64_t record) const {
  const std::span<uint64_t> number(&record, 1);
  const Status status = order_->PositionsOf(number, number);
  if (!status.ok()) return status;
  return record;
}

void Shuffler::Show(uint64_t pass, uint64_t done, uint64_t all) {
  progress_.Update(pass * all + done, num_passes_ * all);
}

}  // namespace headrace::cli
