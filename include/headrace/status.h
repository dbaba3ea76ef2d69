// Status and Result: how every headrace call says what went wrong.
//
// Apart from the cases named here, the library throws no exceptions and prints
// nothing. It ends the process, after printing why, for one reason only: a
// program used the value of a Result that has none (NoValue). When allocation
// fails, a call that returns a Status or Result
// returns kOutOfMemory; only functions that return text or other plain values
// (ToString, ToJson, InferSchema) throw std::bad_alloc, as copies of those
// values do. Success costs a null pointer. Errors carry the place (file,
// record, offset, feature) as fields, so callers need not parse text.

#ifndef HEADRACE_STATUS_H_
#define HEADRACE_STATUS_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cassert>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "headrace/export.h"
#include "headrace/types.h"

namespace headrace {

// The classes of errors of docs/formats/tfrecord.md and docs/semantics.md.
// Names are lower case with underscores: kHeaderCrc is "header_crc".
enum class ErrorCode : uint8_t {
  kOk = 0,
  // The caller's request is wrong.
  kInvalidArgument,
  kBadSpec,
  // The operating system failed; kNotFound is a path that names nothing.
  kNotFound,
  kIo,
  // Framing or compression is damaged; offset is where the bad record begins.
  kTruncatedHeader,
  kTruncatedPayload,
  kTruncatedFooter,
  kHeaderCrc,
  kPayloadCrc,
  kTooLarge,
  kDecompress,
  kNotTfrecord,
  // A part of a file does not end where the next one begins; see ByteRange.
  kSplitSeam,
  // A file does not have the declared number of records; see RecordRange.
  kWrongRecordCount,
  // An index is damaged or belongs to another file; see headrace/index.h.
  kBadIndex,
  // A record is framed well, but its row does not fit the plan.
  kMalformed,
  kWrongKind,
  kWrongCount,
  kMissingFeature,
  kBadSparseIndex,
  kBadPartition,
  // A limit of limits.h, ReadOptions::max_bad, or memory is exceeded.
  kLimit,
  kTooManyBad,
  kOutOfMemory,
  // The caller's `interrupted` returned true.
  kCancelled,
};

template <>
HEADRACE_EXPORT std::span<const EnumName<ErrorCode>> EnumNames();

// Returns whether the class says that bytes of the file are damaged.
HEADRACE_EXPORT bool IsDamage(ErrorCode code);
// Returns whether the class concerns one row of an intact record.
HEADRACE_EXPORT bool IsRowError(ErrorCode code);

// "Not known" or "does not apply" in the fields below; empty strings mean the
// same.
inline constexpr uint64_t kUnknown = ~uint64_t{0};

// All that is known about an error.
struct ErrorInfo {
  ErrorCode code = ErrorCode::kOk;
  std::string message = {};  // what is wrong, but not where
  std::string file = {};     // path, or "<stdin>", "<memory>"
  // Number within the file, from 0; records that a policy skips count. kUnknown
  // also if only a part of the file was read and the number of records before
  // that part is not known. After damage that hides where records begin,
  // OnCorrupt::kRescan counts the records that it finds.
  uint64_t record = kUnknown;
  uint64_t offset = kUnknown;  // byte in the uncompressed stream
  std::string feature = {};    // key on the wire, or name of the tensor
  std::string expected = {};   // kind or count the plan asks for
  std::string found = {};      // kind or count the record holds
  int system_error = 0;        // errno of a call that failed; 0 for none

  bool operator==(const ErrorInfo&) const = default;
};

// Success, or an ErrorInfo. Copies share it and cost no memory.
class [[nodiscard]] HEADRACE_EXPORT Status {
 public:
  Status() = default;  // success
  // There is no move: a moved-from error would look like success.
  Status(const Status&) = default;
  Status& operator=(const Status&) = default;
  explicit Status(ErrorInfo info)
      : info_(std::make_shared<const ErrorInfo>(std::move(info))) {
    assert(info_->code != ErrorCode::kOk);
  }
  Status(ErrorCode code, std::string message)
      : Status(ErrorInfo{.code = code, .message = std::move(message)}) {}
  static Status OutOfMemory();  // kOutOfMemory, made without allocating

  bool ok() const { return info_ == nullptr; }
  ErrorCode code() const { return info_ ? info_->code : ErrorCode::kOk; }
  // The message without the place; empty for success.
  std::string_view message() const HEADRACE_LIFETIME_BOUND {
    return info_ ? std::string_view(info_->message) : std::string_view();
  }
  // The error, which lives as long as any copy of this Status; null for
  // success.
  const ErrorInfo* info() const HEADRACE_LIFETIME_BOUND { return info_.get(); }
  std::string ToString() const;  // for people: place, class, message

  // Two successes are equal, and so are two errors with equal fields.
  friend bool operator==(const Status& a, const Status& b) {
    return a.ok() || b.ok() ? a.ok() == b.ok() : *a.info_ == *b.info_;
  }
  // status == ErrorCode::kNotFound compares only the class.
  friend bool operator==(const Status& a, ErrorCode code) {
    return a.code() == code;
  }

