// SharedReader is a reader that a handle and its streams share.

#ifndef HEADRACE_SRC_C_SHARED_READER_H_
#define HEADRACE_SRC_C_SHARED_READER_H_

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/c/opening.h"

namespace headrace::c {

// Any number of threads may use it together.
class SharedReader {
 public:
  static Result<std::shared_ptr<SharedReader>> Open(
      Opening<ReadOptions> opening);

  const Plan& plan() const { return reader_.plan(); }
  const ArrowOptions& arrow() const { return arrow_; }

  // Exports the next batch; at the end leaves `array` and `schema` unchanged.
  // `schema` may be null. An error is final.
  Status Next(ArrowArray* array, ArrowSchema* schema);
  std::string ReportJson();
  void Cancel() { *is_cancelled_ = true; }

 private:
  using Flag = std::shared_ptr<std::atomic<bool>>;
  SharedReader(Reader reader, ArrowOptions arrow, Flag is_cancelled)
      : reader_(std::move(reader)),
        arrow_(std::move(arrow)),
        is_cancelled_(std::move(is_cancelled)) {}
  Status NextOfReader(ArrowArray* array, ArrowSchema* schema);

  std::mutex mutex_;  // guards reader_ and status_
  Reader reader_;
  const ArrowOptions arrow_;
  const Flag is_cancelled_;
  Status status_;  // the error that ended it early
};

}  // namespace headrace::c

#endif  // HEADRACE_SRC_C_SHARED_READER_H_
