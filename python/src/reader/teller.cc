#include "python/src/reader/teller.h"

#include <algorithm>

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

}  // namespace headrace::python
