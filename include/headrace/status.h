// Status and Result: how every headrace call says what went wrong.
//
// The library throws no exceptions, prints nothing and never aborts. When
// allocation fails, a call that returns a Status or Result returns
// kOutOfMemory; only functions that return text or other plain values
// (ToString, ToJson, InferSchema) throw std::bad_alloc, as copies of those
// values do. Success costs a null pointer. Errors carry the place (file,
// record, offset, feature) as fields, so callers need not parse text.

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
#include <span>
#include <string>
#include <string_view>
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
  // A part of a file does not end where the next one begins; ByteRange.
  kSplitSeam,
  // A file has another number of records than is said; RecordRange.
  kWrongRecordCount,
  // An index is damaged, or of another file; headrace/index.h.
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

// Whether the class says that bytes of the file are damaged.
HEADRACE_EXPORT bool IsDamage(ErrorCode code);
// Whether the class concerns one row of an intact record.
HEADRACE_EXPORT bool IsRowError(ErrorCode code);

// This means "not known" or "does not apply" in the fields below, as empty
// strings do.
inline constexpr uint64_t kUnknown = ~uint64_t{0};

// All that is known about an error.
struct ErrorInfo {
  ErrorCode code = ErrorCode::kOk;
  std::string message = {};  // what is wrong, but not where
  std::string file = {};     // path, or "<stdin>", "<memory>"
  // Number within the file, from 0; kUnknown also where only a part of the file
  // was read and nobody knows how many records come before it.
  uint64_t record = kUnknown;
  uint64_t offset = kUnknown;  // byte in the uncompressed stream
  std::string feature = {};    // key on the wire, or name of the tensor
  std::string expected = {};   // kind or count the plan asks for
  std::string found = {};      // kind or count the record holds
  int system_error = 0;        // errno of a call that failed; 0 for none
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
  std::string_view message() const {
    return info_ ? std::string_view(info_->message) : std::string_view();
  }
  // The error, which lives as long as any copy of this Status; null for
  // success.
  const ErrorInfo* info() const { return info_.get(); }
  std::string ToString() const;  // for people: place, class, message

 private:
  std::shared_ptr<const ErrorInfo> info_;
};

// Ends the process, because a program used the value of a Result without one.
// With assertions it prints why there is none, otherwise nothing.
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

// A value, or the Status that says why there is none.
//
// A Result of an optional is one item of a stream, which may also be at its
// end: it is then ok() and has no value.
//
//   while (auto batch = reader.Next()) Use(*batch);
//   if (!reader.status().ok()) ...
template <class T>
class [[nodiscard]] Result {
 public:
  // The type of the value; of an optional, what it holds.
  using Value = typename ResultValue<T>::Type;

  // NOLINTNEXTLINE: this is implicit so that `return value;` works.
  Result(T value) : value_(std::move(value)) {}
  // NOLINTNEXTLINE: this is implicit so that `return status;` works.
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

  // The value; of an optional, what it holds, so `*batch` and `batch->` are the
  // Batch. If there is none the process ends; no memory is read.
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
