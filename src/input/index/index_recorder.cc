#include "src/input/index/index_recorder.h"

#include <utility>
#include <vector>

#include "headrace/output_file.h"
#include "src/input/index/index_beside.h"
#include "src/input/index/index_builder.h"
#include "src/input/index/stored_bytes.h"

namespace headrace::index {
namespace {

bool HasValidIndex(const std::string& file, const std::string& directory,
                   const IndexOptions& options) {
  const auto index = OpenBeside(file, directory, options);
  return index && index->CheckIsOf(file, options).ok();
}

}  // namespace

Result<std::unique_ptr<IndexRecorder>> IndexRecorder::Begin(
    const std::string& file, const std::string& directory,
    const IndexOptions& options) {
  if (HasValidIndex(file, directory, options)) return {nullptr};
  auto stored = OpenStored(file, options);
  if (!stored.ok()) return {nullptr};  // its reader reports why
  const auto identity = Identify(stored->get(), file, options);
  if (!identity.ok()) return identity.status();
  return std::unique_ptr<IndexRecorder>(new IndexRecorder(
      file, NameBeside(file, directory, options) + ".hri", options, *identity,
      std::make_unique<StoredBytes>(*std::move(stored))));
}

IndexRecorder::IndexRecorder(const std::string& file, std::string index_path,
                             const IndexOptions& options,
                             const FileIdentity& identity,
                             std::unique_ptr<ByteStream> stored)
    : file_(file),
      index_path_(std::move(index_path)),
      options_(options),
      identity_(identity),
      points_(options.checkpoint_bytes, std::move(stored)) {}

void IndexRecorder::Add(std::span<const record::RecordSpan> records) {
  for (const record::RecordSpan& span : records) writer_.Add(span.size);
}

Status IndexRecorder::Finish(const source::Source& source) {
  auto image = FinishImage(source, identity_, &points_, &writer_);
  if (!image.ok()) return image.status();
  if (image->empty()) return Status();
  if (TimeOf(file_, options_) != identity_.time) {
    return ChangedMeanwhile(file_, "");
  }
  Result<OutputFile> out =
      OutputFile::Open(index_path_, {.stays_in_folder = true});
  if (!out) return out.status();
  Status status = out->Write(image->data(), image->size());
  return status.ok() ? out->Close() : status;
}

}  // namespace headrace::index