 private:
  std::shared_ptr<const ErrorInfo> info_;
};

// Ends the process, because a program used the value of a Result without one.
// Prints the reason: the error or, for success, the end of a stream.
[[noreturn]] HEADRACE_EXPORT void NoValue(const Status& status);

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

// A value, or the Status that says why there is none.
//
// A Result of an optional is one item of a stream. At the end of the stream it
// is ok() and has no value, so test the Result itself.
//
//   while (auto batch = reader.Next()) Use(*batch);
//   if (!reader.status().ok()) return reader.status();
template <class T>
class [[nodiscard]] Result {
 public:
  // The type of the value; for an optional, of the value that it holds.
  using Value = typename ResultValue<T>::Type;

  // NOLINTNEXTLINE: this is implicit so that `return value;` works.
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE: this is implicit so that `return status;` works.
  Result(Status status) : status_(std::move(status)) { assert(!status_.ok()); }
  // Accepts anything that converts to a T, such as a pointer to a class derived
  // from the one that a T points to.
  template <class U>
  requires(std::convertible_to<U, T> && !std::convertible_to<U, Status> &&
           !std::same_as<std::remove_cvref_t<U>, T> &&
           !std::same_as<std::remove_cvref_t<U>, Result>)
      // NOLINTNEXTLINE: this is implicit so that `return value;` works.
      Result(U&& value)
      : value_(std::forward<U>(value)) {}

  bool ok() const { return value_.has_value(); }
  // Returns whether there is a value: ok(), and not the end of a stream.
  explicit operator bool() const {
    if constexpr (ResultValue<T>::kIsOptional) {
      return ok() && value_->has_value();
    } else {
      return ok();
    }
  }
  const Status& status() const HEADRACE_LIFETIME_BOUND { return status_; }

  // The value; for an optional, what it holds, so `*batch` and `batch->` are
  // the Batch. Without a value the process ends with a message; no invalid
  // memory is read.
  Value& operator*() & HEADRACE_LIFETIME_BOUND { return ValueOf(*this); }
  const Value& operator*() const& HEADRACE_LIFETIME_BOUND {
    return ValueOf(*this);
  }
  Value&& operator*() && HEADRACE_LIFETIME_BOUND {
    return std::move(ValueOf(*this));
  }
  Value* operator->() HEADRACE_LIFETIME_BOUND { return &ValueOf(*this); }
  const Value* operator->() const HEADRACE_LIFETIME_BOUND {
    return &ValueOf(*this);
  }
  // The same as operator*.
  Value& value() & HEADRACE_LIFETIME_BOUND { return **this; }
  const Value& value() const& HEADRACE_LIFETIME_BOUND { return **this; }
  Value&& value() && HEADRACE_LIFETIME_BOUND { return *std::move(*this); }
  // Returns the value or, without one, `other`.
  template <class U>
  Value value_or(U&& other) const& {
    return *this ? **this : static_cast<Value>(std::forward<U>(other));
  }
  template <class U>
  Value value_or(U&& other) && {
    return *this ? *std::move(*this)
                 : static_cast<Value>(std::forward<U>(other));
  }

  // Two Results are equal if they hold equal values or equal errors, or if both
  // are the end of a stream.
  friend bool operator==(const Result& a,
                         const Result& b) requires std::equality_comparable<T> {
    return a.status_ == b.status_ && a.value_ == b.value_;
  }

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

// The macros below accept an expression that is a Status or a Result.
inline const Status& ToReturn(const Status& status HEADRACE_LIFETIME_BOUND) {
  return status;
}
template <class T>
const Status& ToReturn(const Result<T>& result HEADRACE_LIFETIME_BOUND) {
  return result.status();
}

}  // namespace headrace

// Returns from the function with the error of `...`, a Status or Result, if it
// has one. The function returns a Status or a Result of any type.
#define HEADRACE_RETURN_IF_ERROR(...)              \
  do {                                             \
    if (const ::headrace::Status headrace_status = \
            ::headrace::ToReturn(__VA_ARGS__);     \
        !headrace_status.ok()) {                   \
      return headrace_status;                      \
    }                                              \
  } while (false)

// Like HEADRACE_RETURN_IF_ERROR, and stores the value of a Result in
// `declaration`:
//
//   HEADRACE_ASSIGN_OR_RETURN(auto reader, headrace::Reader::Open(paths));
//
// It expands to more than one statement. An item of a stream may be missing
// without an error: ask for items with a loop.
#define HEADRACE_ASSIGN_OR_RETURN(declaration, ...)                         \
  HEADRACE_ASSIGN_OR_RETURN_(HEADRACE_JOIN_(headrace_result_, __COUNTER__), \
                             declaration, __VA_ARGS__)
#define HEADRACE_ASSIGN_OR_RETURN_(result, declaration, ...) \
  auto result = (__VA_ARGS__);                               \
  if (!result.ok()) return result.status();                  \
  declaration = *std::move(result)
#define HEADRACE_JOIN_(a, b) HEADRACE_JOIN_AGAIN_(a, b)
#define HEADRACE_JOIN_AGAIN_(a, b) a##b

#endif  // HEADRACE_STATUS_H_
