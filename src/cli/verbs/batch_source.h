// BatchSource: columns, whatever kind of file the records come from.

#ifndef HEADRACE_SRC_CLI_VERBS_BATCH_SOURCE_H_
#define HEADRACE_SRC_CLI_VERBS_BATCH_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"
#include "src/cli/console.h"
#include "src/cli/verbs/convert.h"

namespace headrace::cli {

class BatchSource {
 public:
  virtual ~BatchSource() = default;

  virtual const Plan& plan() const = 0;
  const std::vector<ColumnField>& columns() const { return plan().columns(); }
  // Empty at the end; the rows before an error come first.
  virtual Result<std::optional<Batch>> Next() = 0;
  virtual const ReadReport& report() const = 0;
  virtual uint64_t num_records() const = 0;
  virtual uint64_t num_bytes() const = 0;
  // Stored bytes, for progress; the size is 0 where unknown.
  virtual uint64_t stored_position() const { return 0; }
  virtual uint64_t stored_size() const { return 0; }
  // As messages call them; empty when rows are no records of files.
  virtual std::vector<std::string> files() const { return {}; }
  // Where a row comes from, for messages: an error with its place.
  virtual Status WithPlace(Status error, const RowOrigin& origin) const = 0;
};

Result<std::unique_ptr<BatchSource>> OpenTfrecordBatches(
    const ConvertOptions& options, const Console& console);
Result<std::unique_ptr<BatchSource>> OpenJsonlBatches(
    const ConvertOptions& options, const Console& console);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_BATCH_SOURCE_H_
