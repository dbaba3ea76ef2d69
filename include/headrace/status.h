// Status and Result: how every headrace call says what went wrong.
//
// The library throws no exceptions, prints nothing and never aborts. Where
// memory ends, what returns a Status or Result says kOutOfMemory; only
// functions that return text or other plain values (ToString, ToJson,
// InferSchema) have nothing to say it with, and throw std::bad_alloc as those
// values do when they are copied. Success costs a null pointer. Errors carry
// the place (file, record, offset, feature) as fields, so callers need not
// parse text.

#ifndef HEADRACE_STATUS_H_
#define HEADRACE_STATUS_H_

#include <cassert>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace headrace {

// The classes of docs/formats/tfrecord.md and docs/semantics.md. Names in text
// form are lower case with underscores: kHeaderCrc is "header_crc".
enum class ErrorCode : uint8_t {
  kOk = 0,
  // The caller's request.
  kInvalidArgument,
  kBadSpec,
  // The operating system. kNotFound is a path that names nothing.
  kNotFound,
  kIo,
  // Framing and compression: offset is where the bad record begins.
  kTruncatedHeader,
  kTruncatedPayload,
  kTruncatedFooter,
  kHeaderCrc,
  kPayloadCrc,
  kTooLarge,
  kDecompress,
  kNotTfrecord,
  // One row: the record is framed well but does not give what the plan asks.
  kMalformed,
  kWrongKind,
  kWrongCount,
  kMissingFeature,
  kBadSparseIndex,
  kBadPartition,
  // A limit of limits.h, more damage than allowed, or memory.
  kLimit,
  kTooManyBad,
  kOutOfMemory,
  // ReadOptions::interrupted said so.
  kCancelled,
};

std::string_view ErrorCodeName(ErrorCode code);

// True for the classes that say that bytes of the file are damaged.
bool IsDamage(ErrorCode code);
// True for the classes that concern one row of an intact record.
bool IsRowError(ErrorCode code);

// "Not known" in the numeric fields below.
inline constexpr uint64_t kUnknown = ~uint64_t{0};

// Everything known about an error. Empty strings and kUnknown mean "not known"
// or "does not apply".
struct ErrorInfo {
  ErrorCode code = ErrorCode::kOk;
  std::string message = {};    // what is wrong, without the place
  std::string file = {};       // path, or "<stdin>", "<memory>"
  uint64_t record = kUnknown;  // number within the file, from 0
  uint64_t offset = kUnknown;  // byte in the uncompressed stream
  std::string feature = {};    // key on the wire, or name of the tensor
  std::string expected = {};   // kind or count the plan asks for
  std::string found = {};      // kind or count the record holds
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  explicit Status(ErrorInfo info)
      : info_(std::make_shared<const ErrorInfo>(std::move(info))) {
    assert(info_->code != ErrorCode::kOk);
  }
  Status(ErrorCode code, std::string message)
      : Status(ErrorInfo{.code = code, .message = std::move(message)}) {}
  // kOutOfMemory. Takes no memory itself.
  static Status OutOfMemory();

  bool ok() const { return info_ == nullptr; }
  ErrorCode code() const { return info_ ? info_->code : ErrorCode::kOk; }
  // The message without the place; empty for success.
  std::string_view message() const {
    return info_ ? std::string_view(info_->message) : std::string_view();
  }
  // Null for success. Lives as long as any copy of this Status.
  const ErrorInfo* info() const { return info_.get(); }
  // One line for people: place, class, message.
  std::string ToString() const;

 private:
  std::shared_ptr<const ErrorInfo> info_;
};

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// A value or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  // NOLINTNEXTLINE: implicit on purpose, `return value;` is the normal use.
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE: implicit on purpose, `return status;` likewise.
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

  bool ok() const { return status_.ok(); }
  // As ok(); for a Result of an optional also false when the optional is
  // empty, so that `while (auto item = stream.Next())` ends at the end.
  explicit operator bool() const {
    if constexpr (kIsOptional<T>) {
      return ok() && value_->has_value();
    } else {
      return ok();
    }
  }
  const Status& status() const { return status_; }

  // Only when ok().
  T& operator*() & { return *value_; }
  const T& operator*() const& { return *value_; }
  T&& operator*() && { return *std::move(value_); }
  // Of a Result of an optional: the member of the optional's value.
  auto operator->() {
    if constexpr (kIsOptional<T>) {
      return &**value_;
    } else {
      return &*value_;
    }
  }
  auto operator->() const {
    if constexpr (kIsOptional<T>) {
      return &**value_;
    } else {
      return &*value_;
    }
  }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace headrace

#endif  // HEADRACE_STATUS_H_
