#include "python/src/reader/warnings.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "python/src/ndarray.h"
#include "python/src/reader/options.h"

namespace headrace::python {
namespace {

bool TellsOfFeature(const Notice& notice) {
  return notice.kind == NoticeKind::kMisspelt ||
         notice.kind == NoticeKind::kAbsent;
}

bool SayTheSame(const Notice& a, const Notice& b) {
  if (TellsOfFeature(a) != TellsOfFeature(b)) return false;
  if (!TellsOfFeature(a)) return a.kind == b.kind;
  return a.feature == b.feature && a.in_sequence == b.in_sequence;
}

}  // namespace

ReadReport Teller::Take(const ReadReport& report) {
  ReadReport fresh;
  if (!told_late_ && report.num_late > 0) {
    fresh.late = report.late;
    fresh.num_late = report.num_late;
    told_late_ = true;
  }
  num_seen_ = report.notices.size();
  const bool has_late_lists =
      std::any_of(report.late.begin(), report.late.end(),
                  [](const LateFeature& late) { return late.in_sequence; });
  for (const Notice& notice : report.notices) {
    const bool is_told = std::any_of(
        told_.begin(), told_.end(),
        [&](const Notice& other) { return SayTheSame(notice, other); });
    const bool is_late =
        notice.kind == NoticeKind::kListsLeftOut && has_late_lists;
    if (!is_told && !is_late) fresh.notices.push_back(notice);
  }
  told_.insert(told_.end(), fresh.notices.begin(), fresh.notices.end());
  return fresh;
}

std::vector<AbsentFeature> Teller::Untold(const ReadReport& report) const {
  std::vector<AbsentFeature> untold = report.absent;
  std::erase_if(untold, [this](const AbsentFeature& absent) {
    return std::any_of(told_.begin(), told_.end(), [&](const Notice& told) {
      return TellsOfFeature(told) && told.feature == absent.name &&
             told.in_sequence == absent.in_sequence;
    });
  });
  return untold;
}

nb::list LateFeatures(const std::vector<LateFeature>& late) {
  return ToList(late, [](const LateFeature& feature) {
    return nb::make_tuple(ToText(feature.name), ToText(KindName(feature.kind)),
                          feature.rows, feature.in_columns,
                          feature.in_sequence);
  });
}

nb::list AbsentFeatures(const std::vector<AbsentFeature>& absent) {
  return ToList(absent, [](const AbsentFeature& feature) {
    return nb::make_tuple(ToText(feature.name), feature.in_sequence,
                          feature.has_default);
  });
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
