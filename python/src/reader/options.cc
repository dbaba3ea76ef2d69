#include "python/src/reader/options.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string_view>
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
  RaiseArgument(std::string(option) + " is one of " + known + ", not \"" +
                given + "\"");
}

// False, and `out` unchanged, if the option is not given, or is None.
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

template <class Enum>
void TakeName(const nb::dict& options, const char* option, Enum* out) {
  std::string name;
  if (Take(options, option, &name)) *out = ByName<Enum>(option, name);
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

MessageType MessageFrom(const std::string& name) {
  return ByName<MessageType>("message", name);
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
  TakeName(options, "bytes_as", &arrow.bytes_as);
  return arrow;
}

}  // namespace headrace::python
