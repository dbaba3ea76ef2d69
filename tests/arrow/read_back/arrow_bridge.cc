// A shared library through which Python gets at the C data interface: fills
// structures whose addresses it is given. 0 is success.

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "headrace/arrow.h"
#include "headrace/reader.h"
#include "src/exchange/arrow/c_export.h"
#include "tests/arrow/cases.h"
#include "tests/arrow/nested_cases.h"

namespace {

using headrace::ArrowOptions;
using headrace::Batch;
using headrace::BytesAs;
using headrace::Reader;
using headrace::Status;

int Answer(const Status& status) { return status.ok() ? 0 : 1; }

int Export(const headrace::arrow::PlanFields& fields,
           const headrace::arrow::ColumnBatch& batch, int bytes_as,
           ArrowSchema* schema, ArrowArray* array) {
  const ArrowOptions options{.bytes_as = static_cast<BytesAs>(bytes_as)};
  Status status = headrace::arrow::ExportFields(fields, options, schema);
  if (!status.ok()) return Answer(status);
  status = headrace::arrow::ExportColumns(batch, Batch(), options, array);
  if (!status.ok()) schema->release(schema);
  return Answer(status);
}

}  // namespace

extern "C" {

int export_case(const char* name, int bytes_as, ArrowSchema* schema,
                ArrowArray* array) {
  for (const headrace::testing::Case& c : headrace::testing::Cases()) {
    if (c.name != name) continue;
    return Export(c.columns->fields(), c.columns->batch(), bytes_as, schema,
                  array);
  }
  for (const auto& c : headrace::testing::NestedCases()) {
    if (c.name != name) continue;
    return Export(c.fields, c.batch, bytes_as, schema, array);
  }
  return 2;
}

int export_stream(const char* path, int bytes_as, size_t batch_size,
                  ArrowArrayStream* stream) {
  auto reader = Reader::Open({path}, {.batch_size = batch_size});
  if (!reader.ok()) return Answer(reader.status());
  return Answer(headrace::ExportStream(
      *std::move(reader), {.bytes_as = static_cast<BytesAs>(bytes_as)},
      stream));
}

}  // extern "C"
