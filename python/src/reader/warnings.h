// Warns once of each kind of data that was left out, and of each feature that
// is only in the plan or only in the data.

#ifndef HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
#define HEADRACE_PYTHON_SRC_READER_WARNINGS_H_

#include <nanobind/nanobind.h>

#include <cstddef>
#include <string>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"

namespace headrace::python {

namespace nb = nanobind;

// Remembers the notices that the user has seen, so that each is shown once. It
// does not use Python.
class Teller {
 public:
  // Returns the notices and late features of the report that are new, and
  // remembers them. A feature is reported once, whether misspelt or absent.
  // Late features are reported once in all. If they include feature lists, the
  // notice of left-out feature lists is not returned.
  ReadReport Take(const ReadReport& report);
  // Returns the absent features of the report that were not reported yet.
  std::vector<AbsentFeature> Untold(const ReadReport& report) const;
  // Marks a kind of notice as already known to the user.
  void Know(NoticeKind kind) { told_.push_back({.kind = kind}); }
  // Announces that the next report is from another reader or decoder.
  void BeginAnother() { num_seen_ = 0; }
  // Whether Take would return nothing. Costs two comparisons.
  bool HasTold(const ReadReport& report) const {
    return report.notices.size() == num_seen_ &&
           (told_late_ || report.num_late == 0);
  }

 private:
  std::vector<Notice> told_;
  size_t num_seen_ = 0;
  bool told_late_ = false;
};

// Return tuples of the fields of LateFeature and AbsentFeature in
// read_report.py. The GIL must be held here and below.
nb::list LateFeatures(const std::vector<LateFeature>& late);
nb::list AbsentFeatures(const std::vector<AbsentFeature>& absent);
// Warns of late features and of all notices in the report; throws if the
// program turns warnings into errors. `of_part`: only a part of the records was
// read.
void WarnOf(const ReadReport& report, bool of_part = false);
// Returns the text of the warning about these AbsentFeatures.
std::string AbsentTextOf(const nb::list& features, const nb::object& message,
                         bool of_part);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_WARNINGS_H_
