#include "bench/sides/headrace_side.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "headrace/reader.h"
#include "src/base/record_header.h"
#include "src/decode/example/decode_block.h"
#include "src/input/crc32c/crc32c.h"
#include "src/input/record/scanner.h"
#include "src/input/source/source.h"
#include "src/plan/compile/program.h"

namespace headrace::bench {
namespace {

Result<record::Scanner> OpenScanner(const Data& data,
                                    const record::ScanOptions& options) {
  auto source = source::OpenMemory(data.file.data(), data.file.size(),
                                   {.compression = Compression::kNone});
  if (!source.ok()) return source.status();
  return record::Scanner(*std::move(source), options);
}

}  // namespace

ColumnDecoder::ColumnDecoder(const Data& data, Plan plan, size_t batch_size)
    : data_(data),
      plan_(std::move(plan)),
      batch_size_(batch_size),
      pool_(std::make_shared<reader::BatchPool>(Limits())) {}

Result<uint64_t> ColumnDecoder::Run(bool verify_payload, const Sink& sink) {
  auto scanner = OpenScanner(
      data_, {.verify_payload = verify_payload, .defer_payload = true});
  if (!scanner.ok()) return scanner.status();
  uint64_t num_rows = 0;
  for (bool at_end = false; !at_end;) {
    reader::BatchStorage* const storage = pool_->Acquire(plan_);
    const Batch batch = reader::BatchStorage::MakeBatch(storage);
    while (batch.num_rows() < batch_size_) {
      auto block = scanner->NextBlock(batch_size_ - batch.num_rows());
      if (!block.ok()) return block.status();
      at_end = block->records.empty();
      if (at_end) break;
      const decode::BlockEnd end =
          decode::DecodeBlock(plan::Program::Of(plan_), block->records,
                              {.verify_payload = block->payloads_unverified,
                               .check = storage->check(),
                               .lists = storage->lists(),
                               .order = &order_},
                              &storage->columns(), nullptr);
      if (end.code != ErrorCode::kOk) {
        return Status(end.code, "a record could not be decoded");
      }
      storage->AddRecords(block->records, block->first_record, 0, block->pin);
    }
    if (Status status = storage->Seal(); !status.ok()) return status;
    if (sink) sink(batch);
    num_rows += batch.num_rows();
  }
  return num_rows;
}

AnonymousFile::AnonymousFile(std::string_view bytes)
    : descriptor_(memfd_create("bench", 0)) {
  if (descriptor_ < 0) return;
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
    if (written <= 0) return;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

AnonymousFile::~AnonymousFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<uint64_t> ReadFile(const std::string& path, const Plan& plan,
                          size_t batch_size) {
  auto reader = Reader::Open({path}, plan, {.batch_size = batch_size});
  if (!reader.ok()) return reader.status();
  for (;;) {
    auto batch = reader->Next();
    if (!batch.ok()) return batch.status();
    if (!batch) return reader->num_records();
  }
}

Result<uint64_t> FrameAll(const Data& data) {
  auto scanner = OpenScanner(data, {.verify_payload = true});
  if (!scanner.ok()) return scanner.status();
  uint64_t count = 0;
  for (;;) {
    auto block = scanner->NextBlock(256);
    if (!block.ok()) return block.status();
    if (block->records.empty()) return count;
    count += block->records.size();
  }
}

uint64_t CheckPayloads(std::span<const std::string_view> payloads) {
  uint64_t intact = 0;
  for (const std::string_view payload : payloads) {
    record::RecordSpan span;
    span.payload = reinterpret_cast<const uint8_t*>(payload.data());
    span.size = static_cast<uint32_t>(payload.size());
    intact += record::PayloadIsIntact(span);
  }
  return intact;
}

uint64_t CopyPayloads(std::span<const std::string_view> payloads,
                      std::vector<char>* buffer) {
  size_t at = 0;
  for (const std::string_view payload : payloads) {
    if (payload.size() > buffer->size() - at) at = 0;
    std::memcpy(buffer->data() + at, payload.data(), payload.size());
    at += payload.size();
    // The compiler must believe that the copy is read.
    asm volatile("" : : "r"(buffer->data()) : "memory");
  }
  return payloads.size();
}

}  // namespace headrace::bench
