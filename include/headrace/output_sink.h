// OutputSink: a destination for the bytes of a writer that the caller provides:
// object storage, an archive, memory. It is the counterpart of InputFile.

#ifndef HEADRACE_OUTPUT_SINK_H_
#define HEADRACE_OUTPUT_SINK_H_

#include <cstdint>
#include <span>

#include "headrace/export.h"
#include "headrace/status.h"

namespace headrace {

// One output from its first byte on. It must not throw. The writer owns the
// sink, calls it only on the thread inside a call of the writer, and destroys
// it in its own destructor. An output is complete only after Close.
class HEADRACE_EXPORT OutputSink {
 public:
  OutputSink() = default;
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;
  virtual ~OutputSink() = default;

  // Accepts all of `bytes`, which is not empty. The writer may reuse the memory
  // when this returns. One call passes about 256 KiB, or more if the caller
  // wrote more in one call. A failure becomes the writer's, with its code, its
  // message and the output's name; nothing is called after it.
  virtual Status Write(std::span<const uint8_t> bytes) = 0;

  // Called once, by the writer's Close, after all bytes have been written; not
  // called after a failure, nor if the writer is destroyed without Close. A
  // failure becomes the failure of the writer's Close.
  virtual Status Close() { return Status(); }
};

}  // namespace headrace

#endif  // HEADRACE_OUTPUT_SINK_H_
