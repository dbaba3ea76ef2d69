// A source and its interrupt, for readers that use only the caller's thread.

#ifndef HEADRACE_SRC_INPUT_SOURCE_INTERRUPTIBLE_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_INTERRUPTIBLE_SOURCE_H_

#include <memory>
#include <utility>

#include "headrace/status.h"
#include "src/base/interrupt.h"
#include "src/input/source/source.h"

namespace headrace::source {

struct InterruptibleSource {
  // The source asks it. Call EnterCaller before each use of the source.
  std::unique_ptr<Interrupt> interrupt;
  std::unique_ptr<Source> source;
};

// Opens a source with the options of a RecordReader or ByteReader; `open` makes
// it from SourceOptions.
template <class ReaderOptions, class Open>
Result<InterruptibleSource> OpenInterruptible(const ReaderOptions& options,
                                              Open open) {
  InterruptibleSource result;
  result.interrupt = std::make_unique<Interrupt>(options.interrupted);
  result.interrupt->EnterCaller();
  SourceOptions source_options;
  source_options.compression = options.compression;
  source_options.mmap = options.mmap;
  source_options.limits = options.limits;
  if (options.interrupted) source_options.interrupt = result.interrupt.get();
  Result<std::unique_ptr<Source>> source = open(source_options);
  if (!source.ok()) return source.status();
  result.source = *std::move(source);
  return result;
}

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_INTERRUPTIBLE_SOURCE_H_
