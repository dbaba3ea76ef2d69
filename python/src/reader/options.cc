#include "python/src/reader/options.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/src/error.h"
#include "src/read/reader/given_options.h"
#include "src/read/reader/option_table.h"

namespace headrace::python {
namespace {

using spec::JsonNumber;
using spec::JsonValue;

std::string ReprOf(nb::handle value) { return nb::repr(value).c_str(); }

JsonValue ValueFrom(nb::handle value);

JsonValue::Array ListFrom(nb::handle list) {
  JsonValue::Array items;
  for (const nb::handle item : list) items.push_back(ValueFrom(item));
  return items;
}

// Converts a Python value to JSON. Options accept only numbers, strings and
// lists.
JsonValue ValueFrom(nb::handle value) {
  if (value.is_none()) return {spec::JsonNull()};
  if (nb::isinstance<nb::bool_>(value)) return {nb::cast<bool>(value)};
  if (nb::isinstance<nb::float_>(value)) return {JsonNumber{{}, ReprOf(value)}};
  std::string text;
  if (nb::try_cast(value, text)) return {std::move(text)};
  if (nb::isinstance<nb::list>(value) || nb::isinstance<nb::tuple>(value)) {
    return {ListFrom(value)};
  }
  if (PyIndex_Check(value.ptr()) != 0) {
    const auto number = nb::steal<nb::object>(PyNumber_Index(value.ptr()));
    if (number.is_valid()) return {JsonNumber{{}, ReprOf(number)}};
    PyErr_Clear();
  }
  // Error messages show this text for a value that is not a number.
  return {
      JsonNumber{{}, std::string("a ") + nb::type_name(value.type()).c_str()}};
}

// Converts a dict of options. An option is never a JSON object.
GivenOptions GivenFrom(const nb::dict& options) {
  JsonValue::Object members;
  for (const auto [name, value] : options) {
    members.push_back({nb::cast<std::string>(name), ValueFrom(value)});
  }
  return GivenOptions(std::move(members));
}

void CheckGiven(const GivenOptions& given) {
  if (!given.is_wrong_type()) return Check(given.problem());
  Raise(PyExc_TypeError, std::string(given.problem().message()));
}

// The kind of values that a member accepts, and its value in Python: None if
// nothing is chosen.
using Shown = std::pair<std::string_view, nb::object>;

Shown ShownOf(const bool* value) { return {"flag", nb::cast(*value)}; }
template <std::unsigned_integral T>
requires(!std::same_as<T, bool>) Shown ShownOf(const T* value) {
  return {"count", *value == ~T{0} ? nb::none() : nb::cast(*value)};
}
template <class Enum>
requires std::is_enum_v<Enum> Shown ShownOf(const Enum* value) {
  return {"name", nb::cast(NameOf(*value))};
}
// By default these choose nothing.
Shown ShownOf(const std::vector<std::string>*) { return {"texts", nb::none()}; }
Shown ShownOf(const std::vector<Shard>*) { return {"shard", nb::none()}; }
Shown ShownOf(const ByteRange*) { return {"range", nb::none()}; }
Shown ShownOf(const std::vector<RecordRange>*) { return {"range", nb::none()}; }
Shown ShownOf(IndexChoice) { return {"index", nb::str("auto")}; }

// Takes the options that are not in the table and that only Python code passes.
template <class Options>
void TakeMore(GivenOptions* given, Options* out) {
  if constexpr (requires { out->plan_is_of_sample; }) {
    given->Take("plan_is_of_sample", &out->plan_is_of_sample);
  }
  if constexpr (requires { out->plain_only; }) {
    given->Take("plain_only", &out->plain_only);
  }
}

nb::list TakersOf(const OptionRow& row) {
  nb::list names;
  for (const OptionTakerName& known : kOptionTakers) {
    if ((row.takers & known.taker) != 0) names.append(known.name);
  }
  return names;
}

nb::list RowsOfTable() {
  ReaderArguments arguments;
  arguments.options.threads = ~size_t{0};  // shown as None
  ArrowOptions arrow;
  nb::dict found;  // by name: the kind, the default and the names of values
  const auto visit = [&](const OptionRow& row, auto member) {
    nb::list names;
    using Value = std::remove_pointer_t<decltype(member)>;
    if constexpr (std::is_enum_v<Value>) {
      for (const auto& known : EnumNames<Value>()) names.append(known.name);
    } else if (!row.range.word.empty()) {
      names.append(row.range.word);
    }
    const auto [kind, value] = ShownOf(member);
    found[nb::cast(row.name)] =
        nb::make_tuple(row.kind.empty() ? kind : row.kind, value, names);
  };
  VisitOptions(&arguments.options, visit);
  VisitOptions(&arguments, visit);
  VisitOptions(&arrow, visit);
  nb::list rows;
  VisitOptionRows([&](const OptionRow& row) {
    const nb::object name = nb::cast(row.name);
    const bool is_core = found.contains(name);
    nb::object unset = row.kind == "flag" ? nb::cast(false) : nb::none();
    const nb::object known =
        is_core ? nb::object(found[name])
                : nb::make_tuple(row.kind, std::move(unset), nb::list());
    rows.append(nb::make_tuple(name, known[0], known[1], known[2],
                               TakersOf(row), row.refusal, is_core));
  });
  return rows;
}

template <class Enum>
Enum NamedBy(std::string_view option, const nb::object& name, Enum value) {
  GivenOptions given({{std::string(option), ValueFrom(name)}});
  given.Take(option, &value);
  CheckGiven(given);
  return value;
}

void CheckOptions(const nb::dict& options) {
  OptionsFrom<ReaderArguments>(options);
  OptionsFrom<ArrowOptions>(options);
}

bool MayLoseFramingUnder(const nb::object& on_corrupt) {
  return MayLoseFraming(NamedBy("on_corrupt", on_corrupt, OnCorrupt::kFail));
}

}  // namespace

template <class Options>
Options OptionsFrom(const nb::dict& dict) {
  GivenOptions given = GivenFrom(dict);
  Options options;
  given.TakeAll(&options);
  if constexpr (requires { given.TakeAll(&options.options); }) {
    given.TakeAll(&options.options);
    TakeMore(&given, &options.options);
  }
  TakeMore(&given, &options);
  CheckGiven(given);
  return options;
}

template ReaderArguments OptionsFrom(const nb::dict&);
template DatasetOptions OptionsFrom(const nb::dict&);
template DecodeOptions OptionsFrom(const nb::dict&);
template CutOptions OptionsFrom(const nb::dict&);
template ArrowOptions OptionsFrom(const nb::dict&);

MessageType MessageFrom(const nb::object& name) {
  return NamedBy("message", name, MessageType::kAuto);
}

Compression CompressionFrom(const nb::object& name) {
  return NamedBy("compression", name, Compression::kAuto);
}

StatsOptions StatsOptionsFrom(const nb::dict& options) {
  StatsOptions stats;
  stats.message = MessageFrom(options["message"]);
  using Names = std::vector<std::string>;
  stats.features = nb::cast<Names>(options["features"]);
  stats.by = nb::cast<std::string>(options["by"]);
  stats.categorical = nb::cast<Names>(options["categorical"]);
  stats.pictures = nb::cast<bool>(options["pictures"]);
  return stats;
}

void BindOptions(nb::module_& m) {
  m.def("read_options", &RowsOfTable);
  m.def("check_options", &CheckOptions, nb::arg("options"));
  m.def("may_lose_framing", &MayLoseFramingUnder, nb::arg("on_corrupt").none());
}

}  // namespace headrace::python
