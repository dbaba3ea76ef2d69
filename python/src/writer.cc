// The Python class Writer makes features of Python's values.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/example_encoder.h"
#include "headrace/message.h"
#include "headrace/record_writer.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/reader/options.h"

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

void SetKind(const std::string& name, Kind kind, Feature* feature) {
  if (feature->kind == Kind::kNull) feature->kind = kind;
  if (feature->kind != kind) {
    RaiseType(name, "expected values of one kind, found " +
                        std::string(KindName(feature->kind)) + " and " +
                        std::string(KindName(kind)));
  }
}

void AddBytes(const std::string& name, std::string_view value,
              Feature* feature) {
  SetKind(name, Kind::kBytes, feature);
  feature->bytes.emplace_back(value);
}

// Python's int, bool and numpy's integers become signed 64-bit integers.
void AddInt(const std::string& name, nb::handle value, Feature* feature) {
  SetKind(name, Kind::kInt64, feature);
  const nb::object number = nb::steal(PyNumber_Index(value.ptr()));
  if (!number.is_valid()) throw nb::python_error();
  int overflow = 0;
  const long long int64 = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow != 0) {
    RaiseValue(PyExc_OverflowError, name,
               std::string(nb::str(number).c_str()) + " is beyond int64");
  }
  feature->int64s.push_back(int64);
}

void AddFloat(const std::string& name, double value, Feature* feature) {
  SetKind(name, Kind::kFloat, feature);
  const auto narrow = static_cast<float>(value);
  if (std::isinf(narrow) && !std::isinf(value)) {
    RaiseValue(PyExc_OverflowError, name,
               std::string(nb::repr(nb::float_(value)).c_str()) +
                   " is beyond float32");
  }
  feature->floats.push_back(narrow);
}

void AddText(const std::string& name, nb::handle value, Feature* feature) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    PyErr_Clear();
    RaiseValue(
        PyExc_ValueError, name,
        std::string(nb::repr(value).c_str()) + " cannot be encoded as UTF-8");
  }
  AddBytes(name, {text, static_cast<size_t>(size)}, feature);
}

bool IsBytes(nb::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) ||
         PyMemoryView_Check(value.ptr());
}

void AddValue(const std::string& name, nb::handle value, Feature* feature) {
  if (IsBytes(value)) {
    const nb::object object = nb::steal(PyBytes_FromObject(value.ptr()));
    if (!object.is_valid()) throw nb::python_error();
    const auto bytes = nb::borrow<nb::bytes>(object);
    AddBytes(name, {bytes.c_str(), bytes.size()}, feature);
  } else if (PyUnicode_Check(value.ptr())) {
    AddText(name, value, feature);
  } else if (PyFloat_Check(value.ptr())) {
    AddFloat(name, nb::cast<double>(value), feature);
  } else if (PyIndex_Check(value.ptr())) {
    AddInt(name, value, feature);
  } else if (nb::hasattr(value, "__float__")) {  // numpy's narrow floats
    AddFloat(name, nb::cast<double>(value.attr("__float__")()), feature);
  } else {
    RaiseWrongType("feature \"" + name + "\"",
                   "values that are int, float, bytes or str", value);
  }
}

bool IsSingle(nb::handle value) {
  return IsBytes(value) || PyUnicode_Check(value.ptr()) ||
         PyFloat_Check(value.ptr()) ||
         (PyIndex_Check(value.ptr()) && !nb::hasattr(value, "dtype"));
}

