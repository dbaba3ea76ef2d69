#include "python/src/reader/warnings.h"

#include "python/src/ndarray.h"

namespace headrace::python {

nb::list LateFeatures(const std::vector<LateFeature>& late) {
  nb::list features;
  for (const LateFeature& feature : late) {
    features.append(nb::make_tuple(ToText(feature.name),
                                   ToText(KindName(feature.kind)), feature.rows,
                                   feature.in_columns, feature.in_sequence));
  }
  return features;
}

nb::list AbsentFeatures(const ReadReport& report) {
  nb::list absent;
  for (const AbsentFeature& feature : report.absent) {
    absent.append(nb::make_tuple(ToText(feature.name), feature.in_sequence,
                                 feature.has_default));
  }
  return absent;
}

void WarnOf(const ReadReport& report) {
  const nb::module_ reader = nb::module_::import_("headrace.reader");
  if (report.num_late > 0) {
    reader.attr("_warn_of_late")(LateFeatures(report.late), report.num_late);
  }
  if (!report.absent.empty()) {
    reader.attr("_warn_of_absent")(AbsentFeatures(report));
  }
}

}  // namespace headrace::python
