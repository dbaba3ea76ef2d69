#include "python/src/feature_maker.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "python/src/error.h"

namespace headrace::python {
namespace {

[[noreturn]] void RaiseType(const std::string& feature,
                            const std::string& what) {
  const std::string text = "feature \"" + feature + "\": " + what;
  throw nb::type_error(text.c_str());
}

[[noreturn]] void RaiseValue(PyObject* type, const std::string& feature,
                             const std::string& what) {
  const std::string text = "feature \"" + feature + "\": " + what;
  PyErr_SetString(type, text.c_str());
  throw nb::python_error();
}

bool IsBytes(nb::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) ||
         PyMemoryView_Check(value.ptr());
}

// Whether the value is a mapping. Iterated, it would become a list of its keys.
bool IsMapping(nb::handle value) {
  return PyDict_Check(value.ptr()) || nb::hasattr(value, "keys");
}

bool IsSingle(nb::handle value) {
  return IsBytes(value) || PyUnicode_Check(value.ptr()) ||
         PyFloat_Check(value.ptr()) ||
         (PyIndex_Check(value.ptr()) && !nb::hasattr(value, "dtype"));
}

// Refuses a column or tensor of a batch: its rows belong to several records.
void CheckIsNoColumn(const std::string& name, nb::handle value) {
  const nb::object module = nb::getattr(value.type(), "__module__", nb::none());
  if (!module.equal(nb::str("headrace._core"))) return;
  RaiseType(name,
            "this is a column of several records; write_batch writes a batch, "
            "and .numpy() has the values of all rows");
}

// Refuses arrays with missing values, which numpy would turn into numbers.
void CheckNothingMissing(const std::string& name, nb::handle array) {
  bool any = false;
  const nb::object numpy = nb::module_::import_("numpy");
  if (nb::hasattr(array, "isna")) {
    // This is pandas. In arrays of numpy's own types NaN is a value.
    any = !nb::isinstance(array.attr("dtype"), numpy.attr("dtype")) &&
          PyObject_IsTrue(array.attr("isna")().attr("any")().ptr()) == 1;
  } else if (nb::hasattr(array, "null_count")) {
    nb::object count = array.attr("null_count");
    if (PyCallable_Check(count.ptr())) count = count();
    any = nb::cast<int64_t>(count) > 0;
  } else if (nb::hasattr(array, "mask")) {
    any = PyObject_IsTrue(numpy.attr("ma").attr("is_masked")(array).ptr()) == 1;
  }
  if (!any) return;
  RaiseValue(PyExc_ValueError, name,
             "some values are masked or missing, and a list has no place for "
             "them; fill them or leave them out");
}

// Makes one feature from a value or a list of values.
class FeatureMaker {
 public:
  FeatureMaker(const std::string& name, std::optional<Kind> wanted)
      : name_(name), wanted_(wanted) {}

  Feature Make(nb::handle value);

 private:
  void SetKind(Kind kind);
  void Add(nb::handle value);
  void AddBytes(std::string_view value);
  void AddText(nb::handle value);
  void AddInt(nb::handle value);
  void AddFloat(double value);
  void AddWhole(double value);
  nb::object Flatten(nb::handle array);

  const std::string& name_;
  const std::optional<Kind> wanted_;
  Feature feature_;
};

void FeatureMaker::SetKind(Kind kind) {
  if (feature_.kind == Kind::kNull) feature_.kind = kind;
  if (feature_.kind == kind) return;
  if (wanted_) {
    RaiseType(name_, "the spec says " + std::string(KindName(*wanted_)) +
                         ", found " + std::string(KindName(kind)));
  }
  RaiseType(name_, "expected values of one kind, found " +
                       std::string(KindName(feature_.kind)) + " and " +
                       std::string(KindName(kind)));
}

void FeatureMaker::AddBytes(std::string_view value) {
  SetKind(Kind::kBytes);
  feature_.bytes.emplace_back(value);
}

void FeatureMaker::AddText(nb::handle value) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    RaiseValue(
        PyExc_ValueError, name_,
        std::string(nb::repr(value).c_str()) + " cannot be encoded as UTF-8");
  }
  AddBytes({text, static_cast<size_t>(size)});
}

// Adds an int, bool or numpy integer as a signed 64-bit integer, or as a float
// if the spec says so.
void FeatureMaker::AddInt(nb::handle value) {
  const bool is_float = wanted_ == Kind::kFloat;
  SetKind(is_float ? Kind::kFloat : Kind::kInt64);
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long int64 = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    RaiseValue(PyExc_OverflowError, name_,
               std::string(nb::str(number).c_str()) + " is beyond int64");
  }
  if (is_float) {
    feature_.floats.push_back(static_cast<float>(int64));
  } else {
    feature_.int64s.push_back(int64);
  }
}

