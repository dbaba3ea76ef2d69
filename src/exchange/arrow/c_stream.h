// ExportArrays makes a stream of the C data interface of whatever gives arrays.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_

#include <memory>

#include "headrace/arrow.h"
#include "headrace/status.h"

namespace headrace::arrow {

// Struct arrays of one type. One thread at a time uses it, and nothing is
// thrown but for want of memory.
class ArraySource {
 public:
  ArraySource() = default;
  ArraySource(const ArraySource&) = delete;
  ArraySource& operator=(const ArraySource&) = delete;
  virtual ~ArraySource() = default;

  virtual Status Schema(ArrowSchema* out) const = 0;
  // Leaves `out`, which is empty, as it is at the end. It is not called again
  // after the end or an error.
  virtual Status Next(ArrowArray* out) = 0;
};

// Fails if the schema cannot be exported. The stream owns the source.
Status ExportArrays(std::unique_ptr<ArraySource> source, ArrowArrayStream* out);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_C_STREAM_H_
