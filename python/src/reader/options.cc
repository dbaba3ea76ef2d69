#include "python/src/reader/options.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "python/src/error.h"

namespace headrace::python {
namespace {

[[noreturn]] void RaiseArgument(const std::string& text) {
  Raise(Status(ErrorCode::kInvalidArgument, text));
}

template <class Enum>
Enum ByName(const char* option, const std::string& given) {
  if (const auto value = ParseName<Enum>(given)) return *value;
  std::string known;
  for (const EnumName<Enum>& name : EnumNames<Enum>()) {
    known += (known.empty() ? "\"" : ", \"") + std::string(name.name) + "\"";
  }
  RaiseArgument(std::string(option) + " must be one of " + known + ", got \"" +
                given + "\"");
}

template <class T>
const char* Expected() {
  if constexpr (std::is_same_v<T, bool>) return "True or False";
  if constexpr (std::is_integral_v<T>) return "a whole number";
  if constexpr (std::is_same_v<T, std::string>) return "a str";
  if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    return "a list of str";
  }
  return "a list of pairs (index, count)";
}

// False, and `out` unchanged, if the option is not given, or is None.
template <class T>
bool Take(const nb::dict& options, const char* name, T* out) {
  if (!options.contains(name)) return false;
  const nb::object value(options[name]);
  if (value.is_none()) return false;
  if (nb::try_cast(value, *out)) return true;
  constexpr bool kTakesNumber =
      std::is_integral_v<T> && !std::is_same_v<T, bool>;
  if (!kTakesNumber || !PyLong_Check(value.ptr())) {
    RaiseWrongType(name, Expected<T>(), value);
  }
  const bool is_negative =
      PyObject_RichCompareBool(value.ptr(), nb::int_(0).ptr(), Py_LT) == 1;
  RaiseArgument(
      std::string(name) +
      (is_negative ? " must not be negative, got " : " is too large, got ") +
      nb::repr(value).c_str());
}

template <class Enum>
void TakeName(const nb::dict& options, const char* option, Enum* out) {
  std::string name;
  if (Take(options, option, &name)) *out = ByName<Enum>(option, name);
}

void TakeShards(const nb::dict& options, std::vector<Shard>* shards) {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  if (!Take(options, "shards", &pairs)) return;
  for (const auto& [index, count] : pairs) shards->push_back({index, count});
}

void TakeRange(const nb::dict& options, ByteRange* range) {
  nb::object given;
  if (!Take(options, "byte_range", &given)) return;
  std::pair<uint64_t, std::optional<uint64_t>> pair;
  if (!nb::try_cast(given, pair) ||
      (pair.second && *pair.second < pair.first)) {
    RaiseArgument(
        std::string(
            "byte_range must be (begin, end), 0 <= begin <= end, or end "
            "None for the end of the file; got ") +
        nb::repr(given).c_str());
  }
  *range = {.begin = pair.first, .end = pair.second.value_or(~uint64_t{0})};
}

void TakeRecordRanges(const nb::dict& options,
                      std::vector<RecordRange>* ranges) {
  using Number = std::optional<uint64_t>;
  std::vector<std::tuple<uint64_t, Number, Number>> given;
  if (!Take(options, "record_ranges", &given)) return;
  for (const auto& [begin, end, records] : given) {
    ranges->push_back({.begin = begin,
                       .end = end.value_or(~uint64_t{0}),
                       .file_records = records.value_or(~uint64_t{0})});
  }
}

void TakeIndex(const nb::dict& options, IndexUse* use, std::string* directory) {
  bool is_required = false;
  bool is_ignored = false;
  Take(options, "requires_index", &is_required);
  Take(options, "ignores_index", &is_ignored);
  if (is_required) *use = IndexUse::kRequired;
  if (is_ignored) *use = IndexUse::kNone;
  Take(options, "index_directory", directory);
}

void TakeLimits(const nb::dict& options, Limits* limits) {
  Take(options, "max_record_bytes", &limits->max_record_bytes);
  Take(options, "max_batch_bytes", &limits->max_batch_bytes);
  Take(options, "max_inflated_bytes", &limits->max_inflated_bytes);
  Take(options, "max_reported", &limits->max_reported);
}

}  // namespace

