// ExportArrays makes a stream of the C data interface from a source of arrays.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_

#include <memory>

#include "headrace/arrow.h"
#include "headrace/status.h"

namespace headrace::arrow {

// A source of struct arrays of one type. One thread at a time uses it, and it
// throws nothing but std::bad_alloc.
class ArraySource {
 public:
  ArraySource() = default;
  ArraySource(const ArraySource&) = delete;
  ArraySource& operator=(const ArraySource&) = delete;
  virtual ~ArraySource() = default;

  virtual Status Schema(ArrowSchema* out) const = 0;
  // Sets `out`, which is empty, or leaves it empty at the end. Is not called
  // again after the end or an error.
  virtual Status Next(ArrowArray* out) = 0;
};

// Fails if the schema cannot be exported. The stream owns the source.
Status ExportArrays(std::unique_ptr<ArraySource> source, ArrowArrayStream* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_
