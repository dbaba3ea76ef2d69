#include "python/src/reader_options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "python/src/error.h"

namespace headrace::python {
namespace {

template <class T>
using Name = std::pair<std::string_view, T>;

constexpr std::array<Name<MessageType>, 5> kMessages = {{
    {"auto", MessageType::kAuto},
    {"example", MessageType::kExample},
    {"sequence", MessageType::kSequence},
    {"raw", MessageType::kRaw},
    {"sequence_example", MessageType::kSequence},
}};
constexpr std::array<Name<Compression>, 6> kCompressions = {{
    {"auto", Compression::kAuto},
    {"none", Compression::kNone},
    {"gzip", Compression::kGzip},
    {"zlib", Compression::kZlib},
    {"snappy", Compression::kSnappy},
    {"zstd", Compression::kZstd},
}};
constexpr std::array<Name<OnCorrupt>, 3> kOnCorrupt = {{
    {"fail", OnCorrupt::kFail},
    {"skip", OnCorrupt::kSkip},
    {"rescan", OnCorrupt::kRescan},
}};
constexpr std::array<Name<OnRowError>, 2> kOnRowError = {{
    {"fail", OnRowError::kFail},
    {"skip", OnRowError::kSkip},
}};
constexpr std::array<Name<BytesAs>, 4> kBytesAs = {{
    {"binary", BytesAs::kBinary},
    {"large", BytesAs::kLargeBinary},
    {"view", BytesAs::kBinaryView},
    {"string", BytesAs::kString},
}};

[[noreturn]] void RaiseArgument(const std::string& text) {
  Raise(Status(ErrorCode::kInvalidArgument, text));
}

template <class T, size_t kSize>
T ByName(const std::array<Name<T>, kSize>& names, const char* option,
         const std::string& given) {
  std::string known;
  for (const auto& [name, value] : names) {
    if (name == given) return value;
    known += (known.empty() ? "\"" : ", \"") + std::string(name) + "\"";
  }
  const std::string text =
      std::string(option) + " is one of " + known + ", not \"" + given + "\"";
  RaiseArgument(text);
}

// False, and `out` as it is, where the option is not given, or None.
template <class T>
bool Take(const nb::dict& options, const char* name, T* out) {
  if (!options.contains(name)) return false;
  const nb::object value(options[name]);
  if (value.is_none()) return false;
  if (!nb::try_cast(value, *out)) {
    const std::string got = nb::repr(value).c_str();
    if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
      const bool is_negative =
          PyObject_RichCompareBool(value.ptr(), nb::int_(0).ptr(), Py_LT) == 1;
      RaiseArgument(std::string(name) +
                    (is_negative ? " must not be negative, got "
                                 : " is too large, got ") +
                    got);
    }
    const std::string text = std::string(name) + " cannot be " + got;
    throw nb::type_error(text.c_str());
  }
  return true;
}

template <class T, size_t kSize>
void TakeName(const nb::dict& options, const char* option,
              const std::array<Name<T>, kSize>& names, T* out) {
  std::string name;
  if (Take(options, option, &name)) *out = ByName(names, option, name);
}

void TakeShard(const nb::dict& options, Shard* shard) {
  std::vector<uint32_t> pair;
  if (!Take(options, "shard", &pair)) return;
  if (pair.size() != 2) {
    RaiseArgument("shard is a pair: (index, count)");
  }
  *shard = {.index = pair[0], .count = pair[1]};
}

}  // namespace

std::string MessageName(MessageType message) {
  for (const auto& [name, value] : kMessages) {
    if (value == message) return std::string(name);
  }
  return "auto";
}

MessageType MessageFrom(const std::string& name) {
  return ByName(kMessages, "message", name);
}

Compression CompressionFrom(const std::string& name) {
  return ByName(kCompressions, "compression", name);
}

ReaderArguments ReaderArgumentsFrom(const nb::dict& options) {
  ReaderArguments arguments;
  ReadOptions& read = arguments.options;
  read.threads = 0;
  TakeName(options, "message", kMessages, &read.message);
  TakeName(options, "compression", kCompressions, &read.compression);
  TakeName(options, "on_corrupt", kOnCorrupt, &read.on_corrupt);
  TakeName(options, "on_row_error", kOnRowError, &read.on_row_error);
  Take(options, "batch_size", &read.batch_size);
  Take(options, "max_bad", &read.max_bad);
  Take(options, "verify", &read.verify_payload);
  Take(options, "verify_unselected", &read.verify_unselected);
  Take(options, "mmap", &read.mmap);
  Take(options, "sample", &read.sample);
  Take(options, "sample_bytes", &read.sample_bytes);
  Take(options, "strict_columns", &read.strict_columns);
  Take(options, "plan_is_of_sample", &read.plan_is_of_sample);
  Take(options, "threads", &read.threads);
  Take(options, "columns", &read.features);
  TakeShard(options, &read.shard);
  Take(options, "drop_remainder", &arguments.drop_remainder);
  Take(options, "epochs", &arguments.epochs);
  return arguments;
}

ArrowOptions ArrowOptionsFrom(const nb::dict& options) {
  ArrowOptions arrow;
  TakeName(options, "bytes_as", kBytesAs, &arrow.bytes_as);
  return arrow;
}

}  // namespace headrace::python
