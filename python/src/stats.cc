// The Python classes _core.FeatureStats and _core.StatsSummary, from which
// headrace/stats/__init__.py makes Stats.

#include "headrace/stats.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/plan.h"
#include "python/src/reader/options.h"
#include "python/src/reader/warnings.h"
#include "src/plan/infer/message_judge.h"

namespace headrace::python {
namespace {

std::string PathText(std::string_view name, bool in_sequence) {
  return (in_sequence ? "##SEQUENCE##." : "") + std::string(name);
}

// Counts serialized records in memory; the name of their file is "".
void AddRecords(FeatureStats* self, const nb::object& serialized) {
  const SerializedRecords records(serialized);
  Check(WithoutGil([&] {
    std::vector<NumberedRecord> numbered;
    uint64_t number = self->num_records();
    for (const std::string_view record : records.records()) {
      numbered.push_back({record, number++});
    }
    return self->AddRecords(
        "", numbered, [](size_t, const Status& refused) { return refused; });
  }));
}

// Counts the records of a raw batch, file by file.
Status AddRawBatch(FeatureStats* self, const Batch& batch,
                   std::span<const std::string> files) {
  const auto payloads = batch.columns()[0].bytes();
  const auto origins = batch.origins();
  for (size_t begin = 0; begin < payloads.size();) {
    std::vector<NumberedRecord> numbered;
    const uint32_t file = origins[begin].file;
    size_t end = begin;
    for (; end < payloads.size() && origins[end].file == file; ++end) {
      numbered.push_back({payloads[end], origins[end].record});
    }
    const Status added = self->AddRecords(files[file], numbered,
                                          [&](size_t i, const Status& refused) {
                                            ErrorInfo info = *refused.info();
                                            info.file = files[file];
                                            info.record = numbered[i].number;
                                            return Status(std::move(info));
                                          });
    if (!added.ok()) return added;
    begin = end;
  }
  return Status();
}

void AddBatch(FeatureStats* self, const PyBatch& batch,
              const std::vector<std::string>& files) {
  Check(WithoutGil([&] {
    return batch.layout->plan.message() == MessageType::kRaw
               ? AddRawBatch(self, batch.batch, files)
               : self->Add(batch.batch, files);
  }));
}

// Returns the message of the records of a raw batch.
std::string MessageOf(const PyBatch& batch) {
  MessageJudge judge;
  for (const std::string_view payload : batch.batch.columns()[0].bytes()) {
    if (judge.WantsMore()) judge.Look(payload);
  }
  return std::string(NameOf(Check(CountableMessage(judge.message()))));
}

// Returns the options for counting records, whose message must be given.
StatsOptions CheckedOptions(const nb::dict& options) {
  StatsOptions stats = StatsOptionsFrom(options);
  if (stats.message != MessageType::kExample &&
      stats.message != MessageType::kSequence) {
    Raise(Status(ErrorCode::kInvalidArgument,
                 "statistics need message \"example\" or \"sequence\", got "
                 "message \"" +
                     std::string(NameOf(stats.message)) + "\""));
  }
  return stats;
}

FeatureStats ParseStats(const nb::bytes& data) {
  const std::string_view text = ViewOf(data);
  return Check(WithoutGil([text] { return FeatureStats::Parse(text); }));
}

std::string PageOf(const StatsSummary& self, std::string title,
                   std::string name, std::string other_name, bool fragment,
                   const StatsSummary* other) {
  const nb::gil_scoped_release release;
  return StatsPage(self,
                   {.title = std::move(title),
                    .name = std::move(name),
                    .other_name = std::move(other_name),
                    .fragment = fragment},
                   other);
}

nb::object KindText(bool there, Kind kind) {
  return there ? nb::object(ToText(KindName(kind))) : nb::none();
}

nb::list DifferencesOf(const StatsSummary& self, const StatsSummary& other) {
  const auto tuple_of = [](const FeatureDifference& found) {
    return nb::make_tuple(
        ToText(PathText(found.name, found.in_sequence)),
        nb::make_tuple(KindText(found.in_first, found.first_kind),
                       KindText(found.in_second, found.second_kind)),
        nb::make_tuple(found.first_presence, found.second_presence), found.linf,
        found.js_divergence, found.distance());
  };
  return ToList(CompareStats(self, other), tuple_of);
}

nb::list AnomaliesOf(const StatsSummary& self, const Schema& schema,
                     const std::string& environment,
                     const StatsSummary* previous,
                     const StatsSummary* serving) {
  return ToList(FindAnomalies(self, schema, environment, previous, serving),
                [](const Anomaly& found) {
                  return nb::make_tuple(
                      ToText(found.feature), ToText(found.type),
                      ToText(found.short_text), ToText(found.text));
                });
}

nb::list RemarksOf(const StatsSummary& self) {
  return ToList(FindRemarks(self), [](const Remark& found) {
    return nb::make_tuple(ToText(PathText(found.feature, found.in_sequence)),
                          ToText(NameOf(found.reason)), ToText(found.text));
  });
}

void BindSummary(nb::module_& m) {
  nb::class_<StatsSummary>(m, "StatsSummary")
      .def_prop_ro("num_records",
                   [](const StatsSummary& self) { return self.records; })
      .def_prop_ro("num_bytes",
                   [](const StatsSummary& self) { return self.bytes; })
      .def_prop_ro("num_bad",
                   [](const StatsSummary& self) { return self.bad_records; })
      .def_prop_ro("num_regions",
                   [](const StatsSummary& self) { return self.regions; })
      .def("to_json",
           [](const StatsSummary& self) { return ToText(StatsJson(self)); })
      .def("to_tfdv",
           [](const StatsSummary& self) { return ToBytes(StatsTfdv(self)); })
      .def("page", &PageOf, nb::arg("title"), nb::arg("name"),
           nb::arg("other_name"), nb::arg("fragment"), nb::arg("other").none())
      .def("compare", &DifferencesOf, nb::arg("other"))
      .def("anomalies", &AnomaliesOf, nb::arg("schema"), nb::arg("environment"),
           nb::arg("previous").none(), nb::arg("serving").none())
      .def("remarks", &RemarksOf)
      .def(
          "infer_schema",
          [](const StatsSummary& self, bool domains, size_t max_string_domain) {
            return InferSchema(self, {.domains = domains,
                                      .max_string_domain = max_string_domain});
          },
          nb::arg("domains"), nb::arg("max_string_domain"));
}

}  // namespace

void BindStats(nb::module_& m) {
  BindSummary(m);
  m.def("message_of", &MessageOf, nb::arg("batch"));
  nb::class_<FeatureStats>(m, "FeatureStats")
      .def(
          "__init__",
          [](FeatureStats* self, const nb::dict& options) {
            new (self) FeatureStats(CheckedOptions(options));
          },
          nb::arg("options"))
      .def("add", &AddBatch, nb::arg("batch"), nb::arg("files"))
      .def("add_records", &AddRecords, nb::arg("serialized").none())
      .def(
          "merge",
          [](FeatureStats& self, const FeatureStats& other) {
            Check(self.Merge(other));
          },
          nb::arg("other"))
      .def("tell",
           [](const FeatureStats& self) {
             ReadReport report;
             report.notices = self.notices();
             WarnOf(report);
           })
      .def("summary", &FeatureStats::Summary,
           nb::call_guard<nb::gil_scoped_release>())
      .def("serialize",
           [](const FeatureStats& self) { return ToBytes(self.Serialize()); })
      .def_static("parse", &ParseStats, nb::arg("data"));
}

}  // namespace headrace::python
