// Any thread may read a reader as an Arrow stream.

#ifndef HEADRACE_PYTHON_SRC_READER_STREAM_H_
#define HEADRACE_PYTHON_SRC_READER_STREAM_H_

#include <memory>

#include "headrace/arrow.h"
#include "python/src/reader/core.h"
#include "python/src/reader/input.h"

namespace headrace::python {

// The stream has the rows that the reader has not given yet, and shares the
// reader: each row is given by one of them.
void MakeStream(std::shared_ptr<ReaderCore> core, ArrowOptions options,
                std::shared_ptr<PendingException> pending,
                ArrowArrayStream* out);

}  // namespace headrace::python

#endif  // HEADRACE_PYTHON_SRC_READER_STREAM_H_