void FeatureMaker::AddWhole(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value))) {
    RaiseValue(PyExc_ValueError, name_,
               "the spec says int64, and " +
                   std::string(nb::repr(nb::float_(value)).c_str()) +
                   " is not a whole number of 64 bits");
  }
  feature_.int64s.push_back(static_cast<int64_t>(value));
}

void FeatureMaker::AddFloat(double value) {
  if (wanted_ == Kind::kInt64) return AddWhole(value);
  SetKind(Kind::kFloat);
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) {
    RaiseValue(PyExc_OverflowError, name_,
               std::string(nb::repr(nb::float_(value)).c_str()) +
                   " is beyond float32");
  }
  feature_.floats.push_back(narrow);
}

void FeatureMaker::Add(nb::handle value) {
  if (IsBytes(value)) {
    const nb::object object = nb::steal(PyBytes_FromObject(value.ptr()));
    if (!object.is_valid()) throw nb::python_error();
    const auto bytes = nb::borrow<nb::bytes>(object);
    AddBytes({bytes.c_str(), bytes.size()});
  } else if (PyUnicode_Check(value.ptr())) {
    AddText(value);
  } else if (PyFloat_Check(value.ptr())) {
    AddFloat(nb::cast<double>(value));
  } else if (PyIndex_Check(value.ptr())) {
    AddInt(value);
  } else if (nb::hasattr(value, "__float__")) {  // numpy's narrow floats
    AddFloat(nb::cast<double>(value.attr("__float__")()));
  } else {
    RaiseWrongType("feature \"" + name_ + "\"",
                   "values that are int, float, bytes or str", value);
  }
}

// Returns the values of an array in row-major order. An empty array sets the
// kind, too.
nb::object FeatureMaker::Flatten(nb::handle array) {
  const nb::object flat = array.attr("reshape")(-1);
  const auto kind =
      nb::cast<std::string>(nb::str(array.attr("dtype").attr("kind")));
  if (kind == "f" || kind == "i" || kind == "u" || kind == "b") {
    if (!wanted_) feature_.kind = kind == "f" ? Kind::kFloat : Kind::kInt64;
  } else if (kind == "S" || kind == "U") {
    RaiseType(name_,
              std::string("a numpy array of fixed-width ") +
                  (kind == "S" ? "bytes" : "text") +
                  " drops zero bytes at the end of each; use dtype=object");
  } else if (kind != "O" && kind != "T") {
    RaiseType(name_,
              "expected integers, floats, bytes or text, got dtype " +
                  nb::cast<std::string>(array.attr("dtype").attr("name")));
  }
  return flat.attr("tolist")();
}

Feature FeatureMaker::Make(nb::handle value) {
  if (value.is_none()) return {};
  feature_.kind = wanted_.value_or(Kind::kNull);
  if (IsSingle(value)) {
    Add(value);
    return std::move(feature_);
  }
  CheckIsNoColumn(name_, value);
  nb::object list = nb::borrow(value);
  if (nb::hasattr(value, "__array__")) {
    CheckNothingMissing(name_, value);
    list = Flatten(nb::module_::import_("numpy").attr("asarray")(value));
  } else if (IsMapping(value) || !nb::hasattr(value, "__iter__")) {
    RaiseWrongType("feature \"" + name_ + "\"", "a value or a list of values",
                   value);
  }
  for (const nb::handle item : nb::iter(list)) Add(item);
  return std::move(feature_);
}

std::string NameFrom(nb::handle name) {
  std::string text;
  if (!nb::try_cast(name, text)) {
    RaiseWrongType("name of a feature", "a str", name);
  }
  return text;
}

void CheckSteps(const std::string& name, nb::handle steps) {
  const bool is_list = nb::hasattr(steps, "__iter__") && !IsBytes(steps) &&
                       !PyUnicode_Check(steps.ptr()) && !IsMapping(steps);
  if (is_list) return;
  RaiseWrongType("feature list \"" + name + "\"", "a list of steps", steps);
}

}  // namespace

Message MakeMessage(const nb::dict& features, const nb::object& lists,
                    const FeatureKinds* kinds) {
  const auto made = [kinds](const std::string& name, bool in_sequence,
                            nb::handle value) {
    std::optional<Kind> wanted;
    if (kinds && !kinds->learns()) wanted = kinds->KindOf(name, in_sequence);
    return FeatureMaker(name, wanted).Make(value);
  };
  Message message;
  for (const auto& [key, value] : features) {
    const std::string name = NameFrom(key);
    message.features[name] = made(name, /*in_sequence=*/false, value);
  }
  if (lists.is_none()) return message;
  message.type = MessageType::kSequence;
  message.has_feature_lists = true;
  for (const auto& [key, steps] : nb::cast<nb::dict>(lists)) {
    const std::string name = NameFrom(key);
    auto& list = message.feature_lists[name];
    CheckSteps(name, steps);
    for (const nb::handle step : nb::iter(steps)) {
      list.push_back(made(name, /*in_sequence=*/true, step));
    }
  }
  return message;
}

}  // namespace headrace::python
