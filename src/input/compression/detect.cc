#include "src/input/compression/detect.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <string_view>

#include "absl/strings/ascii.h"
#include "src/base/index_names.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/compression/streams.h"
#include "src/input/deflate/checksum.h"
#include "src/input/deflate/raw_inflate.h"
#include "wire/utf8.h"

namespace headrace::compression {
namespace {

// How likely a container without a magic number is.
enum class Likeness : uint8_t {
  kNone,
  // It begins like such a container, but may be damaged or cut within the head.
  kBegins,
  // It inflates to a record header, or is known to be undamaged throughout the
  // head.
  kIs,
};

std::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The writer chooses the low half of the first byte.
bool IsSkippableZstdFrame(std::span<const uint8_t> head) {
  return head.size() >= 4 && (head[0] & 0xf0) == 0x50 &&
         TextOf(head.subspan(1)).starts_with("\x2a\x4d\x18");
}

// ---------------------------------------------------------------------- zlib

// All writers use deflate's full window, which leaves four headers, one for
// each level. A plain file with a damaged record header may begin with one of
// them; but then its length, which is not gigabytes, has zeros in bytes 4 to 7.
bool HasUsualZlibHeader(std::span<const uint8_t> head) {
  constexpr uint8_t kFullWindow = 0x78;
  return head.size() >= 8 && head[0] == kFullWindow &&
         std::any_of(head.begin() + 4, head.begin() + 8,
                     [](uint8_t byte) { return byte != 0; }) &&
         !(head.size() >= kRecordHeaderBytes && IsTextHeader(head.data()));
}

Result<Likeness> LikeZlib(std::span<const uint8_t> head) {
  if (head.size() < 2 || !IsZlibHeader(head[0], head[1])) {
    return Likeness::kNone;
  }
  const auto inflate = NewRawInflate(InflateLibrary::kZlib);
  if (inflate == nullptr) return Status::OutOfMemory();
  inflate->Restart();
  std::array<uint8_t, kDetectBytes> out;
  auto rest = head.subspan(2);
  uint32_t adler = 1;
  InflateResult result;
  for (bool first = true; first || (result.state == InflateState::kGoing &&
                                    result.produced == out.size());
       first = false) {
    result = inflate->Run(rest, false, out);
    if (first && result.produced >= kRecordHeaderBytes &&
        IsRecordHeader(out.data())) {
      return Likeness::kIs;
    }
    adler = Adler32(adler, std::span(out).first(result.produced));
    rest = rest.subspan(static_cast<size_t>(result.consumed));
  }
  if (result.state == InflateState::kNoMemory) return Status::OutOfMemory();
  const bool is_whole = result.state == InflateState::kDone &&
                        rest.size() >= 4 && LoadBig32(rest.data()) == adler;
  const bool is_going =
      result.state == InflateState::kGoing && head.size() == kDetectBytes;
  if (is_whole || is_going) return Likeness::kIs;
  return HasUsualZlibHeader(head) ? Likeness::kBegins : Likeness::kNone;
}

// -------------------------------------------------------------------- snappy

// The beginning of a raw snappy block, whose end may be missing.
class SnappyBlock {
 public:
  explicit SnappyBlock(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  // Reads the declared length; returns false if it is damaged or cut.
  bool ReadLength(uint64_t* length);
  // After ReadLength: whether the block inflates to a right record header.
  // Elements after the header are not looked at.
  bool BeginsWithHeader();

 private:
  // Returns false if the bytes end.
  bool Little(unsigned count, uint32_t* value);
  // Return false if the element is damaged or cut before its content.
  bool Literal(uint32_t tag);
  bool Copy(uint32_t tag);

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  size_t inflated_ = 0;  // of begin_
  std::array<uint8_t, kRecordHeaderBytes> begin_ = {};
};

bool SnappyBlock::Little(unsigned count, uint32_t* value) {
  if (bytes_.size() - at_ < count) return false;
  *value = 0;
  for (unsigned i = 0; i < count; ++i) {
    *value |= uint32_t{bytes_[at_++]} << (8 * i);
  }
  return true;
}

bool SnappyBlock::ReadLength(uint64_t* length) {
  *length = 0;
  for (int shift = 0; shift < 35; shift += 7) {
    uint32_t byte;
    if (!Little(1, &byte)) return false;
    *length |= uint64_t{byte & 0x7f} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool SnappyBlock::Literal(uint32_t tag) {
  uint32_t length = tag >> 2;
  if (length >= 60 && !Little(length - 59, &length)) return false;
  const size_t there = std::min(bytes_.size() - at_, begin_.size() - inflated_);
  const size_t count =
      static_cast<size_t>(std::min<uint64_t>(uint64_t{length} + 1, there));
  std::memcpy(begin_.data() + inflated_, bytes_.data() + at_, count);
  inflated_ += count;
  at_ += count;
  return true;
}

bool SnappyBlock::Copy(uint32_t tag) {
  uint32_t distance;
  uint32_t length = (tag >> 2) + 1;
  if ((tag & 3) == 1) {
    if (!Little(1, &distance)) return false;
    distance |= tag >> 5 << 8;
    length = ((tag >> 2) & 7) + 4;
  } else if (!Little((tag & 3) == 2 ? 2 : 4, &distance)) {
    return false;
  }
  if (distance == 0 || distance > inflated_) return false;
  const size_t end = std::min<size_t>(inflated_ + length, begin_.size());
  for (; inflated_ < end; ++inflated_) {
    begin_[inflated_] = begin_[inflated_ - distance];
  }
  return true;
}

bool SnappyBlock::BeginsWithHeader() {
  while (inflated_ < begin_.size()) {
    if (at_ == bytes_.size()) return false;
    const uint32_t tag = bytes_[at_++];
    if (!((tag & 3) == 0 ? Literal(tag) : Copy(tag))) return false;
  }
  return IsRecordHeader(begin_.data());
}

// Returns the maximum size of a block that inflates to `length`: no writer
// makes incompressible bytes longer by more than a sixth.
constexpr uint64_t MostCompressed(uint64_t length) {
  return 32 + length + length / 6;
}

// Whether a block of `size` bytes may declare this length.
bool IsPlausible(uint32_t size, uint64_t length) {
  return length <= MostInflated(size) && size <= MostCompressed(length);
}

// Judges by the first block. No other file begins with the size of a usual
// block: the first bytes of zlib, read as a size, mean 128 MiB and more. So
// neither the block's other elements nor other blocks matter.
Likeness LikeSnappy(std::span<const uint8_t> head) {
  constexpr size_t kSizeBytes = 4;
  // Four times the size that TensorFlow uses.
  constexpr uint32_t kUsualBlock = uint32_t{1} << 20;
  if (head.size() <= kSizeBytes) return Likeness::kNone;
  const uint32_t size = LoadBig32(head.data());
  head = head.subspan(kSizeBytes);
  SnappyBlock block(head.first(std::min<size_t>(size, head.size())));
  uint64_t length;
  if (!block.ReadLength(&length)) return Likeness::kNone;
  if (block.BeginsWithHeader()) return Likeness::kIs;
  // An empty block is five bytes that may be anything.
  const bool is_usual =
      length > 0 && size <= kUsualBlock && IsPlausible(size, length);
  return is_usual ? Likeness::kBegins : Likeness::kNone;
}

// --------------------------------------------------------------- other files

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view noun;
};

// If two magic numbers begin alike, the longer one comes first.
constexpr Magic kMagics[] = {
    {kIndexMagic, "a headrace index"sv},
    {"PAR1"sv, "a Parquet file"sv},
    {"PARE"sv, "an encrypted Parquet file"sv},
    {"ARROW1"sv, "an Arrow file"sv},
    {"FEA1"sv, "a Feather file"sv},
    {"ORC"sv, "an ORC file"sv},
    {"Obj\x01"sv, "an Avro file"sv},
    {"SEQ\x06"sv, "a Hadoop sequence file"sv},
    {"\x89HDF\r\n\x1a\n"sv, "an HDF5 file"sv},
    {"SQLite format 3\0"sv, "an SQLite database"sv},
    {"\x93NUMPY"sv, "a NumPy array"sv},
    {"\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"sv, "a Riegeli file"sv},
    {"\xff\x06\0\0sNaPpY"sv, "the snappy framing format"sv},
    {"\x1f\x8b\x08"sv, "a gzip file"sv},
    {"\x28\xb5\x2f\xfd"sv, "a zstd file"sv},
    {"\x04\x22\x4d\x18"sv, "an lz4 file"sv},
    {"BZh"sv, "a bzip2 file"sv},
    {"\xfd"
     "7zXZ\0"sv,
     "an xz file"sv},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7-Zip file"sv},
    {"Rar!\x1a\x07"sv, "a RAR file"sv},
    {"PK\x03\x04"sv, "a zip file"sv},
    {"PK\x05\x06"sv, "a zip file"sv},
    {"\x89PNG\r\n\x1a\n"sv, "a PNG image"sv},
    {"\xff\xd8\xff"sv, "a JPEG image"sv},
    {"GIF8"sv, "a GIF image"sv},
    {"RIFF"sv, "a RIFF file"sv},
    {"%PDF-"sv, "a PDF file"sv},
    {"\x7f"
     "ELF"sv,
     "an ELF program"sv},
    {"#!"sv, "a script"sv},
    {"\x0a\x23\xd7\xce"sv, "an MXNet RecordIO file"sv},
    {"\x01\x02\x03\x04"sv, "a PaddlePaddle RecordIO file"sv},
    {"\x80\x02"sv, "a Python pickle"sv},
    {"\x80\x03"sv, "a Python pickle"sv},
    {"\x80\x04\x95"sv, "a Python pickle"sv},
    {"\x80\x05\x95"sv, "a Python pickle"sv},
    {"\xff\xfe"sv, "UTF-16 text"sv},
    {"\xfe\xff"sv, "UTF-16 text"sv},
};

constexpr std::string_view kPointer =
    "a Git LFS pointer: the file itself was not fetched";
constexpr std::string_view kZeros =
    "zeros: a hole, or a file that was never written";

std::string_view WithoutBom(std::string_view text) {
  return text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text;
}

std::string_view WithoutSpace(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r\n");
  return first == std::string_view::npos ? ""sv : text.substr(first);
}

bool StartsWithIgnoringCase(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text.substr(0, lower.size()), lower, {},
                            absl::ascii_tolower);
}

// Whether the bytes are UTF-8 without control characters. The last character
// may be cut, because the head of a file may end inside it.
bool IsText(std::string_view bytes) {
  const bool is_shown = std::all_of(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<uint8_t>(c);
    return (byte >= 0x20 && byte != 0x7f) || byte == '\t' || byte == '\r' ||
           byte == '\n';
  });
  if (!is_shown) return false;
  constexpr size_t kMaxCut = 3;
  for (size_t cut = 0; cut <= std::min(kMaxCut, bytes.size()); ++cut) {
    const std::string_view whole = bytes.substr(0, bytes.size() - cut);
    const auto* const data = reinterpret_cast<const uint8_t*>(whole.data());
    if (wire::IsUtf8({data, whole.size()})) return true;
    // Text that ends in ASCII is not cut.
    if (static_cast<uint8_t>(whole.back()) < 0x80) return false;
  }
  return false;
}

bool IsAscii(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char c) { return static_cast<uint8_t>(c) < 0x80; });
}

