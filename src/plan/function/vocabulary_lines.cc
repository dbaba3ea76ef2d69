#include "src/plan/function/vocabulary_lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <utility>

#include "src/base/checked_math.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/input/compression/detect.h"
#include "src/input/source/file_stream.h"

namespace headrace::function {
namespace {

Status BadVocabulary(std::string message) {
  return Status(ErrorCode::kBadSpec, std::move(message));
}

Status TooManyKeys(uint64_t count) {
  return BadVocabulary("a vocabulary of " + Counted(count, "key") +
                       " is too large: " + Grouped(kMaxKeys) + " at most");
}

bool GrowTo(size_t count, size_t unit, Buffer* buffer) {
  size_t size;
  return CheckedMul(count, unit, &size) && buffer->Grow(size);
}

struct FileBytes {
  Buffer buffer;
  size_t size = 0;

  std::string_view text() const {
    return {reinterpret_cast<const char*>(buffer.data()), size};
  }
};

Result<FileBytes> ReadAll(const std::string& path) {
  HEADRACE_ASSIGN_OR_RETURN(const auto stream,
                            source::FileStream::OpenRegular(path));
  FileBytes bytes;
  // A byte more, so that the end is found without growing.
  if (stream->size() > std::numeric_limits<size_t>::max() / 4 ||
      !bytes.buffer.Grow(static_cast<size_t>(stream->size()) + 1)) {
    return Status::OutOfMemory();
  }
  while (true) {
    const size_t capacity = bytes.buffer.capacity();
    if (bytes.size == capacity && !bytes.buffer.Grow(2 * capacity)) {
      return Status::OutOfMemory();
    }
    HEADRACE_ASSIGN_OR_RETURN(
        const size_t got, stream->Read({bytes.buffer.data() + bytes.size,
                                        bytes.buffer.capacity() - bytes.size}));
    if (got == 0) return bytes;
    bytes.size += got;
  }
}

// Text in which each line ends with LF, which the last one may lack.
class Lines {
 public:
  explicit Lines(std::string_view text)
      : at_(text.data()), end_(at_ + text.size()) {}

  // Returns the next line without its end, which is LF or CR LF. There is one.
  std::string_view Next() {
    const size_t left = static_cast<size_t>(end_ - at_);
    const void* const feed = std::memchr(at_, '\n', left);
    const char* const stop = feed ? static_cast<const char*>(feed) : end_;
    std::string_view line(at_, static_cast<size_t>(stop - at_));
    if (line.ends_with('\r')) line.remove_suffix(1);
    at_ = feed ? stop + 1 : end_;
    return line;
  }

