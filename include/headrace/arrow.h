// Arrow output: columns and tensors as structures of the Arrow C data
// interface, or as files and streams of Arrow IPC (docs/formats/arrow.md).
//
//   auto writer = headrace::ArrowWriter::Open(
//       "a.arrow", headrace::ArrowFormat::kFile, reader.plan());
//   if (!writer) return writer.status();
//   while (auto batch = reader.Next()) {
//     HEADRACE_RETURN_IF_ERROR(writer->Write(*batch));
//   }
//   HEADRACE_RETURN_IF_ERROR(reader.status());
//   return writer->Close();

#ifndef HEADRACE_ARROW_H_
#define HEADRACE_ARROW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headrace/arrow_c.h"
#include "headrace/batch.h"
#include "headrace/export.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"

namespace headrace {

// How values of kind bytes are exported. kBinary and kLargeBinary copy them
// once, with 32-bit and 64-bit offsets. kBinaryView copies only defaults; its
// arrays point into the pinned input and keep all of it in memory. kString is
// kBinary for UTF-8; a value that is not UTF-8 is kInvalidArgument, with column
// and row. A column with more bytes than 32-bit offsets can hold is kLimit.
enum class BytesAs : uint8_t { kBinary, kLargeBinary, kBinaryView, kString };

// The names are "binary", "large", "view" and "string".
template <>
HEADRACE_EXPORT std::span<const EnumName<BytesAs>> EnumNames();

struct ArrowOptions {
  BytesAs bytes_as = BytesAs::kBinary;
  // Reader::files(), so that errors about a row can name its file. ExportStream
  // sets this itself.
  std::vector<std::string> files = {};
  // Used only by ArrowWriter; see OutputFileOptions.
  TemporaryFiles* temporaries = nullptr;
};

// Exports the type of the plan's batches: a struct with one nullable child per
// column or tensor; feature lists are in the last child, ##SEQUENCE##.
// kInvalidArgument for a name that has a NUL (IPC files allow it) or is not
// UTF-8. On success the caller owns `out` and must call out->release; on
// failure `out` is already released.
HEADRACE_EXPORT Status ExportSchema(const Plan& plan,
                                    const ArrowOptions& options,
                                    ArrowSchema* out);

// Exports the batch as a struct array of the type of ExportSchema. kLimit for
// row splits that 32-bit offsets cannot hold. The caller owns `out` as in
// ExportSchema. It shares the memory of the batch and keeps it alive; children
// may be moved out and released in any order, on any thread.
HEADRACE_EXPORT Status ExportBatch(const Batch& batch,
                                   const ArrowOptions& options,
                                   ArrowArray* out);

// Export only one column or tensor: the child that ExportSchema and ExportBatch
// make for it, with only the errors of this child. `index` is a place in
// plan.columns() or plan.tensors(); kInvalidArgument for any other number. A
// feature list is exported as it is inside ##SEQUENCE##.
HEADRACE_EXPORT Status ExportFieldSchema(const Plan& plan, size_t index,
                                         const ArrowOptions& options,
                                         ArrowSchema* out);
HEADRACE_EXPORT Status ExportField(const Batch& batch, size_t index,
                                   const ArrowOptions& options,
                                   ArrowArray* out);

// Exports the rest of the reader as a stream, which owns the reader. Errors are
// those of ExportSchema; the stream's get_next returns errors of the reader as
// errno, and get_last_error has their text.
HEADRACE_EXPORT Status ExportStream(Reader reader, const ArrowOptions& options,
                                    ArrowArrayStream* out);

enum class ArrowFormat : uint8_t { kFile, kStream };

// Writes an Arrow IPC file or stream. One thread at a time may use it.
class HEADRACE_EXPORT ArrowWriter {
 public:
  // Opens a temporary file that gets its name in Close; "-" is standard output.
  // See RecordWriter::Open. Neither format needs to seek.
  static Result<ArrowWriter> Open(const std::string& path, ArrowFormat format,
                                  const Plan& plan,
                                  const ArrowOptions& options = {});
  // Writes to a sink; see RecordWriter::ToSink. `temporaries` is ignored.
  static Result<ArrowWriter> ToSink(std::unique_ptr<OutputSink> sink,
                                    const std::string& name, ArrowFormat format,
                                    const Plan& plan,
                                    const ArrowOptions& options = {});
  ArrowWriter(ArrowWriter&&) noexcept;
  ArrowWriter& operator=(ArrowWriter&&) noexcept;
  ~ArrowWriter();  // removes the temporary file if Close was not called

  // Appends a record batch. kInvalidArgument if its columns or tensors are not
  // those of the plan given to Open. An error is final: every later call
  // returns it. The bytes written depend only on the values: views are copied
  // compactly. A stream is handed to the operating system batch by batch.
  Status Write(const Batch& batch);
  Status Close();  // as RecordWriter::Close
  uint64_t num_bytes() const;

 private:
  class Impl;
  explicit ArrowWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_ARROW_H_
