#include "headrace/index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "headrace/output_file.h"
#include "src/base/index_names.h"
#include "src/base/out_of_memory.h"
#include "src/base/system_error.h"
#include "src/base/text/quote.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image.h"
#include "src/input/index/index_beside.h"
#include "src/input/index/index_builder.h"
#include "src/input/source/file_stream.h"

namespace headrace {
namespace index {
namespace {

// The text format of DALI and of vahidk's tfrecord: "offset length" per line,
// where the length includes the 16 bytes around a payload.

// A line of this many characters or more is invalid. Two 64-bit numbers take
// 41.
constexpr size_t kLongestLine = 128;
constexpr size_t kReadBytes = size_t{64} << 10;
constexpr size_t kRecordsPerWrite = 1024;

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view WithoutBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// Removes a whole number in decimal digits from the front of the line.
std::optional<uint64_t> TakeNumber(std::string_view* line) {
  *line = WithoutBlanks(*line);
  uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(line->data(), line->data() + line->size(), number);
  if (error != std::errc()) return std::nullopt;
  line->remove_prefix(static_cast<size_t>(end - line->data()));
  if (!line->empty() && !IsBlank(line->front())) return std::nullopt;
  return number;
}

class TextReader {
 public:
  explicit TextReader(const std::string& path) : path_(path) {}

  Status Add(std::string_view text);
  Status AddEnd() { return line_.empty() ? Status() : AddLine(); }
  std::vector<uint8_t> Finish() {
    return writer_.Finish({.size = writer_.stream_bytes()});
  }

 private:
  Status AddLine();
  Status Bad(const std::string& message) const {
    return Status(
        ErrorInfo{.code = ErrorCode::kBadIndex,
                  .message = "line " + std::to_string(number_) + ": " + message,
                  .file = path_});
  }

  const std::string path_;
  std::string line_;
  uint64_t number_ = 1;  // of line_
  ImageWriter writer_;
};

Status TextReader::Add(std::string_view text) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    line_ += text.substr(0, std::min(end, kLongestLine + 1));
    if (line_.size() > kLongestLine) {
      line_.resize(kLongestLine);
      return AddLine();
    }
    if (end == text.size()) break;
    if (Status status = AddLine(); !status.ok()) return status;
    text.remove_prefix(end + 1);
  }
  return Status();
}

Status TextReader::AddLine() {
  std::string_view rest = line_;
  const std::optional<uint64_t> offset = TakeNumber(&rest);
  const std::optional<uint64_t> size = offset ? TakeNumber(&rest) : offset;
  if (!size || !WithoutBlanks(rest).empty() || line_.size() == kLongestLine) {
    return Bad("expected the offset and the length of a record, found " +
               Quote(line_) +
               (number_ == 1 ? "; a headrace index begins with HRI1" : ""));
  }
  if (*offset != writer_.stream_bytes()) {
    return Bad("the record begins at " + std::to_string(*offset) +
               ", the one before ends at " +
               std::to_string(writer_.stream_bytes()) +
               "; an index must have all records, in file order");
  }
  if (*size < kRecordOverhead) {
    return Bad("a record has at least 16 bytes, this one " +
               std::to_string(*size));
  }
  if (*size > kMaxStreamBytes - *offset) {
    return Bad("no file has this many bytes: " + std::to_string(*size));
  }
  writer_.Add(*size - kRecordOverhead);
  line_.clear();
  ++number_;
  return Status();
}

// Parses lines of "offset length" and returns the positions of the records as
// the bytes of an Image. Fails with kBadIndex if the text has another form, or
// if the records are not contiguous from offset 0.
Result<std::vector<uint8_t>> ReadText(source::FileStream* file,
                                      const std::string& path) {
  TextReader reader(path);
  std::vector<uint8_t> buffer(kReadBytes);
  while (true) {
    const Result<size_t> got = file->Read(buffer);
    if (!got.ok()) return NameFile(got.status(), path);
    if (*got == 0) break;
    const std::string_view text(reinterpret_cast<const char*>(buffer.data()),
                                *got);
    if (Status status = reader.Add(text); !status.ok()) return status;
  }
  if (Status status = reader.AddEnd(); !status.ok()) return status;
  return reader.Finish();
}

Status WriteText(const Image& image, OutputFile* out) {
  std::array<uint64_t, kRecordsPerWrite> records;
  std::array<RecordPlace, kRecordsPerWrite> places;
  std::string lines;
  for (uint64_t first = 0; first < image.num_records();) {
    const size_t count = static_cast<size_t>(
        std::min<uint64_t>(kRecordsPerWrite, image.num_records() - first));
    std::iota(records.begin(), records.end(), first);
    if (Status status = image.Find(std::span(records).first(count),
                                   std::span(places).first(count));
        !status.ok()) {
      return status;
    }
    lines.clear();
    for (const RecordPlace& place : std::span(places).first(count)) {
      lines += std::to_string(place.offset) + " " +
               std::to_string(kRecordOverhead + place.length) + "\n";
    }
    if (Status status = out->Write(lines); !status.ok()) return status;
    first += count;
  }
  return Status();
}

}  // namespace
}  // namespace index

