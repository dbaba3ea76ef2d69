#include "python/src/reader/warnings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <string>
#include <tuple>

#include "python/src/ndarray.h"
#include "python/src/reader/options.h"

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
  const nb::module_ telling =
      nb::module_::import_("headrace.reading.read_report");
  if (report.num_late > 0) {
    telling.attr("warn_of_late")(LateFeatures(report.late), report.num_late);
  }
  const auto warn = [&](NoticeKind kind, const std::string& text) {
    telling.attr("warn_of_notice")(ToText(NameOf(kind)), ToText(text));
  };
  std::vector<Notice> absent;
  for (const Notice& notice : report.notices) {
    if (notice.kind == NoticeKind::kAbsent) {
      absent.push_back(notice);
    } else {
      warn(notice.kind, NoticeText(notice, Words::kPython));
    }
  }
  if (!absent.empty()) warn(NoticeKind::kAbsent, AbsentText(absent, of_part));
}

std::string AbsentTextOf(const nb::list& features, const nb::object& message,
                         bool of_part) {
  std::vector<Notice> absent;
  for (const nb::handle feature : features) {
    const auto [name, in_sequence, has_default] =
        nb::cast<std::tuple<std::string, bool, bool>>(feature);
    absent.push_back(AbsentNotice(
        {.name = name, .in_sequence = in_sequence, .has_default = has_default},
        MessageFrom(message)));
  }
  return AbsentText(absent, of_part);
}

}  // namespace headrace::python
