#include "headrace/status.h"

namespace headrace {

namespace {

constexpr EnumName<ErrorCode> kErrorCodeNames[] = {
    {ErrorCode::kOk, "ok"},
    {ErrorCode::kInvalidArgument, "invalid_argument"},
    {ErrorCode::kBadSpec, "bad_spec"},
    {ErrorCode::kNotFound, "not_found"},
    {ErrorCode::kIo, "io"},
    {ErrorCode::kTruncatedHeader, "truncated_header"},
    {ErrorCode::kTruncatedPayload, "truncated_payload"},
    {ErrorCode::kTruncatedFooter, "truncated_footer"},
    {ErrorCode::kHeaderCrc, "header_crc"},
    {ErrorCode::kPayloadCrc, "payload_crc"},
    {ErrorCode::kTooLarge, "too_large"},
    {ErrorCode::kDecompress, "decompress"},
    {ErrorCode::kNotTfrecord, "not_tfrecord"},
    {ErrorCode::kSplitSeam, "split_seam"},
    {ErrorCode::kWrongRecordCount, "wrong_record_count"},
    {ErrorCode::kBadIndex, "bad_index"},
    {ErrorCode::kMalformed, "malformed"},
    {ErrorCode::kWrongKind, "wrong_kind"},
    {ErrorCode::kWrongCount, "wrong_count"},
    {ErrorCode::kMissingFeature, "missing_feature"},
    {ErrorCode::kBadSparseIndex, "bad_sparse_index"},
    {ErrorCode::kBadPartition, "bad_partition"},
    {ErrorCode::kLimit, "limit"},
    {ErrorCode::kTooManyBad, "too_many_bad"},
    {ErrorCode::kOutOfMemory, "out_of_memory"},
    {ErrorCode::kCancelled, "cancelled"},
};

}  // namespace

template <>
std::span<const EnumName<ErrorCode>> EnumNames() {
  return kErrorCodeNames;
}

bool IsDamage(ErrorCode code) {
  return code >= ErrorCode::kTruncatedHeader && code <= ErrorCode::kNotTfrecord;
}

bool IsRowError(ErrorCode code) {
  return code >= ErrorCode::kMalformed && code <= ErrorCode::kBadPartition;
}

Status Status::OutOfMemory() {
  // Never destroyed, because a Status may be used until the process ends. A
  // text this short is stored inside its std::string.
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
  text += NameOf(info_->code);
  if (!info_->message.empty()) {
    text += ": ";
    text += info_->message;
  }
  return text;
}

}  // namespace headrace
