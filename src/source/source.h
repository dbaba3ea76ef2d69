// Source: bytes of one file, whatever they come from, as Windows.
//
// Not thread-safe; the windows it gives may be read from any thread and stay
// as they are for as long as they are pinned.

#ifndef HEADRACE_SRC_SOURCE_SOURCE_H_
#define HEADRACE_SRC_SOURCE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/interrupt.h"
#include "src/source/window.h"

namespace headrace::source {

class Source {
 public:
  virtual ~Source() = default;

  // The window that begins at stream offset `keep_from` and holds at least
  // `at_least` bytes, fewer only where the stream ends or fails (then tail
  // says which). `keep_from` lies in, or at the end of, the window given last
  // (0 at first). Bytes kept from that window are copied to the head of the
  // new one, so a record that straddles two reads is made whole once; a window
  // that nobody pins is reused. Memory grows with the bytes that arrive, never
  // with `at_least` alone.
  //
  // An error is returned only when no window can be given at all (memory);
  // an unreadable or damaged stream gives the bytes before the damage first,
  // with Tail::kFailed. After a window with kEnd or kFailed, further calls give
  // the bytes from `keep_from` on again, with the same tail.
  virtual Result<Window> Next(uint64_t keep_from, size_t at_least) = 0;

  // Windows go on at this offset of the stream, which is not before the end of
  // the window given last, as if all before it had been given; behind the end
  // there is nothing. False where it can only be reached by reading, and then
  // nothing has changed.
  virtual bool StartAt(uint64_t /*offset*/) { return false; }

  // Why the stream failed: kIo, kDecompress, kLimit or kOutOfMemory. Success
  // until a window with Tail::kFailed has been given. File is filled in, offset
  // is not: the record room knows where the last complete record ended.
  virtual const Status& failure() const = 0;

  // What was found or asked for; never kAuto.
  virtual Compression compression() const = 0;
  // For messages: the path, "<stdin>" or "<memory>".
  virtual const std::string& name() const = 0;
  // Bytes of the stored (compressed) file consumed so far and in all, for
  // progress; the total is 0 where it is not known (stdin, pipes).
  virtual uint64_t stored_position() const = 0;
  virtual uint64_t stored_size() const = 0;
};

struct SourceOptions {
  Compression compression = Compression::kAuto;
  bool mmap = false;  // files only: map instead of pread; must not shrink
  // 0: few enough that a window is still in the cache of its core when it is
  // decoded, and that threads seldom share one; more where batches pin many.
  size_t window_bytes = 0;
  // That may pin windows at a time.
  size_t batches = 1;
  // Outlives the source; null, or true while windows are pinned that no batch
  // has asked for: how many they are then says nothing of batches.
  const bool* all_pinned = nullptr;
  Limits limits = {};
  // Outlives the source; null: nobody to ask. Then the stream fails,
  // kCancelled.
  Interrupt* interrupt = nullptr;
};

// "-" is standard input. A directory, a missing or an unreadable file is an
// error here, with the path in it. Detection of the compression (tfrecord.md 2)
// happens here, from the first bytes. When no known form fits, the source is
// opened as kNone and the record room reports what the bytes look like
// (looks_like.h). `mmap` applies to uncompressed regular files opened by their
// path; everything else is read.
Result<std::unique_ptr<Source>> OpenFile(const std::string& path,
                                         const SourceOptions& options);

// As OpenFile, of what the caller has opened under that name; a null pointer is
// kInvalidArgument.
Result<std::unique_ptr<Source>> OpenInput(std::unique_ptr<InputFile> input,
                                          const std::string& name,
                                          const SourceOptions& options);

// Bytes that the caller keeps alive and unchanged as long as the source, its
// windows and all that pins them live. No slack is needed after them.
Result<std::unique_ptr<Source>> OpenMemory(const void* data, size_t size,
                                           const SourceOptions& options);

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_SOURCE_H_