using index::Image;
using index::IndexBytes;

class Index::Impl {
 public:
  static Result<Index> Make(IndexBytes bytes, const std::string& name) {
    Result<Image> image = Image::Open(
        bytes.bytes(),
        bytes.is_mapped() ? index::Bytes::kMapped : index::Bytes::kOurs, name,
        bytes.owner());
    if (!image.ok()) return image.status();
    return Index(
        std::make_shared<const Impl>(std::move(bytes), *std::move(image)));
  }

  Impl(IndexBytes bytes, Image image)
      : bytes_(std::move(bytes)), image_(std::move(image)) {}

  const Image& image() const { return image_; }

 private:
  const IndexBytes bytes_;
  const Image image_;  // of bytes_
};

namespace {

Result<IndexBytes> ReadIndex(const std::string& path) {
  auto opened = source::FileStream::OpenRegular(path);
  if (!opened.ok()) return opened.status();
  source::FileStream* const file = opened->get();
  std::array<uint8_t, kIndexMagic.size()> magic = {};
  const Result<size_t> got = file->ReadAt(0, magic);
  if (!got.ok()) return NameFile(got.status(), path);
  if (std::equal(magic.begin(), magic.end(), kIndexMagic.begin())) {
    return IndexBytes::ReadOrMap(file, path);
  }
  Result<std::vector<uint8_t>> image = index::ReadText(file, path);
  if (!image.ok()) return image.status();
  return IndexBytes(*std::move(image));
}

}  // namespace

Index::Index(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}

Result<Index> Index::Build(const std::string& path,
                           const IndexOptions& options) {
  return CatchOutOfMemory([&]() -> Result<Index> {
    auto image = index::BuildImage(path, options);
    if (!image.ok()) return image.status();
    return Impl::Make(IndexBytes(*std::move(image)), "");
  });
}

Result<Index> Index::Open(const std::string& index_path) {
  return CatchOutOfMemory([&]() -> Result<Index> {
    auto bytes = ReadIndex(index_path);
    if (!bytes.ok()) return bytes.status();
    return Impl::Make(*std::move(bytes), index_path);
  });
}

Status Index::CheckIsOf(const std::string& path,
                        const IndexOptions& options) const {
  return CatchOutOfMemory([&] {
    return index::CheckIsOf(impl_->image().identity(), path, options);
  });
}

Status Index::Save(const std::string& index_path,
                   const OutputFileOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    Result<OutputFile> out = OutputFile::Open(index_path, options);
    if (!out) return out.status();
    const auto bytes = impl_->image().bytes();
    Status status = out->Write(bytes.data(), bytes.size());
    return status.ok() ? out->Close() : status;
  });
}

Status Index::SaveText(const std::string& index_path,
                       const OutputFileOptions& options) const {
  return CatchOutOfMemory([&]() -> Status {
    if (impl_->image().seek_table() != nullptr) {
      return Status(ErrorInfo{
          .code = ErrorCode::kInvalidArgument,
          .message = "the text format cannot store the seek points that a "
                     "compressed file needs: use the HRI format, or decompress "
                     "the file",
          .file = index_path});
    }
    Result<OutputFile> out = OutputFile::Open(index_path, options);
    if (!out) return out.status();
    Status status = index::WriteText(impl_->image(), &*out);
    return status.ok() ? out->Close() : status;
  });
}

Compression Index::compression() const {
  const auto& table = impl_->image().seek_table();
  return table != nullptr ? table->compression() : Compression::kNone;
}

uint64_t Index::size() const { return impl_->image().num_records(); }
uint64_t Index::stream_bytes() const { return impl_->image().stream_bytes(); }
uint64_t Index::index_bytes() const { return impl_->image().bytes().size(); }

Status Index::Find(std::span<const uint64_t> records,
                   std::span<RecordPlace> places) const {
  return CatchOutOfMemory([&] { return impl_->image().Find(records, places); });
}

std::shared_ptr<const compression::SeekTable> IndexAccess::SeekTableOf(
    const Index& index) {
  return index.impl_->image().seek_table();
}

}  // namespace headrace