std::string_view TextNoun(std::string_view text) {
  const std::string_view first = WithoutSpace(text);
  if (StartsWithIgnoringCase(first, "<!doctype html") ||
      StartsWithIgnoringCase(first, "<html") ||
      StartsWithIgnoringCase(first, "<head")) {
    return "HTML";
  }
  if (first.starts_with("<?xml") || first.starts_with("<")) return "XML";
  if (first.starts_with("version https://git-lfs")) return kPointer;
  if (first.starts_with("{") || first.starts_with("[")) return "JSON";
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  if (std::count(line.begin(), line.end(), ',') >= 2) return "CSV";
  if (std::count(line.begin(), line.end(), '\t') >= 2) return "TSV";
  return "text";
}

// Hadoop's snappy: u32 big-endian inflated size, u32 big-endian compressed
// size, a raw block, whose own first varint is the inflated size again.
bool IsHadoopSnappy(std::span<const uint8_t> head) {
  if (head.size() < 12) return false;
  const uint32_t inflated = LoadBig32(head.data());
  const uint32_t compressed = LoadBig32(&head[4]);
  uint64_t declared;
  return SnappyBlock(head.subspan(8, 4)).ReadLength(&declared) &&
         inflated > 0 && declared == inflated && compressed > 0 &&
         compressed <= MostCompressed(inflated);
}

