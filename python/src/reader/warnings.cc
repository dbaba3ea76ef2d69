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

nb::list AbsentFeatures(const std::vector<AbsentFeature>& absent) {
  nb::list features;
  for (const AbsentFeature& feature : absent) {
    features.append(nb::make_tuple(ToText(feature.name), feature.in_sequence,
                                   feature.has_default));
  }
  return features;
}

void WarnOf(const ReadReport& report, bool of_part) {
  if (report.num_late == 0 && report.notices.empty()) return;
  const nb::module_ reader = nb::module_::import_("headrace.reader");
  if (report.num_late > 0) {
    reader.attr("_warn_of_late")(LateFeatures(report.late), report.num_late);
  }
  nb::list absent;
  for (const Notice& notice : report.notices) {
    if (notice.kind == NoticeKind::kAbsent) {
      absent.append(nb::make_tuple(ToText(notice.feature), notice.in_sequence,
                                   notice.has_default));
    } else {
      reader.attr("_warn_of_notice")(
          ToText(NameOf(notice.kind)),
          ToText(NoticeText(notice, Words::kPython)));
    }
  }
  if (nb::len(absent) > 0) reader.attr("_warn_of_absent")(absent, of_part);
}

}  // namespace headrace::python