MessageType MessageFrom(const nb::object& name) {
  if (name.is_none()) return MessageType::kAuto;
  std::string given;
  if (!nb::try_cast(name, given)) RaiseWrongType("message", "a str", name);
  return ByName<MessageType>("message", given);
}

Compression CompressionFrom(const std::string& name) {
  return ByName<Compression>("compression", name);
}

ReaderArguments ReaderArgumentsFrom(const nb::dict& options) {
  ReaderArguments arguments;
  ReadOptions& read = arguments.options;
  read.threads = 0;
  TakeName(options, "message", &read.message);
  TakeName(options, "compression", &read.compression);
  TakeName(options, "on_corrupt", &read.on_corrupt);
  TakeName(options, "on_row_error", &read.on_row_error);
  Take(options, "batch_size", &read.batch_size);
  Take(options, "max_bad", &read.max_bad);
  Take(options, "verify", &read.verify_payload);
  Take(options, "verify_unselected", &read.verify_unselected);
  Take(options, "mmap", &read.mmap);
  Take(options, "sample", &read.sample);
  Take(options, "sample_bytes", &read.sample_bytes);
  Take(options, "strict_columns", &read.strict_columns);
  TakeName(options, "on_absent", &read.on_absent);
  Take(options, "plan_is_of_sample", &read.plan_is_of_sample);
  Take(options, "threads", &read.threads);
  Take(options, "columns", &read.features);
  TakeShards(options, &read.subshards);
  TakeRange(options, &read.range);
  TakeRecordRanges(options, &read.record_ranges);
  TakeIndex(options, &read.index, &read.index_directory);
  Take(options, "write_index", &read.write_index);
  Take(options, "drop_remainder", &arguments.drop_remainder);
  Take(options, "epochs", &arguments.epochs);
  TakeLimits(options, &read.limits);
  return arguments;
}

DatasetOptions DatasetOptionsFrom(const nb::dict& options) {
  DatasetOptions dataset;
  TakeName(options, "message", &dataset.message);
  TakeIndex(options, &dataset.index, &dataset.index_directory);
  Take(options, "plain_only", &dataset.plain_only);
  Take(options, "verify", &dataset.verify_payload);
  Take(options, "verify_unselected", &dataset.verify_unselected);
  Take(options, "mmap", &dataset.mmap);
  Take(options, "sample", &dataset.sample);
  Take(options, "sample_bytes", &dataset.sample_bytes);
  Take(options, "columns", &dataset.features);
  Take(options, "threads", &dataset.threads);
  Take(options, "strict_columns", &dataset.strict_columns);
  TakeName(options, "on_absent", &dataset.on_absent);
  Take(options, "plan_is_of_sample", &dataset.plan_is_of_sample);
  TakeRecordRanges(options, &dataset.record_ranges);
  TakeLimits(options, &dataset.limits);
  return dataset;
}

DecodeOptions DecodeOptionsFrom(const nb::dict& options) {
  DecodeOptions decode;
  Take(options, "verify_unselected", &decode.verify_unselected);
  TakeName(options, "on_absent", &decode.on_absent);
  TakeLimits(options, &decode.limits);
  return decode;
}

CutOptions CutOptionsFrom(const nb::dict& options) {
  CutOptions cut;
  TakeName(options, "compression", &cut.compression);
  TakeIndex(options, &cut.index, &cut.index_directory);
  return cut;
}

ArrowOptions ArrowOptionsFrom(const nb::dict& options) {
  ArrowOptions arrow;
  TakeName(options, "bytes_as", &arrow.bytes_as);
  return arrow;
}

}  // namespace headrace::python
