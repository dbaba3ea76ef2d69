// The functions that make records from Python values and Arrow data, and the
// Python class _core.RecordWriter.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/example_encoder.h"
#include "headrace/feature_kinds.h"
#include "headrace/message.h"
#include "headrace/record_writer.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "python/src/reader/options.h"

namespace headrace::python {
namespace {

[[noreturn]] void RaiseValue(PyObject* type, const std::string& feature,
                             const std::string& what) {
  Raise(type, "feature \"" + feature + "\": " + what);
}

[[noreturn]] void RaiseType(const std::string& feature,
                            const std::string& what) {
  RaiseValue(PyExc_TypeError, feature, what);
}

bool IsBytes(nb::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) ||
         PyMemoryView_Check(value.ptr());
}

// Whether the value is a mapping, which would become a list of its keys if
// iterated.
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
    // The array is of pandas. In arrays of numpy's own types NaN is a value.
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
  const nb::object number = Stolen(PyNumber_Index(value.ptr()));
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
    const nb::object object = Stolen(PyBytes_FromObject(value.ptr()));
    AddBytes(ViewOf(nb::borrow<nb::bytes>(object)));
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

// Makes an Example, or a SequenceExample if `lists` is a dict. If `kinds` come
// from a plan, values are converted to the kind of their key, and a value that
// cannot be converted raises TypeError or ValueError. Otherwise an empty list
// has no kind. `kinds` may be null.
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

[[noreturn]] void RaiseMixed(const Status& error) {
  ErrorInfo info = *error.info();
  if (info.code == ErrorCode::kWrongKind) {
    info.message +=
        "; a writer with spec= converts, and mixed_kinds=True lets them differ";
  }
  Raise(Status(std::move(info)));
}

nb::object SerializeExample(const nb::dict& features) {
  return ToBytes(
      Check(SerializeMessage(MakeMessage(features, nb::none(), nullptr))));
}

nb::object SerializeSequence(const nb::dict& context, const nb::dict& lists) {
  return ToBytes(Check(SerializeMessage(MakeMessage(context, lists, nullptr))));
}

using Records = std::vector<std::string>;

Records Encode(const ArrowSchema& schema, const ArrowArray& batch,
               const EncodeOptions& options) {
  Result<Records> records =
      WithoutGil([&] { return EncodeExamples(schema, batch, options); });
  if (!records.ok() && options.kinds && options.kinds->learns()) {
    RaiseMixed(records.status());
  }
  return Check(std::move(records));
}

template <class Use>
void EncodeEach(const nb::object& given, const EncodeOptions& options,
                Use use) {
  const nb::object data = CheckedArrow(given);
  if (!data.is(given)) {
    for (const nb::handle batch : nb::iter(data)) {
      const ImportedArray imported(batch);
      use(Encode(imported.schema(), imported.array(), options));
    }
    return;
  }
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
  const EncodeOptions options{.allow_narrowing = cast};
  EncodeEach(data, options, [&](const Records& records) {
    for (const std::string& record : records) list.append(ToBytes(record));
  });
  return list;
}

// Decides which records a writer accepts.
class RecordCheck {
 public:
  // Accepts the records that the plan can read. Without a plan, accepts those
  // whose keys keep their kinds; with `mixed_kinds`, any.
  RecordCheck(const PyPlan* plan, bool mixed_kinds) {
    if (plan != nullptr) {
      kinds_.emplace(plan->plan());
      plan_ = plan->plan();
      decoder_.emplace(plan_, kUnlimited);
    } else if (!mixed_kinds) {
      kinds_.emplace();
    }
  }

  const FeatureKinds* kinds() const { return kinds_ ? &*kinds_ : nullptr; }
  void set_kinds(const FeatureKinds& kinds) { kinds_ = kinds; }
  bool has_plan() const { return decoder_.has_value(); }

  void Add(const Message& message) {
    const Status status = kinds_ ? kinds_->Add(message) : Status();
    if (status.ok()) return;
    if (kinds_->learns()) RaiseMixed(status);
    Raise(status);
  }

  // Checks the features of a serialized message. Without a plan all are
  // accepted.
  void AddSerialized(std::string_view record, uint64_t number) {
    if (!has_plan()) return;
    Result<Message> message = ParseMessage(record, plan_.message());
    if (message.ok()) return Add(*message);
    ErrorInfo info = *message.status().info();
    info.record = number;
    info.offset = kUnknown;  // it is an offset in the message; the text has it
    Raise(Status(std::move(info)));
  }

  // Throws unless the plan can read the record.
  void CheckReadable(std::string_view record, uint64_t number) {
    if (has_plan()) Check(StatusOf({&record, 1}, number, &*decoder_));
  }

  // Throws unless the plan can read all of these records; `first` is the number
  // of the first. Releases the GIL.
  void CheckReadable(const Records& records, uint64_t first) const {
    if (!has_plan()) return;
    const std::vector<std::string_view> views(records.begin(), records.end());
    // A separate decoder, since another thread may use decoder_ at the same
    // time.
    Decoder decoder(plan_, kUnlimited);
    constexpr size_t kMax = 256;
    for (size_t i = 0; i < views.size(); i += kMax) {
      const auto block =
          std::span(views).subspan(i, std::min(kMax, views.size() - i));
      Check(WithoutGil([&] { return StatusOf(block, first + i, &decoder); }));
    }
  }

