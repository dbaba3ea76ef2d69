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

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cassert>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
  int system_error = 0;        // errno of a call that failed; 0 for none
};

class [[nodiscard]] Status {
 public:
  Status() = default;  // success
  // There is no move: what an error was moved from would be a success.
  Status(const Status&) = default;
  Status& operator=(const Status&) = default;
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

// Ends the process: a program used the value of a Result that has none.
// Assertions say why there is none; without them nothing is printed.
[[noreturn]] inline void NoValue(const Status& status) {
#ifndef NDEBUG
  std::fprintf(stderr, "headrace: a Result has no value: %s\n",
               status.ToString().c_str());
  std::abort();
#else
  static_cast<void>(status);
  __builtin_trap();
#endif
}

template <class T>
struct ResultValue {
  using Type = T;
  static constexpr bool kIsOptional = false;
};
template <class T>
struct ResultValue<std::optional<T>> {
  using Type = T;
  static constexpr bool kIsOptional = true;
};

// A value or the Status that says why there is none.
//
// A Result of an optional is that of a stream, which may also be at its end:
// then it is ok() and has no value.
//
//   while (auto batch = reader.Next()) Use(*batch);
//   if (!reader.status().ok()) ...
template <class T>
class [[nodiscard]] Result {
 public:
  // Of an optional what it holds.
  using Value = typename ResultValue<T>::Type;

  // NOLINTNEXTLINE: implicit on purpose, `return value;` is the normal use.
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE: implicit on purpose, `return status;` likewise.
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }

  bool ok() const { return value_.has_value(); }
  // Whether there is a value: ok(), and not the end of a stream.
  explicit operator bool() const {
    if constexpr (ResultValue<T>::kIsOptional) {
      return ok() && value_->has_value();
    } else {
      return ok();
    }
  }
  const Status& status() const { return status_; }

  // The value, of an optional what it holds: `*batch` and `batch->` are the
  // Batch. Where operator bool is false the process ends; no memory is read.
  Value& operator*() & { return ValueOf(*this); }
  const Value& operator*() const& { return ValueOf(*this); }
  Value&& operator*() && { return std::move(ValueOf(*this)); }
  Value* operator->() { return &ValueOf(*this); }
  const Value* operator->() const { return &ValueOf(*this); }

 private:
  template <class Self>
  static auto& ValueOf(Self& self) {
    if (!self) NoValue(self.status_);
    if constexpr (ResultValue<T>::kIsOptional) {
      return **self.value_;
    } else {
      return *self.value_;
    }
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace headrace

#endif  // HEADRACE_STATUS_H_
