#include "src/input/index/index_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>

#include "src/base/system_error.h"
#include "src/base/text/quote.h"
#include "src/input/index/image_format.h"
#include "src/input/index/image_writer.h"

namespace headrace::index {
namespace {

// Characters per line. Two 64-bit numbers take 41; longer lines are invalid.
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
               (number_ == 1 ? "; an index of headrace begins with HRI1" : ""));
  }
  if (*offset != writer_.stream_bytes()) {
    return Bad("the record begins at " + std::to_string(*offset) +
               ", the one before ends at " +
               std::to_string(writer_.stream_bytes()) +
               "; an index must have all records, in their order");
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

}  // namespace

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

}  // namespace headrace::index
