// ByteReader: the uncompressed bytes of one file, a window after another.
//
// What RecordReader cuts into records: for those who want to know how fast a
// file can be read, or who keep another format behind the same compressions.
// It looks at no record and checks none; a compressed file's own checksums are
// checked. Not thread-safe.

#ifndef HEADRACE_BYTE_READER_H_
#define HEADRACE_BYTE_READER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "headrace/input_file.h"
#include "headrace/limits.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

struct ByteReaderOptions {
  // kAuto goes by the first bytes (docs/formats/tfrecord.md); what is no known
  // form is given as it is.
  Compression compression = Compression::kAuto;
  bool mmap = false;  // see RecordReaderOptions
  // Whether to end: true makes the reader end with kCancelled. Called only on
  // the thread that is in a call of this reader: about once a window (256 KiB)
  // and, while that waits for a pipe or for somebody to write a FIFO, some 20
  // times a second. May be empty; must not throw.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

class ByteReader {
 public:
  // A path, or "-" for standard input.
  static Result<ByteReader> Open(const std::string& path,
                                 const ByteReaderOptions& options = {});

  // What the caller has opened: it is read from where it stands, asked by the
  // thread that is in a call of this reader, and destroyed with the reader, or
  // where this fails. `name` is for errors; `mmap` says nothing. A null pointer
  // is kInvalidArgument.
  static Result<ByteReader> FromInput(std::unique_ptr<InputFile> input,
                                      const std::string& name,
                                      const ByteReaderOptions& options = {});

  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  // The bytes that follow, at least one and a quarter of a MiB or so where
  // there are so many; valid until the next call. Empty at the end of the file.
  // The bytes before an error are given first; the error (kIo, kDecompress,
  // kLimit or kOutOfMemory, its offset being position()) is final and returned
  // by every later call.
  Result<std::optional<std::string_view>> Next();

  // Bytes given so far.
  uint64_t position() const;
  // What was found or asked for; never kAuto.
  Compression compression() const;

 private:
  class Impl;
  explicit ByteReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_BYTE_READER_H_