 private:
  // No limit applies: the values are the caller's own, and only this check puts
  // them in a batch.
  static inline const DecodeOptions kUnlimited = {
      .limits = {.max_batch_bytes = std::numeric_limits<size_t>::max()}};

  static Status StatusOf(std::span<const std::string_view> records,
                         uint64_t first, Decoder* decoder) {
    const Result<Batch> batch = decoder->Decode(records);
    if (batch.ok()) return Status();
    ErrorInfo info = *batch.status().info();
    if (info.record != kUnknown) info.record += first;
    return Status(std::move(info));
  }

  std::optional<FeatureKinds> kinds_;
  Plan plan_;
  std::optional<Decoder> decoder_;
};

// Writes records. The GIL guards it; without a GIL, the lock of the Python
// object does.
class PyWriter {
 public:
  PyWriter(const nb::bytes& path, const std::string& compression,
           std::optional<int> level, uint64_t block_bytes, size_t threads,
           bool fsync, const PyPlan* plan, bool mixed_kinds)
      : process_(getpid()),
        check_(plan, mixed_kinds),
        writer_(Check(RecordWriter::Open(
            {path.c_str(), path.size()},
            {.compression = CompressionFrom(nb::cast(compression)),
             .level = level,
             .block_bytes = block_bytes,
             .threads = threads,
             .fsync = fsync}))) {}
  PyWriter(const PyWriter&) = delete;
  PyWriter& operator=(const PyWriter&) = delete;
  // In a forked child the file belongs to the parent, which continues to write
  // it: the writer is leaked, so that the temporary file is not removed.
  ~PyWriter() {
    if (writer_ && !is_of_this_process()) {
      static_cast<void>(new RecordWriter(*std::move(writer_)));
    }
  }

  void Write(const nb::bytes& record) {
    const std::string_view payload = ViewOf(record);
    check_.AddSerialized(payload, open().num_records());
    WriteChecked(payload);
  }

  void WriteFeatures(const nb::dict& features, const nb::object& lists) {
    open();
    const Message message = MakeMessage(features, lists, check_.kinds());
    const std::string payload = Check(SerializeMessage(message));
    check_.Add(message);
    WriteChecked(payload);
  }

  // Writes all rows of a batch if all are good, otherwise none. Works on a copy
  // of the kinds, since another thread may run while the GIL is released.
  void WriteBatch(const nb::object& data, bool cast) {
    open();
    std::optional<FeatureKinds> kinds;
    if (check_.kinds()) kinds = *check_.kinds();
    const EncodeOptions options{.allow_narrowing = cast,
                                .kinds = kinds ? &*kinds : nullptr};
    EncodeEach(data, options, [&](const Records& records) {
      check_.CheckReadable(records, open().num_records());
      if (kinds) check_.set_kinds(*kinds);
      for (const std::string& record : records) Check(open().Write(record));
    });
  }

  // Drops the file before it gets its name; the file of a parent process is
  // left alone.
  void Discard() {
    if (is_of_this_process()) writer_.reset();
  }

  void Close() {
    if (!writer_) return;
    CheckProcess();
    RecordWriter writer = *std::move(writer_);
    writer_.reset();
    Check(WithoutGil([&] { return writer.Close(); }));
  }

  uint64_t num_records() { return open().num_records(); }
  // Whether this process still has to finish the file.
  bool is_open() const { return writer_ && is_of_this_process(); }

 private:
  bool is_of_this_process() const { return getpid() == process_; }
  void WriteChecked(std::string_view payload) {
    check_.CheckReadable(payload, open().num_records());
    Check(open().Write(payload));
  }
  RecordWriter& open() {
    if (!writer_) throw nb::value_error("the writer is closed");
    CheckProcess();
    return *writer_;
  }
  void CheckProcess() const {
    if (is_of_this_process()) return;
    Raise(PyExc_RuntimeError,
          "a writer does not survive a fork; open it in the process that "
          "writes");
  }

  const pid_t process_;
  RecordCheck check_;
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
                    uint64_t, size_t, bool, const PyPlan*, bool>(),
           nb::arg("path"), nb::arg("compression") = "none",
           nb::arg("level").none() = nb::none(),
           nb::arg("block_bytes") = uint64_t{1} << 20, nb::arg("threads") = 1,
           nb::arg("fsync") = false, nb::arg("plan").none() = nb::none(),
           nb::arg("mixed_kinds") = false)
      .def("write", &PyWriter::Write, nb::arg("record"), nb::lock_self())
      .def("write_features", &PyWriter::WriteFeatures, nb::arg("features"),
           nb::arg("feature_lists").none(), nb::lock_self())
      .def("write_batch", &PyWriter::WriteBatch, nb::arg("data"),
           nb::arg("cast"), nb::lock_self())
      .def("discard", &PyWriter::Discard, nb::lock_self())
      .def("close", &PyWriter::Close, nb::lock_self())
      .def_prop_ro("is_open", &PyWriter::is_open, nb::lock_self())
      .def_prop_ro("num_records", &PyWriter::num_records, nb::lock_self());
}

}  // namespace headrace::python
