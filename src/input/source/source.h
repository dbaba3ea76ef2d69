// Source gives the bytes of one file, wherever they come from, as Windows.
//
// It is not thread-safe; its windows may be read from any thread and stay
// unchanged while they are pinned.

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
#include "src/input/deflate/seek_table_builder.h"
#include "src/input/source/window.h"

namespace headrace::source {

class Source {
 public:
  virtual ~Source() = default;

  // Gives the window that begins at stream offset `keep_from` and holds at
  // least `at_least` bytes, fewer only where the stream ends or fails (then
  // tail says which). `keep_from` lies in the last window, or at its end (0 at
  // first). Bytes kept from that window are copied to the head of the new one,
  // so a record that straddles two reads is made whole once; a window that
  // nobody pins is reused. Memory grows with the bytes that arrive, never with
  // `at_least` alone.
  //
  // An error is returned only when no window can be given at all (memory); an
  // unreadable or damaged stream gives the bytes before the damage first, with
  // Tail::kFailed. After kEnd or kFailed, further calls give the bytes from
  // `keep_from` on again, with the same tail.
  virtual Result<Window> Next(uint64_t keep_from, size_t at_least) = 0;

  // Windows go on at this offset of the stream, not before the last window's
  // end, as if all before it had been given; behind the end there is nothing.
  // False, and nothing changed, where only reading leads there.
  virtual bool StartAt(uint64_t /*offset*/) { return false; }

  // Whether ReadAt works: the size of the stream is known, and its bytes can be
  // read in any order. So it is for plain files, and for compressed ones that
  // have a seek table.
  virtual bool can_read_at() const { return false; }
  // The bytes of the stream, if can_read_at(). For compressed files they are
  // claimed by the seek table; inflating tells whether it is right.
  virtual uint64_t stream_size() const { return stored_size(); }
  // Of a compressed file that can be read at any place; otherwise null.
  virtual std::shared_ptr<const compression::SeekTable> seek_table() const {
    return nullptr;
  }

  // Fills `out` with the bytes of the stream from `offset` on, whatever windows
  // were given. Returns how many bytes: fewer than out.size() only where the
  // file ends. Errors name the file. Call it only if can_read_at().
  virtual Result<size_t> ReadAt(uint64_t /*offset*/,
                                std::span<uint8_t> /*out*/) {
    return Status(ErrorCode::kInvalidArgument, "this source cannot seek");
  }

  // These bytes will be read soon: whoever keeps them may begin to fetch them.
  virtual void WillNeed(uint64_t /*offset*/, uint64_t /*size*/) const {}

  // The bytes of the file where they are mapped, which somebody may change;
  // otherwise none.
  virtual std::span<const uint8_t> mapped() const { return {}; }

  // The stream ends at this offset, if not before, and windows reach no
  // further; ReadAt is not concerned. Call it before the first window, and only
  // if can_read_at().
  virtual void EndAt(uint64_t /*offset*/) {}

  // Says why the stream failed: kIo, kDecompress, kLimit or kOutOfMemory;
  // success until a window with Tail::kFailed. The file is filled in, the
  // offset is not: the record room knows where the last complete record ended.
  virtual const Status& failure() const = 0;

  // It was asked for or detected, so it is never kAuto.
  virtual Compression compression() const = 0;
  // Messages name the path, "<stdin>" or "<memory>".
  virtual const std::string& name() const = 0;
  // Progress is counted in bytes of the stored (compressed) file; the total is
  // 0 where it is not known (stdin, pipes).
  virtual uint64_t stored_position() const = 0;
  virtual uint64_t stored_size() const = 0;
};

struct SourceOptions {
  Compression compression = Compression::kAuto;
  bool mmap = false;  // map plain files, which must not shrink
  // 0 chooses: a window is small enough to be still in its core's cache when it
  // is decoded, and seldom shared by threads; larger where batches pin many.
  size_t window_bytes = 0;
  // So many may pin windows at a time.
  size_t batches = 1;
  // Null, or outlives the source. While it is true no batch has asked for the
  // pinned windows, so their number says nothing of batches.
  const bool* all_pinned = nullptr;
  // So many threads inflate the blocks of a compressed file that has a seek
  // table. Any other compressed file is inflated by a thread of its own if this
  // is more than 1, and read by one more if it is more than 2.
  size_t threads = 1;
  // Says where a compressed file can be inflated from, null if that is not
  // known. The caller knows that it is of this file; it is left aside if it is
  // of another compression or size, or of more than limits.max_inflated_bytes.
  std::shared_ptr<const compression::SeekTable> seek_table = nullptr;
  // If there is none: look for one in the file itself, which takes a small read
  // for each gzip member that says its size.
  bool hops_members = false;
  // Null, or what an index of the file says: if it has the members where the
  // file itself says they are, they need not be tested before one of them is
  // read (seekable_stream.h).
  std::shared_ptr<const compression::SeekTable> proof = nullptr;
  // Null, or outlives the source, and is told of all points of a compressed
  // file that is read in order, unless its seek table turns out to be right.
  compression::SeekTableBuilder* table_builder = nullptr;
  Limits limits = {};
  // Null, or outlives the source. Once it is set the stream fails with
  // kCancelled.
  Interrupt* interrupt = nullptr;
};

// "-" is standard input. A directory, a missing or an unreadable file is an
// error here, with the path in it. Compression is detected here, from the first
// bytes (tfrecord.md 2). If no known form fits, the source is opened as kNone
// and the record room reports what the bytes look like (looks_like.h). `mmap`
// applies to uncompressed regular files opened by their path; everything else
// is read.
Result<std::unique_ptr<Source>> OpenFile(const std::string& path,
                                         const SourceOptions& options);

// The caller has opened `input` under that name; a null pointer is
// kInvalidArgument.
Result<std::unique_ptr<Source>> OpenInput(std::unique_ptr<InputFile> input,
                                          const std::string& name,
                                          const SourceOptions& options);

// Opens what `open_input` gives under that name, or, if it is empty, the file.
Result<std::unique_ptr<Source>> OpenNamed(const std::string& name,
                                          const headrace::OpenInput& open_input,
                                          const SourceOptions& options);

// The caller keeps the bytes alive and unchanged as long as the source, its
// windows and all that pins them live. No slack is needed after them.
Result<std::unique_ptr<Source>> OpenMemory(const void* data, size_t size,
                                           const SourceOptions& options);

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_SOURCE_H_
