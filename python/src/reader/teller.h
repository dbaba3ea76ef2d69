// Teller remembers what the user was told, so that each thing is told once.

#ifndef HEADRACE_PYTHON_SRC_READER_TELLER_H_
#define HEADRACE_PYTHON_SRC_READER_TELLER_H_

#include <cstddef>
#include <vector>

#include "headrace/notice.h"
#include "headrace/reader.h"

namespace headrace::python {

class Teller {
 public:
  // Gives the notices and late features of the report that were not told yet,
  // and remembers them. A feature is told of once, whether it is misspelt or
  // absent; late features are told of once in all, and feature lists that were
  // left out need no notice where they are among these.
  ReadReport Take(const ReadReport& report);
  // Gives the absent features of the report that were not told of.
  std::vector<AbsentFeature> Untold(const ReadReport& report) const;
  // The user knows this already.
  void Know(NoticeKind kind) { told_.push_back({.kind = kind}); }
  // The next report is of another reader or decoder.
  void BeginAnother() { num_seen_ = 0; }
  // Whether Take would give nothing; it costs two comparisons.
  bool HasTold(const ReadReport& report) const {
    return report.notices.size() == num_seen_ &&
           (told_late_ || report.num_late == 0);
  }

 private:
  std::vector<Notice> told_;
  size_t num_seen_ = 0;
  bool told_late_ = false;
};

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_TELLER_H_