// An array is written in row-major order, an empty one with its own kind.
nb::object Flatten(const std::string& name, nb::handle array,
                   Feature* feature) {
  const nb::object flat = array.attr("reshape")(-1);
  const auto kind =
      nb::cast<std::string>(nb::str(array.attr("dtype").attr("kind")));
  if (kind == "f") {
    feature->kind = Kind::kFloat;
  } else if (kind == "i" || kind == "u" || kind == "b") {
    feature->kind = Kind::kInt64;
  } else if (kind == "S" || kind == "U") {
    RaiseType(name,
              std::string("a numpy array of fixed-width ") +
                  (kind == "S" ? "bytes" : "text") +
                  " drops zero bytes at the end of each; use dtype=object");
  } else if (kind != "O" && kind != "T") {
    RaiseType(name,
              "expected integers, floats, bytes or text, got dtype " +
                  nb::cast<std::string>(array.attr("dtype").attr("name")));
  }
  return flat.attr("tolist")();
}

// Other libraries know values to be missing that numpy would make numbers.
void CheckNothingMissing(const std::string& name, nb::handle array) {
  bool any = false;
  const nb::object numpy = nb::module_::import_("numpy");
  if (nb::hasattr(array, "isna")) {
    // This is pandas; in arrays of numpy's own types NaN is a value.
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

Feature FeatureFrom(const std::string& name, nb::handle value) {
  Feature feature;
  if (value.is_none()) return feature;
  if (IsSingle(value)) {
    AddValue(name, value, &feature);
    return feature;
  }
  nb::object list = nb::borrow(value);
  if (nb::hasattr(value, "__array__")) {
    CheckNothingMissing(name, value);
    const nb::object array =
        nb::module_::import_("numpy").attr("asarray")(value);
    list = Flatten(name, array, &feature);
  } else if (PyDict_Check(value.ptr()) || !nb::hasattr(value, "__iter__")) {
    RaiseWrongType("feature \"" + name + "\"", "a value or a list of values",
                   value);
  }
  for (const nb::handle item : nb::iter(list)) AddValue(name, item, &feature);
  return feature;
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
                       !PyUnicode_Check(steps.ptr()) &&
                       !PyDict_Check(steps.ptr());
  if (is_list) return;
  RaiseWrongType("feature list \"" + name + "\"", "a list of steps", steps);
}

// An empty list has no values to tell its kind by, so its feature has none.
std::string Serialize(const nb::dict& features, const nb::object& lists) {
  Message message;
  for (const auto& [key, value] : features) {
    const std::string name = NameFrom(key);
    message.features[name] = FeatureFrom(name, value);
  }
  if (!lists.is_none()) {
    message.type = MessageType::kSequence;
    message.has_feature_lists = true;
    for (const auto& [key, steps] : nb::cast<nb::dict>(lists)) {
      const std::string name = NameFrom(key);
      auto& list = message.feature_lists[name];
      CheckSteps(name, steps);
      for (const nb::handle step : nb::iter(steps)) {
        list.push_back(FeatureFrom(name, step));
      }
    }
  }
  return Check(SerializeMessage(message));
}

nb::object SerializeExample(const nb::dict& features) {
  return ToBytes(Serialize(features, nb::none()));
}

nb::object SerializeSequence(const nb::dict& context, const nb::dict& lists) {
  return ToBytes(Serialize(context, lists));
}

using Records = std::vector<std::string>;

Records Encode(const ArrowSchema& schema, const ArrowArray& batch,
               const EncodeOptions& options) {
  std::optional<Result<Records>> records;
  {
    nb::gil_scoped_release release;
    records = EncodeExamples(schema, batch, options);
  }
  return Check(*std::move(records));
}

template <class Use>
void EncodeEach(const nb::object& data, bool cast, Use use) {
  const EncodeOptions options{.allow_narrowing = cast};
  if (!IsStream(data)) {
    const ImportedArray imported(data);
    use(Encode(imported.schema(), imported.array(), options));
    return;
  }
  ImportedStream stream(data);
  while (true) {
    Owned<ArrowArray> batch;
    if (!stream.Next(&batch)) return;
    use(Encode(stream.schema(), *batch, options));
  }
}

nb::list EncodeToList(const nb::object& data, bool cast) {
  nb::list list;
  EncodeEach(data, cast, [&](const Records& records) {
    for (const std::string& record : records) list.append(ToBytes(record));
  });
  return list;
}

// The GIL guards it, or the lock of the Python object where there is no GIL.
class PyWriter {
 public:
  PyWriter(const nb::bytes& path, const std::string& compression,
           std::optional<int> level, uint64_t block_bytes, size_t threads,
           bool fsync)
      : process_(getpid()),
        writer_(Check(
            RecordWriter::Open({path.c_str(), path.size()},
                               {.compression = CompressionFrom(compression),
                                .level = level,
                                .block_bytes = block_bytes,
                                .threads = threads,
                                .fsync = fsync}))) {}
  PyWriter(const PyWriter&) = delete;
  PyWriter& operator=(const PyWriter&) = delete;
  // In a forked child the file is the parent's, which goes on to write it: the
  // memory is given up, so that the temporary file is not removed.
  ~PyWriter() {
    if (writer_ && !is_of_this_process()) {
      static_cast<void>(new RecordWriter(*std::move(writer_)));
    }
  }

  void Write(const nb::bytes& record) {
    Check(open().Write({record.c_str(), record.size()}));
  }

  void WriteBatch(const nb::object& data, bool cast) {
    open();
    EncodeEach(data, cast, [this](const Records& records) {
      for (const std::string& record : records) Check(open().Write(record));
    });
  }

  // Without its name the file is dropped. What a parent writes is left alone.
  void Discard() {
    if (is_of_this_process()) writer_.reset();
  }

  void Close() {
    if (!writer_) return;
    CheckProcess();
    RecordWriter writer = *std::move(writer_);
    writer_.reset();
    Status status;
    {
      nb::gil_scoped_release release;
      status = writer.Close();
    }
    Check(status);
  }

  uint64_t num_records() { return open().num_records(); }
  // If true, this process has to finish a file.
  bool is_open() const { return writer_ && is_of_this_process(); }

 private:
  bool is_of_this_process() const { return getpid() == process_; }
  RecordWriter& open() {
    if (!writer_) throw nb::value_error("the writer is closed");
    CheckProcess();
    return *writer_;
  }
  void CheckProcess() const {
    if (is_of_this_process()) return;
    PyErr_SetString(PyExc_RuntimeError,
                    "a writer does not survive a fork; open it in the process "
                    "that writes");
    throw nb::python_error();
  }

  const pid_t process_;
  std::optional<RecordWriter> writer_;
};

}  // namespace

void BindWriter(nb::module_& m) {
  m.def("serialize_example", &SerializeExample, nb::arg("features"));
  m.def("serialize_sequence_example", &SerializeSequence, nb::arg("context"),
        nb::arg("feature_lists"));
  m.def("encode", &EncodeToList, nb::arg("data"), nb::arg("cast"));
  m.def("compression_of_name", [](const nb::bytes& path) {
    const auto named = CompressionOfName({path.c_str(), path.size()});
    return std::string(CompressionName(named.value_or(Compression::kNone)));
  });
  nb::class_<PyWriter>(m, "RecordWriter")
      .def(nb::init<const nb::bytes&, const std::string&, std::optional<int>,
                    uint64_t, size_t, bool>(),
           nb::arg("path"), nb::arg("compression") = "none",
           nb::arg("level").none() = nb::none(),
           nb::arg("block_bytes") = uint64_t{1} << 20, nb::arg("threads") = 1,
           nb::arg("fsync") = false)
      .def("write", &PyWriter::Write, nb::arg("record"), nb::lock_self())
      .def("write_batch", &PyWriter::WriteBatch, nb::arg("data"),
           nb::arg("cast"), nb::lock_self())
      .def("discard", &PyWriter::Discard, nb::lock_self())
      .def("close", &PyWriter::Close, nb::lock_self())
      .def_prop_ro("is_open", &PyWriter::is_open, nb::lock_self())
      .def_prop_ro("num_records", &PyWriter::num_records, nb::lock_self());
}

}  // namespace headrace::python