 private:
  const char* at_;
  const char* end_;
};

uint64_t CountLines(std::string_view text) {
  const auto feeds = std::count(text.begin(), text.end(), '\n');
  return static_cast<uint64_t>(feeds) + (!text.empty() && text.back() != '\n');
}

Result<size_t> LinesToUse(std::string_view text, std::optional<uint64_t> size) {
  const auto magic = compression::CompressionByMagic(
      {reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  if (magic == Compression::kGzip || magic == Compression::kZstd) {
    return BadVocabulary("a vocabulary must not be compressed, and this is " +
                         std::string(CompressionName(*magic)));
  }
  const uint64_t count = CountLines(text);
  if (count == 0) return BadVocabulary("a vocabulary must not be empty");
  if (size == 0) return BadVocabulary("size must be at least 1");
  if (size > count) {
    return BadVocabulary("the vocabulary has " + Counted(count, "line") +
                         ", but size is " + Grouped(*size));
  }
  const uint64_t used = size.value_or(count);
  if (used > kMaxKeys) return TooManyKeys(used);
  return static_cast<size_t>(used);
}

Status BadLine(size_t line, const std::string& what) {
  return BadVocabulary("line " + Grouped(uint64_t{line} + 1) +
                       " of the vocabulary " + what);
}

// Drops the ends of the lines in place.
Result<KeyList> ByteKeys(FileBytes bytes, size_t count) {
  KeyList list = {.type = DType::kBytes, .count = count};
  if (!GrowTo(count + 1, sizeof(uint64_t), &list.starts)) {
    return Status::OutOfMemory();
  }
  auto* const starts = reinterpret_cast<uint64_t*>(list.starts.data());
  Lines lines(bytes.text());
  uint8_t* const out = bytes.buffer.data();
  uint64_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const std::string_view line = lines.Next();
    if (line.empty()) return BadLine(i, "is empty");
    std::memmove(out + at, line.data(), line.size());
    starts[i] = at;
    at += line.size();
  }
  starts[count] = at;
  list.keys = std::move(bytes.buffer);
  return list;
}

// Spaces around the number, a plus sign and leading zeros are allowed.
std::optional<int64_t> ParseInt(std::string_view line) {
  constexpr std::string_view kSpaces = " \t\n\v\f\r";
  std::string_view text = line;
  text.remove_prefix(std::min(text.find_first_not_of(kSpaces), text.size()));
  text = text.substr(0, text.find_last_not_of(kSpaces) + 1);
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

Result<KeyList> IntKeys(std::string_view text, size_t count) {
  KeyList list = {.type = DType::kInt64, .count = count};
  if (!GrowTo(count, sizeof(int64_t), &list.keys)) return Status::OutOfMemory();
  auto* const keys = reinterpret_cast<int64_t*>(list.keys.data());
  Lines lines(text);
  for (size_t i = 0; i < count; ++i) {
    const std::string_view line = lines.Next();
    const auto value = ParseInt(line);
    if (line.empty()) return BadLine(i, "is empty");
    if (!value) {
      return BadLine(i, "is not an int64: " + Quote(std::string(line)));
    }
    keys[i] = *value;
  }
  return list;
}

Result<KeyList> KeysOfBytes(FileBytes bytes, DType type,
                            std::optional<uint64_t> size) {
  HEADRACE_ASSIGN_OR_RETURN(const size_t count, LinesToUse(bytes.text(), size));
  return type == DType::kBytes ? ByteKeys(std::move(bytes), count)
                               : IntKeys(bytes.text(), count);
}

}  // namespace

Result<KeyList> ReadKeys(const std::string& path, DType type,
                         std::optional<uint64_t> size) {
  HEADRACE_ASSIGN_OR_RETURN(FileBytes bytes, ReadAll(path));
  return KeysOfBytes(std::move(bytes), type, size);
}

Result<KeyList> CopyKeys(std::span<const std::string_view> keys) {
  if (keys.empty()) return BadVocabulary("a vocabulary must not be empty");
  if (keys.size() > kMaxKeys) return TooManyKeys(keys.size());
  KeyList list = {.type = DType::kBytes, .count = keys.size()};
  size_t total = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].empty()) {
      return BadVocabulary("key " + Grouped(uint64_t{i} + 1) +
                           " of the vocabulary is empty");
    }
    if (!CheckedAdd(total, keys[i].size(), &total)) {
      return Status::OutOfMemory();
    }
  }
  if (!list.keys.Grow(total) ||
      !GrowTo(keys.size() + 1, sizeof(uint64_t), &list.starts)) {
    return Status::OutOfMemory();
  }
  auto* const starts = reinterpret_cast<uint64_t*>(list.starts.data());
  size_t at = 0;
  for (size_t i = 0; i < keys.size(); ++i) {
    std::memcpy(list.keys.data() + at, keys[i].data(), keys[i].size());
    starts[i] = at;
    at += keys[i].size();
  }
  starts[keys.size()] = at;
  return list;
}

Result<KeyList> CopyKeys(std::span<const int64_t> keys) {
  if (keys.empty()) return BadVocabulary("a vocabulary must not be empty");
  if (keys.size() > kMaxKeys) return TooManyKeys(keys.size());
  KeyList list = {.type = DType::kInt64, .count = keys.size()};
  if (!GrowTo(keys.size(), sizeof(int64_t), &list.keys)) {
    return Status::OutOfMemory();
  }
  std::memcpy(list.keys.data(), keys.data(), keys.size_bytes());
  return list;
}

}  // namespace headrace::function
