// BatchSource returns columns, whatever kind of file the records are in.

#ifndef HEADRACE_SRC_CLI_CONVERT_BATCH_SOURCE_H_
#define HEADRACE_SRC_CLI_CONVERT_BATCH_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/convert/convert.h"
#include "src/cli/convert/jsonl_records.h"
#include "src/cli/process/console.h"

namespace headrace::cli {

class BatchSource {
 public:
  static Result<BatchSource> Open(const ConvertOptions& options,
                                  const Console& console);

  const Plan& plan() const { return reader_.plan(); }
  // Returns empty at the end; the rows before an error are returned first.
  Result<std::optional<Batch>> Next();
  // Makes a report at each call. For JSON lines it names lines instead of
  // records.
  ReadReport report() const;
  // Returns the report's numbers of regions and rows so far, without its lists.
  ReadReport counts() const;
  uint64_t num_records() const { return reader_.num_records(); }
  uint64_t num_bytes() const {
    return lines_ ? lines_->num_bytes() : reader_.num_bytes();
  }
  // Progress counts stored bytes; the size is 0 if unknown.
  uint64_t stored_position() const {
    return lines_ ? lines_->num_bytes() : reader_.stored_position();
  }
  uint64_t stored_size() const {
    return lines_ ? lines_->stored_size() : reader_.stored_size();
  }
  // Returns the file names to show in errors about rows; empty for JSON lines,
  // whose errors already name the file.
  std::vector<std::string> files() const;
  // Returns `error`, which a row caused, with the row's place.
  Status WithPlace(const Status& error, const RowOrigin& origin) const;

 private:
  BatchSource(std::shared_ptr<JsonlRecords> lines, Reader reader,
              uint64_t max_bad)
      : lines_(std::move(lines)),
        reader_(std::move(reader)),
        max_bad_(max_bad) {}
  std::shared_ptr<JsonlRecords> lines_;  // null: the files are TFRecord
  Reader reader_;
  uint64_t max_bad_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_CONVERT_BATCH_SOURCE_H_