// An Arrow stream begins with a continuation marker and the length of its
// schema message, which is short.
bool IsArrowStream(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.starts_with("\xff\xff\xff\xff") &&
         bytes[6] == 0 && bytes[7] == 0;
}

// A zlib header for a 32 KiB window, with a right check, as every zlib library
// writes it.
bool IsUsualZlib(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x78' &&
         (0x7800 + static_cast<uint8_t>(bytes[1])) % 31 == 0;
}

constexpr size_t kTarMagic = 257;

}  // namespace

std::optional<Compression> CompressionByMagic(std::span<const uint8_t> head) {
  if (head.size() >= kRecordHeaderBytes && IsRecordHeader(head.data())) {
    return Compression::kNone;
  }
  const std::string_view text = TextOf(head);
  for (const auto& known : EnumNames<Compression>()) {
    const std::string_view magic = FormatOf(known.value).magic;
    if (!magic.empty() && text.starts_with(magic)) return known.value;
  }
  if (IsSkippableZstdFrame(head)) return Compression::kZstd;
  return std::nullopt;
}

Result<Compression> DetectCompression(std::span<const uint8_t> head) {
  if (const auto known = CompressionByMagic(head)) return *known;
  const Result<Likeness> zlib = LikeZlib(head);
  if (!zlib.ok()) return zlib.status();
  const Likeness snappy = LikeSnappy(head);
  if (*zlib == Likeness::kNone && snappy == Likeness::kNone) {
    return Compression::kNone;
  }
  return *zlib >= snappy ? Compression::kZlib : Compression::kSnappy;
}

