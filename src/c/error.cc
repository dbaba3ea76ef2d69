#include "src/c/error.h"

#include <memory>
#include <string>

namespace headrace::c {
namespace {

struct CodePair {
  int32_t number;
  ErrorCode code;
};

// The order of ErrorCode may change; the numbers of c.h must not.
constexpr CodePair kCodes[] = {
    {HEADRACE_OK, ErrorCode::kOk},
    {HEADRACE_INVALID_ARGUMENT, ErrorCode::kInvalidArgument},
    {HEADRACE_BAD_SPEC, ErrorCode::kBadSpec},
    {HEADRACE_NOT_FOUND, ErrorCode::kNotFound},
    {HEADRACE_IO, ErrorCode::kIo},
    {HEADRACE_TRUNCATED_HEADER, ErrorCode::kTruncatedHeader},
    {HEADRACE_TRUNCATED_PAYLOAD, ErrorCode::kTruncatedPayload},
    {HEADRACE_TRUNCATED_FOOTER, ErrorCode::kTruncatedFooter},
    {HEADRACE_HEADER_CRC, ErrorCode::kHeaderCrc},
    {HEADRACE_PAYLOAD_CRC, ErrorCode::kPayloadCrc},
    {HEADRACE_TOO_LARGE, ErrorCode::kTooLarge},
    {HEADRACE_DECOMPRESS, ErrorCode::kDecompress},
    {HEADRACE_NOT_TFRECORD, ErrorCode::kNotTfrecord},
    {HEADRACE_SPLIT_SEAM, ErrorCode::kSplitSeam},
    {HEADRACE_WRONG_RECORD_COUNT, ErrorCode::kWrongRecordCount},
    {HEADRACE_BAD_INDEX, ErrorCode::kBadIndex},
    {HEADRACE_MALFORMED, ErrorCode::kMalformed},
    {HEADRACE_WRONG_KIND, ErrorCode::kWrongKind},
    {HEADRACE_WRONG_COUNT, ErrorCode::kWrongCount},
    {HEADRACE_MISSING_FEATURE, ErrorCode::kMissingFeature},
    {HEADRACE_BAD_SPARSE_INDEX, ErrorCode::kBadSparseIndex},
    {HEADRACE_BAD_PARTITION, ErrorCode::kBadPartition},
    {HEADRACE_LIMIT, ErrorCode::kLimit},
    {HEADRACE_TOO_MANY_BAD, ErrorCode::kTooManyBad},
    {HEADRACE_OUT_OF_MEMORY, ErrorCode::kOutOfMemory},
    {HEADRACE_CANCELLED, ErrorCode::kCancelled},
};

// An error without a place. `message` is a literal.
constexpr headrace_error Lasting(int32_t code, const char* message) {
  return {code, 0, HEADRACE_UNKNOWN, HEADRACE_UNKNOWN, message, "", "", "", ""};
}

// These need no allocation, so an error can always be returned.
constexpr headrace_error kOutOfMemory =
    Lasting(HEADRACE_OUT_OF_MEMORY, "out_of_memory: out of memory");
constexpr headrace_error kInternal =
    Lasting(HEADRACE_INTERNAL,
            "internal: headrace met an exception that it does not know");

int32_t NumberOf(ErrorCode code) {
  for (const CodePair& pair : kCodes) {
    if (pair.code == code) return pair.number;
  }
  return HEADRACE_INTERNAL;  // not covered: tests/c finds every code above
}

// An error that was made for the caller, and the texts that it points to.
struct OwnedError : headrace_error {
  Status status = {};
  std::string text = {};
};

headrace_error* MakeError(const Status& status) {
  auto error = std::make_unique<OwnedError>();
  const ErrorInfo& info = *status.info();
  error->status = status;
  error->text = status.ToString();
  error->code = NumberOf(info.code);
  error->system_error = info.system_error;
  error->record = info.record;
  error->offset = info.offset;
  error->message = error->text.c_str();
  error->file = info.file.c_str();
  error->feature = info.feature.c_str();
  error->expected = info.expected.c_str();
  error->found = info.found.c_str();
  return error.release();
}

// Callers must not change an error, so it may be constant.
int32_t GiveLasting(const headrace_error& lasting, headrace_error** out) {
  if (out != nullptr) *out = const_cast<headrace_error*>(&lasting);
  return lasting.code;
}

}  // namespace

int32_t Give(const Status& status, headrace_error** out) noexcept {
  if (status.ok()) return HEADRACE_OK;
  if (out == nullptr) return NumberOf(status.code());
  try {
    *out = MakeError(status);
    return (*out)->code;
  } catch (...) {
    return GiveLasting(kOutOfMemory, out);
  }
}

int32_t GiveInternal(headrace_error** out) noexcept {
  return GiveLasting(kInternal, out);
}

Status InvalidArgument(std::string_view message) {
  return Status(ErrorCode::kInvalidArgument, std::string(message));
}

Status IsNull(std::string_view argument) {
  return InvalidArgument("the argument " + std::string(argument) + " is NULL");
}

}  // namespace headrace::c

const char* headrace_code_name(int32_t code) {
  if (code == HEADRACE_INTERNAL) return "internal";
  for (const headrace::c::CodePair& pair : headrace::c::kCodes) {
    // Names are literals, which end with a NUL.
    if (pair.number == code) return headrace::NameOf(pair.code).data();
  }
  return "unknown";
}

void headrace_error_free(headrace_error* error) {
  if (error == &headrace::c::kOutOfMemory) return;
  if (error == &headrace::c::kInternal) return;
  delete static_cast<headrace::c::OwnedError*>(error);
}
