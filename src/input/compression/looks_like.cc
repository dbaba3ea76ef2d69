#include "src/input/compression/looks_like.h"

#include <algorithm>
#include <iterator>

#include "src/base/record_header.h"
#include "wire/utf8.h"

namespace headrace::compression {
namespace {

using namespace std::string_view_literals;

struct Magic {
  std::string_view bytes;
  std::string_view noun;
};

// Of two that begin alike, the longer is first.
constexpr Magic kMagics[] = {
    {"HRI1"sv, "an index of headrace"sv},
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
    {"\x1f\x8b"sv, "a gzip file"sv},
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
  if (text.size() < lower.size()) return false;
  return std::equal(lower.begin(), lower.end(), text.begin(),
                    [](char want, char have) {
                      const bool upper = have >= 'A' && have <= 'Z';
                      return want == (upper ? have - 'A' + 'a' : have);
                    });
}

// Whether the bytes are UTF-8 without control characters. The last character
// may be cut, because the head of a file is.
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

uint32_t Big32(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) {
    value = value << 8 | static_cast<uint8_t>(bytes[at + i]);
  }
  return value;
}

// Hadoop's snappy: u32 big-endian inflated size, u32 big-endian compressed
// size, a raw block, whose own first varint is the inflated size again.
bool IsHadoopSnappy(std::string_view bytes) {
  if (bytes.size() < 12) return false;
  const uint32_t inflated = Big32(bytes, 0);
  const uint32_t compressed = Big32(bytes, 4);
  uint64_t declared = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const auto byte = static_cast<uint8_t>(bytes[8 + i]);
    declared |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) break;
  }
  // A raw block is at most a sixth longer than its content.
  const uint64_t longest = 32 + uint64_t{inflated} + inflated / 6;
  return inflated > 0 && declared == inflated && compressed > 0 &&
         compressed <= longest;
}

// An Arrow stream begins with a continuation marker and the length of its
// schema message, which is short.
bool IsArrowStream(std::string_view bytes) {
  return bytes.size() >= 8 && bytes.starts_with("\xff\xff\xff\xff") &&
         bytes[6] == 0 && bytes[7] == 0;
}

// Deflate with a 32 KiB window and a right check, as every zlib writes it.
bool IsZlib(std::string_view bytes) {
  return bytes.size() >= 2 && bytes[0] == '\x78' &&
         (0x7800 + static_cast<uint8_t>(bytes[1])) % 31 == 0;
}

constexpr size_t kTarMagic = 257;

}  // namespace

std::string_view LooksLike(const uint8_t* head, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(head), size);
  if (size >= kRecordHeaderBytes && IsRecordHeader(head)) {
    return "uncompressed TFRecord";
  }
  for (const Magic& magic : kMagics) {
    if (bytes.starts_with(magic.bytes)) return magic.noun;
  }
  if (IsHadoopSnappy(bytes)) return "Hadoop's snappy";
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
  return IsZlib(bytes) ? "a zlib stream"sv : ""sv;
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
