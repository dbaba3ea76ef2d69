// Exposes a reader as an Arrow stream, which any thread may read.

#ifndef HEADRACE_PYTHON_SRC_READER_STREAM_H_
#define HEADRACE_PYTHON_SRC_READER_STREAM_H_

#include <memory>

#include "headrace/arrow.h"
#include "python/src/reader/core.h"
#include "python/src/reader/input.h"

namespace headrace::python {

// Makes a stream of the rows that the reader has not returned yet. The stream
// shares the reader: each row is returned by only one of them.
void MakeStream(std::shared_ptr<ReaderCore> core, ArrowOptions options,
                std::shared_ptr<PendingException> pending,
                ArrowArrayStream* out);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_STREAM_H_
