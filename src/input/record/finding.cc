#include "src/input/record/finding.h"

#include <array>
#include <cassert>
#include <cstdio>
#include <string>

#include "headrace/types.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/base/text/numbers.h"
#include "src/input/compression/detect.h"

namespace headrace::record {
namespace {

// TensorFlow's reader reports the payload's offset: its well-known "corrupted
// record at 12" is a bad record at 0. Users search for the number that
// TensorFlow reports.
constexpr uint64_t kTensorFlowOffset = kRecordHeaderBytes;

std::string Hex(uint32_t crc) {
  std::array<char, 16> text;
  std::snprintf(text.data(), text.size(), "0x%08x", crc);
  return text.data();
}

std::string Bytes(uint64_t count) { return Counted(count, "byte"); }

std::string StoredAndComputed(const Finding& finding) {
  return "stored " + Hex(finding.stored) + ", computed " +
         Hex(finding.computed);
}

// Describes the first bytes of a file whose first record is bad.
std::string FirstBytes(const Finding& finding, const source::Source& source) {
  std::string text;
  if (finding.head_size == 0) return text;
  const std::string_view looks =
      compression::LooksLike(finding.head, finding.head_size);
  const bool has_magic =
      compression::CompressionByMagic({finding.head, finding.head_size})
          .has_value();
  if (!looks.empty()) text += "; the bytes look like " + std::string(looks);
  const auto named = CompressionOfName(source.name());
  if (has_magic || looks == "a zlib stream") {
    const std::string compression(CompressionName(source.compression()));
    if (source.compression() != Compression::kNone) {
      text += " inside " + compression;
    } else if (has_magic) {
      text += ", read with compression none; use auto";
    }
  } else if (named && *named != source.compression()) {
    text += "; the name says " + std::string(CompressionName(*named)) +
            ", the bytes do not";
  }
  return text;
}

std::string BadPayloadMessage(const Finding& finding) {
  return "the payload's CRC is wrong (" + StoredAndComputed(finding) +
         ") over " + Bytes(finding.declared) +
         "; TensorFlow: corrupted record at " +
         std::to_string(finding.offset + kTensorFlowOffset);
}

std::string Message(const Finding& finding, const source::Source& source) {
  switch (finding.code) {
    case ErrorCode::kTruncatedHeader:
      return "the header is cut after " + Bytes(finding.available) + " of " +
             std::to_string(kRecordHeaderBytes) + FirstBytes(finding, source);
    case ErrorCode::kTruncatedPayload:
      return "the payload is cut: the header declares " +
             Bytes(finding.declared) + ", but only " +
             std::to_string(finding.available) + " are present";
    case ErrorCode::kTruncatedFooter:
      return "the footer is cut after " + Bytes(finding.available) +
             " of 4, after a payload of " + Bytes(finding.declared);
    case ErrorCode::kHeaderCrc:
      return "the header's CRC is wrong (" + StoredAndComputed(finding) +
             "), so its length of " + std::to_string(finding.declared) +
             " cannot be trusted" + FirstBytes(finding, source);
    case ErrorCode::kPayloadCrc:
      return BadPayloadMessage(finding);
    case ErrorCode::kTooLarge:
      return "the header declares " + Bytes(finding.declared) +
             ", the limit is " + Grouped(finding.limit);
    default:
      assert(finding.code == ErrorCode::kNotTfrecord);
      return "not a TFRecord file" + FirstBytes(finding, source);
  }
}

}  // namespace

Status ToStatus(const Finding& finding, const source::Source& source) {
  return Status(ErrorInfo{.code = finding.code,
                          .message = Message(finding, source),
                          .file = source.name(),
                          .record = finding.record,
                          .offset = finding.offset});
}

Status BadPayload(const RecordSpan& span, uint64_t record,
                  const std::string& file) {
  const Finding finding = {
      .code = ErrorCode::kPayloadCrc,
      .offset = span.offset,
      .declared = span.size,
      .stored = LoadLittle32(span.payload + span.size),
      .computed = MaskCrc32c(Crc32c(span.payload, span.size))};
  return Status(ErrorInfo{.code = finding.code,
                          .message = BadPayloadMessage(finding),
                          .file = file,
                          .record = record,
                          .offset = span.offset});
}

}  // namespace headrace::record
