// OutputSink: where written bytes go, provided by the caller: object storage,
// an archive, memory. The counterpart of InputFile.

#ifndef HEADRACE_OUTPUT_SINK_H_
#define HEADRACE_OUTPUT_SINK_H_

#include <cstdint>
#include <span>

#include "headrace/status.h"

namespace headrace {

// One output, from its first byte on. Nothing may throw. The writer owns it,
// calls it only on the thread that is in a call of the writer, and destroys it
// with itself. An output is whole once Close was called, and no sooner.
class OutputSink {
 public:
  OutputSink() = default;
  OutputSink(const OutputSink&) = delete;
  OutputSink& operator=(const OutputSink&) = delete;
  virtual ~OutputSink() = default;

  // Takes all of these bytes, of which there is at least one; they are the
  // writer's again when this returns. About 256 KiB at a time, and what is
  // larger at once. A failure is the writer's failure, with its code and its
  // message, in the name of the output; nothing is called after it.
  virtual Status Write(std::span<const uint8_t> bytes) = 0;

  // All bytes have been written: called once, by Close of the writer. Not where
  // something failed before, or the writer is destroyed without Close. A
  // failure is that of the writer's Close.
  virtual Status Close() { return Status(); }
};

}  // namespace headrace

#endif  // HEADRACE_OUTPUT_SINK_H_
