#include "python/src/late.h"

#include "python/src/ndarray.h"

namespace headrace::python {

nb::list LateFeatures(const ReadReport& report) {
  nb::list late;
  for (const LateFeature& feature : report.late) {
    late.append(nb::make_tuple(ToText(feature.name),
                               ToText(KindName(feature.kind)), feature.rows,
                               feature.in_columns, feature.in_sequence));
  }
  return late;
}

void WarnOfLate(const ReadReport& report) {
  nb::module_::import_("headrace.reader")
      .attr("_warn_of_late")(LateFeatures(report), report.num_late);
}

}  // namespace headrace::python
