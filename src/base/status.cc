#include "headrace/status.h"

#include <cstddef>

namespace headrace {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk:
      return "ok";
    case ErrorCode::kInvalidArgument:
      return "invalid_argument";
    case ErrorCode::kBadSpec:
      return "bad_spec";
    case ErrorCode::kNotFound:
      return "not_found";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kTruncatedHeader:
      return "truncated_header";
    case ErrorCode::kTruncatedPayload:
      return "truncated_payload";
    case ErrorCode::kTruncatedFooter:
      return "truncated_footer";
    case ErrorCode::kHeaderCrc:
      return "header_crc";
    case ErrorCode::kPayloadCrc:
      return "payload_crc";
    case ErrorCode::kTooLarge:
      return "too_large";
    case ErrorCode::kDecompress:
      return "decompress";
    case ErrorCode::kNotTfrecord:
      return "not_tfrecord";
    case ErrorCode::kSplitSeam:
      return "split_seam";
    case ErrorCode::kWrongRecordCount:
      return "wrong_record_count";
    case ErrorCode::kBadIndex:
      return "bad_index";
    case ErrorCode::kMalformed:
      return "malformed";
    case ErrorCode::kWrongKind:
      return "wrong_kind";
    case ErrorCode::kWrongCount:
      return "wrong_count";
    case ErrorCode::kMissingFeature:
      return "missing_feature";
    case ErrorCode::kBadSparseIndex:
      return "bad_sparse_index";
    case ErrorCode::kBadPartition:
      return "bad_partition";
    case ErrorCode::kLimit:
      return "limit";
    case ErrorCode::kTooManyBad:
      return "too_many_bad";
    case ErrorCode::kOutOfMemory:
      return "out_of_memory";
    case ErrorCode::kCancelled:
      return "cancelled";
  }
  return "unknown";
}

bool IsDamage(ErrorCode code) {
  return code >= ErrorCode::kTruncatedHeader && code <= ErrorCode::kNotTfrecord;
}

bool IsRowError(ErrorCode code) {
  return code >= ErrorCode::kMalformed && code <= ErrorCode::kBadPartition;
}

Status Status::OutOfMemory() {
  // It is never destroyed, since a Status may outlive it. Texts as short as
  // this one lie within their std::string.
  static const union Lasting {
    Lasting()
        : info{.code = ErrorCode::kOutOfMemory, .message = "out of memory"} {}
    ~Lasting() {}
    ErrorInfo info;
  } lasting;
  Status status;
  // This pointer owns nothing.
  status.info_ = {std::shared_ptr<const ErrorInfo>(), &lasting.info};
  return status;
}

std::string Status::ToString() const {
  if (ok()) return "ok";
  std::string text;
  auto separate = [&text](const char* separator) {
    if (!text.empty()) text += separator;
  };
  text += info_->file;
  if (info_->record != kUnknown) {
    separate(": ");
    text += "record " + std::to_string(info_->record);
  }
  if (info_->offset != kUnknown) {
    separate(info_->record != kUnknown ? " " : ": ");
    text += "at offset " + std::to_string(info_->offset);
  }
  separate(": ");
  text += ErrorCodeName(info_->code);
  if (!info_->message.empty()) {
    text += ": ";
    text += info_->message;
  }
  return text;
}

}  // namespace headrace