std::string_view LooksLike(const uint8_t* head, size_t size) {
  const std::string_view bytes = TextOf({head, size});
  if (size >= kRecordHeaderBytes && IsRecordHeader(head)) {
    return "uncompressed TFRecord";
  }
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return magic.noun;
  }
  if (IsHadoopSnappy({head, size})) return "Hadoop's snappy";
  if (IsArrowStream(bytes)) return "an Arrow stream";
  if (size > kTarMagic && bytes.substr(kTarMagic).starts_with("ustar")) {
    return "a tar archive";
  }
  if (bytes.find_first_not_of('\0') == std::string_view::npos) {
    return size >= 8 ? kZeros : ""sv;
  }
  const std::string_view text = WithoutBom(bytes);
  // A few bytes of valid UTF-8 prove little.
  if (size >= 4 && IsText(text) && (size >= 16 || IsAscii(text))) {
    return TextNoun(text);
  }
  return IsUsualZlib(bytes) ? "a zlib stream"sv : ""sv;
}

bool MayHoldRecords(std::string_view noun) {
  constexpr std::string_view kHolders[] = {
      "",
      "uncompressed TFRecord",
      kPointer,
      kZeros,
      "the snappy framing format",
      "Hadoop's snappy",
      "a gzip file",
      "a zstd file",
      "a zlib stream",
      "an lz4 file",
      "a bzip2 file",
      "an xz file",
      "a 7-Zip file",
      "a RAR file",
      "a zip file",
      "a tar archive",
  };
  return std::ranges::find(kHolders, noun) != std::end(kHolders);
}

}  // namespace headrace::compression
