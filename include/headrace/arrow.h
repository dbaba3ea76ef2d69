// Columns and tensors as Arrow: the C data interface, and files and streams of
// the IPC format. Layouts: docs/formats/arrow.md.

#ifndef HEADRACE_ARROW_H_
#define HEADRACE_ARROW_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "headrace/batch.h"
#include "headrace/output_file.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/status.h"

// The structures of the Arrow C data and stream interfaces, under the guards
// that its specification gives, so that several libraries can define them.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif  // ARROW_C_STREAM_INTERFACE

namespace headrace {

// How values of kind bytes leave. kBinary and kLargeBinary (32 and 64-bit
// offsets) copy them once; kBinaryView points into the pinned input, all of
// which an array of it keeps in memory, and copies only defaults; kString is
// kBinary for values that are UTF-8, any other value is kInvalidArgument with
// column and row. More bytes in a column than 32-bit offsets reach are kLimit.
enum class BytesAs : uint8_t { kBinary, kLargeBinary, kBinaryView, kString };

// "binary", "large", "view", "string".
template <>
std::span<const EnumName<BytesAs>> EnumNames();

struct ArrowOptions {
  BytesAs bytes_as = BytesAs::kBinary;
  // Reader::files(), so that errors about a row can name its file. ExportStream
  // knows them by itself.
  std::vector<std::string> files = {};
  // Of an ArrowWriter; see OutputFileOptions.
  TemporaryFiles* temporaries = nullptr;
};

// A struct type with one nullable child a column or tensor of the plan, feature
// lists inside one last child ##SEQUENCE##. On success the caller owns `out`
// and must call out->release; on failure `out` is released. A name with a NUL,
// or that is not UTF-8, is kInvalidArgument: the interface has C strings. In
// files a NUL is fine.
Status ExportSchema(const Plan& plan, const ArrowOptions& options,
                    ArrowSchema* out);

// The batch as a struct array of the type of its plan. Holds a reference to the
// batch; children may be moved out and released in any order, on any thread.
// Row splits that 32-bit offsets cannot hold are kLimit.
Status ExportBatch(const Batch& batch, const ArrowOptions& options,
                   ArrowArray* out);

// One column or tensor alone, the others cost nothing: `index` is that of
// plan.columns(), or of plan.tensors(). Type and array are those of the child
// that ExportSchema and ExportBatch have for it; a feature list is as it is
// inside of ##SEQUENCE##. Errors as there, for this column only;
// kInvalidArgument for an index out of range.
Status ExportFieldSchema(const Plan& plan, size_t index,
                         const ArrowOptions& options, ArrowSchema* out);
Status ExportField(const Batch& batch, size_t index,
                   const ArrowOptions& options, ArrowArray* out);

// The rest of the reader as a stream, which then owns the reader. Errors come
// from get_next, as errno and get_last_error text.
Status ExportStream(Reader reader, const ArrowOptions& options,
                    ArrowArrayStream* out);

enum class ArrowFormat : uint8_t { kFile, kStream };

// Writes Arrow IPC. Not thread-safe.
class ArrowWriter {
 public:
  // As RecordWriter::Open: a temporary file until Close; "-" is standard
  // output. Neither format needs to seek.
  static Result<ArrowWriter> Open(const std::string& path, ArrowFormat format,
                                  const Plan& plan,
                                  const ArrowOptions& options = {});
  // As RecordWriter::ToSink; `temporaries` says nothing.
  static Result<ArrowWriter> ToSink(std::unique_ptr<OutputSink> sink,
                                    const std::string& name, ArrowFormat format,
                                    const Plan& plan,
                                    const ArrowOptions& options = {});
  ArrowWriter(ArrowWriter&&) noexcept;
  ArrowWriter& operator=(ArrowWriter&&) noexcept;
  // Without Close the temporary file is removed.
  ~ArrowWriter();

  // Appends a record batch; its columns or tensors must be those of the plan
  // given to Open, or kInvalidArgument. What is written depends on the values
  // only: views get a compact copy. A stream is handed to the operating system
  // batch by batch. After an error every later call returns it.
  Status Write(const Batch& batch);
  Status Close();
  uint64_t num_bytes() const;

 private:
  class Impl;
  explicit ArrowWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_ARROW_H_
