// Source serves the uncompressed bytes of one file or other input as Windows.
//
// Not thread-safe. Its windows may be read from any thread and stay unchanged
// while they are pinned.

#ifndef HEADRACE_SRC_INPUT_SOURCE_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/interrupt.h"
#include "src/input/deflate/seek_table.h"
#include "src/input/source/window.h"

namespace headrace::source {

class Source {
 public:
  virtual ~Source() = default;

  // Returns the window that begins at stream offset `keep_from` and holds at
  // least `at_least` bytes, or fewer if the stream ends or fails (Window::tail
  // says which). `keep_from` is in the last window or at its end (0 at first).
  // Bytes kept from that window are copied to the front of the new one, so a
  // record that straddles two reads is assembled once; a window that nobody
  // pins is reused. Memory grows with the bytes that arrive, never just because
  // `at_least` is large.
  //
  // Returns an error only if no window can be made at all (memory). An
  // unreadable or damaged stream yields the bytes before the damage first, with
  // Tail::kFailed. After kEnd or kFailed, further calls return the bytes from
  // `keep_from` on again, with the same tail.
  virtual Result<Window> Next(uint64_t keep_from, size_t at_least) = 0;

  // Continues at this offset of the stream, at or after the last window's end,
  // as if all bytes before it had been returned; beyond the end there is
  // nothing. Returns false and changes nothing if the source can get there only
  // by reading.
  virtual bool StartAt(uint64_t /*offset*/) { return false; }

  // Whether ReadAt works: the size of the stream is known, and its bytes can be
  // read in any order. True for plain files, and for compressed ones with a
  // seek table.
  virtual bool can_read_at() const { return false; }
  // The size of the stream in bytes, if can_read_at(). For compressed files it
  // is a claim of the seek table, which only inflating can verify.
  virtual uint64_t stream_size() const { return stored_size(); }
  // The seek table of a compressed file that can be read at any offset;
  // otherwise null.
  virtual std::shared_ptr<const compression::SeekTable> seek_table() const {
    return nullptr;
  }

  // Fills `out` with the bytes of the stream from `offset` on, independently of
  // windows. Returns the number of bytes: fewer than out.size() only at the end
  // of the file. Errors name the file. Call it only if can_read_at().
  virtual Result<size_t> ReadAt(uint64_t /*offset*/,
                                std::span<uint8_t> /*out*/) {
    return Status(ErrorCode::kInvalidArgument, "this source cannot seek");
  }

  // A hint that these bytes will be read soon, so fetching them may begin.
  virtual void WillNeed(uint64_t /*offset*/, uint64_t /*size*/) const {}

  // The bytes of a mapped file, which other processes may change; empty for
  // other sources.
  virtual std::span<const uint8_t> mapped() const { return {}; }

  // Ends the stream at this offset, if it does not end before; ReadAt is not
  // affected. Call it before the first window, and only if can_read_at().
  virtual void EndAt(uint64_t /*offset*/) {}

  // Why the stream failed: kIo, kDecompress, kLimit, kOutOfMemory, kCancelled,
  // or an InputFile's error; success until a window has Tail::kFailed. Names
  // the file but no offset: src/input/record knows where the last record ended.
  virtual const Status& failure() const = 0;

  // As asked for or detected, never kAuto.
  virtual Compression compression() const = 0;
  // The path, "<stdin>" or "<memory>", for messages.
  virtual const std::string& name() const = 0;
  // Progress in bytes of the stored (compressed) file; the size is 0 if unknown
  // (stdin, pipes).
  virtual uint64_t stored_position() const = 0;
  virtual uint64_t stored_size() const = 0;
};

struct SourceOptions {
  Compression compression = Compression::kAuto;
  bool mmap = false;  // map plain files, which must not shrink
  // 0 lets the source choose. Usually a window is so small that it is still in
  // its core's cache when it is decoded, and that threads seldom share it.
  // While batches pin many windows, new ones are larger.
  size_t window_bytes = 0;
  // Number of batches that may pin windows at the same time.
  size_t batches = 1;
  // Null, or outlives the source. While it is true, windows stay pinned whether
  // or not a batch needs them, so their number says nothing about batches.
  const bool* all_pinned = nullptr;
  // Threads that inflate the blocks of a compressed file with a seek table. Any
  // other compressed file is inflated on a separate thread if this is more than
  // 1, and read on another one if it is more than 2.
  size_t threads = 1;
  // Where a compressed file can be inflated from; null if unknown. The caller
  // knows that the table belongs to this file. It is ignored if the compression
  // or size differs, or if it exceeds limits.max_inflated_bytes.
  std::shared_ptr<const compression::SeekTable> seek_table = nullptr;
  // Without a seek_table, look for one in the file itself, which takes a small
  // read for each gzip member that stores its size.
  bool hops_members = false;
  // Null, or the table of an index of the file. If the index and the file
  // itself have the members in the same places, these places need not be tested
  // before a member is read (seekable_stream.h).
  std::shared_ptr<const compression::SeekTable> proof = nullptr;
  // Null, or outlives the source. Collects all points of a compressed file that
  // is read in order, unless its seek table turns out to be right.
  compression::SeekTableBuilder* table_builder = nullptr;
  Limits limits = {};
  // Null, or outlives the source. Once set, the stream fails with kCancelled.
  Interrupt* interrupt = nullptr;
};

// Opens a file, or standard input for "-". Fails, with the path in the error,
// for a directory and for a missing or unreadable file. Detects compression
// from the first bytes (docs/formats/tfrecord.md, "Compression"). If no known
// form fits, the source is opened as kNone, and src/input/record reports what
// the bytes look like (detect.h). `mmap` applies to uncompressed regular files
// opened by their path; everything else is read.
Result<std::unique_ptr<Source>> OpenFile(const std::string& path,
                                         const SourceOptions& options);

// Opens `input` under that name. Fails with kInvalidArgument for a null
// pointer.
Result<std::unique_ptr<Source>> OpenInput(std::unique_ptr<InputFile> input,
                                          const std::string& name,
                                          const SourceOptions& options);

// Opens the InputFile that `open_input` returns for that name, or the file of
// that name if `open_input` is empty.
Result<std::unique_ptr<Source>> OpenNamed(const std::string& name,
                                          const headrace::OpenInput& open_input,
                                          const SourceOptions& options);

// The caller keeps the bytes alive and unchanged as long as the source, its
// windows or anything that pins those lives. They need no slack.
Result<std::unique_ptr<Source>> OpenMemory(const void* data, size_t size,
                                           const SourceOptions& options);

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_SOURCE_H_
