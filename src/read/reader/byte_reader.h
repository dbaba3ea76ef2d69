// ByteReader: the uncompressed bytes of one file, one window after another.
//
//   auto reader = headrace::ByteReader::Open("a.tfrecord.gz");
//   if (!reader) return reader.status();
//   while (auto bytes = reader->Next()) Use(*bytes);
//   return reader->status();  // damage ends the loop, too
//
// Use it to measure how fast a file can be read, or to read another format that
// is compressed in one of the same ways. It checks the checksums of the
// compression, but does not look for records; RecordReader does. One thread at
// a time may use it.

#ifndef HEADRACE_SRC_READ_READER_BYTE_READER_H_
#define HEADRACE_SRC_READ_READER_BYTE_READER_H_

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
  // kAuto decides by the first bytes (docs/formats/tfrecord.md). If they fit no
  // rule, the file is read as uncompressed.
  Compression compression = Compression::kAuto;
  bool mmap = false;  // see RecordReaderOptions
  // See RecordReaderOptions.
  std::function<bool()> interrupted = {};
  Limits limits = {};
};

class ByteReader {
 public:
  // Opens a path, or standard input for "-".
  static Result<ByteReader> Open(const std::string& path,
                                 const ByteReaderOptions& options = {});

  // Reads an input that the caller has opened, from its current position.
  // kInvalidArgument for a null pointer. Takes ownership of `input`, even if
  // this call fails. The reader uses `input` only during calls of its own
  // functions, on the caller's thread. `name` is for errors; `mmap` is ignored.
  static Result<ByteReader> FromInput(std::unique_ptr<InputFile> input,
                                      const std::string& name,
                                      const ByteReaderOptions& options = {});

  ByteReader(ByteReader&&) noexcept;
  ByteReader& operator=(ByteReader&&) noexcept;
  ~ByteReader();

  // Returns the next bytes, at least one and usually 256 KiB; empty at the end
  // of the file. They are valid until the next call. An error (kIo,
  // kDecompress, kLimit, kCancelled or kOutOfMemory) is final: every later call
  // returns it. All bytes before it have been returned, and its offset is
  // position().
  Result<std::optional<std::string_view>> Next();

  Status status() const;  // the error that ended the bytes, or success

  // Returns the number of bytes returned so far. Any thread may call it, as
  // long as the reader is neither destroyed nor moved.
  uint64_t position() const;
  Compression compression() const;  // as given, or found for kAuto

 private:
  class Impl;
  explicit ByteReader(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_BYTE_READER_H_
