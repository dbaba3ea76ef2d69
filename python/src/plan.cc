// The Python class _core.Plan, headrace.decode without a plan, and the
// serialized messages that callers pass to both.

#include "python/src/plan.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "headrace/example_encoder.h"
#include "headrace/feature_spec.h"
#include "headrace/message.h"
#include "headrace/schema.h"
#include "python/src/arrow_capsule.h"
#include "python/src/error.h"
#include "python/src/reader/allocator.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"
#include "python/src/spec.h"
#include "src/decode/census/block_census.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/message_judge.h"

namespace headrace::python {
namespace {

PyPlan PlanOfSpec(const FeatureSpec& spec, const nb::object& message) {
  const MessageType wanted = MessageFrom(message);
  if (wanted != MessageType::kAuto && wanted != spec.message()) {
    Raise(Status(ErrorCode::kInvalidArgument,
                 "message must be \"" + std::string(NameOf(spec.message())) +
                     "\", as the spec is, got \"" +
                     std::string(NameOf(wanted)) + "\""));
  }
  return PyPlan(Check(Plan::Compile(spec)));
}

// Compiles the tensor representations of a schema.
PyPlan PlanOfSchema(const Schema& schema, const nb::object& message) {
  return PyPlan(Check(Plan::Compile(schema, {}, MessageFrom(message))));
}

// Makes a plan of the columns of a schema, or of those in `names`.
PyPlan ColumnsOfSchema(const Schema& schema, const nb::object& message,
                       const std::optional<std::vector<std::string>>& names) {
  Plan plan = Check(Plan::ForColumnsOf(schema, MessageFrom(message)));
  if (!names) return PyPlan(std::move(plan));
  return PyPlan(Check(plan.Select(*names)));
}

// Returns the columns of a plan: name, kind, and whether it is a feature list.
// A pickle saves them. A plan of tensors has none.
nb::list ColumnsOf(const PyPlan& self) {
  return ToList(self.plan().columns(), [](const ColumnField& column) {
    return nb::make_tuple(ToText(column.name), KindName(column.kind),
                          column.in_sequence);
  });
}

// Returns, for each of the first `most` tensors, the feature of the spec, and
// whether it is a feature list.
nb::list TensorsOf(const PyPlan& self, size_t most) {
  nb::list tensors;
  for (const TensorField& field : self.plan().tensors()) {
    if (nb::len(tensors) == most) break;
    tensors.append(nb::make_tuple(ToTuple(field.feature), field.in_sequence));
  }
  return tensors;
}

PyPlan PlanOfColumns(const nb::object& message, const nb::list& columns,
                     bool sequence_struct) {
  std::vector<ColumnField> fields;
  for (const nb::handle column : columns) {
    const auto [name, kind, in_sequence] =
        nb::cast<std::tuple<std::string, std::string, bool>>(column);
    const std::optional<Kind> known = ParseName<Kind>(kind);
    if (!known) throw nb::value_error("a column has an unknown kind");
    fields.push_back({name, *known, in_sequence});
  }
  const MessageType type = MessageFrom(message);
  if (type == MessageType::kRaw) return PyPlan(Plan::ForRaw());
  return PyPlan(
      Check(Plan::ForColumns(std::move(fields), type, sequence_struct)));
}

// Finds the columns in all records, not in a sample as a Reader does: the
// records are in memory, and no feature may be left out. Skips bad records and
// sets `*first_bad` to the error of the first. Adds notices to `notices`.
Result<Plan> PlanOfRecords(std::span<const std::string_view> records,
                           MessageType type, Status* first_bad,
                           std::vector<Notice>* notices) {
  if (type == MessageType::kRaw) return Plan::ForRaw();
  if (type == MessageType::kAuto) {
    MessageJudge judge;
    for (const std::string_view record : records) judge.Look(record);
    const bool has_lists =
        judge.message() == MessageType::kExample &&
        std::any_of(records.begin(), records.end(), HasFeatureLists);
    type = has_lists ? MessageType::kSequence : judge.message();
  }
  std::vector<NumberedRecord> numbered;
  for (const std::string_view record : records) {
    numbered.push_back({record, numbered.size()});
  }
  BlockCensus counter(type);
  const Status added = counter.Add(numbered, [&](size_t, const Status& status) {
    if (first_bad->ok()) *first_bad = status;
    return Status();
  });
  if (!added.ok()) return added;
  const FeatureCensus& census = counter.census();
  *notices = census.notices();
  return Plan::ForColumns(census.columns(), census.message(),
                          census.has_feature_lists());
}

// Decodes like a reader without a plan, but checks every byte, since a
// malformed record may have features that no other record has.
PyBatch DecodeAll(const nb::object& serialized, const nb::object& message,
                  const nb::dict& options) {
  const SerializedRecords records(serialized);
  const MessageType type = MessageFrom(message);
  DecodeOptions decode = OptionsFrom<DecodeOptions>(options);
  decode.verify_unselected = true;
  Status first_bad;
  ReadReport report;
  const Plan plan = Check(WithoutGil([&] {
    return PlanOfRecords(records.records(), type, &first_bad, &report.notices);
  }));
  Batch decoded = Check(WithoutGil(
      [&] { return Decoder(plan, decode).Decode(records.records()); }));
  WarnOf(report);
  // A feature list whose steps differ in kind has no column, so the decoder
  // does not report it.
  Check(first_bad);
  return {std::move(decoded),
          std::make_shared<BatchLayout>(plan, ArrowOptions())};
}

PyBatch DecodeBatch(const PyPlan& self, const nb::object& serialized) {
  const SerializedRecords records(serialized);
  return self.Decode(records.records());
}

// Returns the result of tf.io.parse_example.
nb::dict ParseExample(const PyPlan& self, const nb::object& serialized) {
  return FieldsOf(DecodeBatch(self, serialized), self.layout()->features);
}

// Returns the result of tf.io.parse_sequence_example: context, feature lists,
// and the lengths of the dense feature lists.
nb::tuple ParseSequenceExample(const PyPlan& self,
                               const nb::object& serialized) {
  const PyBatch batch = DecodeBatch(self, serialized);
  const nb::dict sequence = FieldsOf(batch, self.layout()->feature_lists);
  nb::dict lengths;
  for (const auto& [name, tensor] : sequence) {
    if (!nb::isinstance<PyTensor>(tensor)) continue;
    lengths[name] = tensor.attr("lengths");
  }
  return nb::make_tuple(FieldsOf(batch, self.layout()->features), sequence,
                        lengths);
}

// Returns the result of tensorflow_ranking. If the context and the Examples
// have the same name, it is the name of the tensor of the context.
nb::dict ParseElwc(const PyPlan& self, const nb::object& serialized) {
  return FieldsOf(DecodeBatch(self, serialized), self.layout()->fields);
}

// Throws TypeError for an array of another type, otherwise ValueError.
[[noreturn]] void RaiseArrow(const Status& error) {
  ErrorInfo info = *error.info();
  if (!info.expected.empty()) {
    Raise(PyExc_TypeError,
          "serialized: expected an Arrow array of binary values, got type \"" +
              info.found + "\"");
  }
  const bool is_value = info.record != kUnknown;
  info.message = (is_value ? "serialized[" + std::to_string(info.record) + "] "
                           : std::string("the Arrow array ")) +
                 info.message;
  Raise(Status(std::move(info)));
}

}  // namespace

SerializedRecords::SerializedRecords(const nb::object& object) {
  if (!nb::isinstance<nb::list>(object) && !nb::isinstance<nb::tuple>(object) &&
      nb::hasattr(object, "__arrow_c_array__")) {
    TakeArrow(object);
  } else {
    TakeSequence(object);
  }
}

void SerializedRecords::TakeSequence(const nb::object& object) {
  if (nb::isinstance<nb::bytes>(object)) {
    throw nb::type_error(
        "serialized: expected a list of bytes, got bytes; wrap a single "
        "message in a list");
  }
  if (nb::isinstance<nb::str>(object) || !nb::hasattr(object, "__iter__")) {
    RaiseWrongType("serialized", "a list of bytes or an Arrow array", object);
  }
  const nb::object dtype = nb::getattr(object, "dtype", nb::none());
  const nb::object kind = nb::getattr(dtype, "kind", nb::none());
  if (kind.equal(nb::str("S"))) {
    throw nb::type_error(
        "serialized: a numpy array of fixed-width bytes drops zero bytes at "
        "the end of each; use dtype=object");
  }
  // A copy, since a list may change while it is decoded.
  owner_ = Stolen(PySequence_Tuple(object.ptr()));
  const size_t size = nb::len(owner_);
  records_.reserve(size);
  for (size_t i = 0; i < size; ++i) {
    PyObject* item = PyTuple_GetItem(owner_.ptr(), static_cast<Py_ssize_t>(i));
    if (!PyBytes_Check(item)) {
      RaiseWrongType("serialized[" + std::to_string(i) + "]", "bytes", item);
    }
    char* data = nullptr;
    Py_ssize_t length = 0;
    PyBytes_AsStringAndSize(item, &data, &length);
    records_.emplace_back(data, static_cast<size_t>(length));
  }
}

void SerializedRecords::TakeArrow(const nb::object& object) {
  const auto imported = std::make_shared<ImportedArray>(CheckedArrow(object));
  auto values = BinaryValues(imported->schema(), imported->array());
  if (!values.ok()) RaiseArrow(values.status());
  records_ = *std::move(values);
  arrow_ = imported;
}

PyPlan::PyPlan(Plan plan)
    : PyPlan(std::make_shared<BatchLayout>(std::move(plan), ArrowOptions())) {}

PyPlan PyPlan::With(const nb::dict& options) const {
  ArrowOptions arrow = OptionsFrom<ArrowOptions>(options);
  arrow.files = layout_->arrow.files;
  PyPlan plan(std::make_shared<BatchLayout>(layout_->plan, std::move(arrow)));
  plan.options_ = OptionsFrom<DecodeOptions>(options);
  plan.pending_ = std::make_shared<PendingException>();
  plan.options_.allocator = AllocatorByPython(options, plan.pending_);
  plan.refuses_other_ = options.contains("refuses_other");
  if (options.contains("knows_other")) {
    plan.kept_->teller.Know(NoticeKind::kOtherMessage);
  }
  return plan;
}

Result<Batch> PyPlan::DecodeKept(std::span<const std::string_view> records,
                                 ReadReport* fresh) const {
  if (!kept_->decoder) {
    kept_->decoder.emplace(plan(), options_);
    kept_->teller.BeginAnother();
  }
  Result<Batch> batch = kept_->decoder->Decode(records);
  const ReadReport& report = kept_->decoder->report();
  if (refuses_other_ && options_.on_absent != OnAbsent::kIgnore) {
    for (const Notice& notice : report.notices) {
      if (notice.kind != NoticeKind::kOtherMessage) continue;
      return Status(ErrorCode::kMalformed, NoticeText(notice, Words::kPython));
    }
  }
  if (batch.ok()) {
    if (!kept_->teller.HasTold(report)) *fresh = kept_->teller.Take(report);
  } else if (options_.on_absent == OnAbsent::kError) {
    // A decoder judges the message by the first records it gets; the next call
    // may have others.
    kept_->decoder.reset();
  }
  return batch;
}

PyBatch PyPlan::Decode(std::span<const std::string_view> records) const {
  ReadReport fresh;
  Result<Batch> batch = WithoutGil([&] {
    const std::unique_lock lock(kept_->mutex, std::try_to_lock);
    return lock.owns_lock() ? DecodeKept(records, &fresh)
                            : Decoder(plan(), options_).Decode(records);
  });
  if (pending_) pending_->Check(batch.status());
  PyBatch decoded{Check(std::move(batch)), layout_};
  WarnOf(fresh);
  return decoded;
}

ReadReport PyPlan::Report(std::vector<AbsentFeature>* untold) const {
  const nb::gil_scoped_release release;
  const std::lock_guard lock(kept_->mutex);
  if (!kept_->decoder) return ReadReport();
  *untold = kept_->teller.Untold(kept_->decoder->report());
  return kept_->decoder->report();
}

void BindPlan(nb::module_& m) {
  m.def("decode", &DecodeAll, nb::arg("serialized").none(),
        nb::arg("message").none(), nb::arg("options"));
  nb::class_<PyPlan>(m, "Plan")
      .def_static("of_spec", &PlanOfSpec, nb::arg("spec"),
                  nb::arg("message") = nb::none())
      .def_static("of_schema", &PlanOfSchema, nb::arg("schema"),
                  nb::arg("message") = nb::none())
      .def_static("columns_of_schema", &ColumnsOfSchema, nb::arg("schema"),
                  nb::arg("message") = nb::none(),
                  nb::arg("names") = nb::none())
      .def_static("of_columns", &PlanOfColumns, nb::arg("message"),
                  nb::arg("columns"), nb::arg("sequence_struct"))
      .def_prop_ro("columns", &ColumnsOf)
      .def_prop_ro(
          "has_sequence_struct",
          [](const PyPlan& self) { return self.plan().has_sequence_struct(); })
      .def_prop_ro("vocabulary_files",
                   [](const PyPlan& self) {
                     return ToList(self.plan().vocabulary_files(),
                                   [](const VocabularyFile& file) {
                                     return nb::make_tuple(ToText(file.path),
                                                           file.digest);
                                   });
                   })
      .def_static("raw", [] { return PyPlan(Plan::ForRaw()); })
      .def_prop_ro(
          "message",
          [](const PyPlan& self) { return NameOf(self.plan().message()); })
      .def_prop_ro("names",
                   [](const PyPlan& self) {
                     return nb::list(nb::object(self.layout()->names));
                   })
      .def("_tensors", &TensorsOf, nb::arg("most"))
      .def("_with", &PyPlan::With, nb::arg("options"))
      .def("_report",
           [](const PyPlan& self) {
             std::vector<AbsentFeature> untold;
             const ReadReport report = self.Report(&untold);
             nb::dict dict;
             dict["untold"] = AbsentFeatures(untold);
             dict["late"] = LateFeatures(report.late);
             dict["num_late"] = report.num_late;
             dict["absent"] = AbsentFeatures(report.absent);
             dict["num_lists_left_out"] = report.num_lists_left_out;
             return dict;
           })
      .def("parse_example", &ParseExample, nb::arg("serialized").none())
      .def("parse_sequence_example", &ParseSequenceExample,
           nb::arg("serialized").none())
      .def("parse_elwc", &ParseElwc, nb::arg("serialized").none())
      .def("decode", &DecodeBatch, nb::arg("serialized").none())
      .def("__arrow_c_schema__",
           [](const PyPlan& self) { return LayoutSchema(*self.layout()); })
      .def("__str__",
           [](const PyPlan& self) { return ToText(self.plan().ToString()); });
}

}  // namespace headrace::python
