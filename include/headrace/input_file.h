// InputFile: stored bytes that the caller provides, from object storage, an
// archive or a Python file. ReadOptions::open_input opens them by name.

#ifndef HEADRACE_INPUT_FILE_H_
#define HEADRACE_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "headrace/export.h"
#include "headrace/status.h"

namespace headrace {

// One file from its first byte on, compressed or not. It must not throw.
//
// The reader asks for about 256 KiB at a time and does not read ahead: an
// implementation over slow storage must do its own prefetching.
//
// One thread at a time uses an input. With ReadOptions::threads above 1, each
// call, including that of the destructor, may be on a different thread of the
// reader.
class HEADRACE_EXPORT InputFile {
 public:
  InputFile() = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  virtual ~InputFile() = default;

  // Fills the beginning of `out`, which is not empty, and returns the number of
  // bytes: at least 1, or 0 at the end. More than out.size() is
  // kInvalidArgument. It may block. A failure becomes the reader's, with its
  // code, its message and the file's name; return it only when all bytes before
  // it have been returned. It is not called again after the end or a failure,
  // except after Seek.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;

  // Returns whether Seek works; the answer must not change. If Seek works, the
  // name may also be opened a second time, as for ReadOptions::sample 0.
  virtual bool can_seek() const { return false; }

  // Makes the next Read begin at this byte of the file, counted from 0; from
  // the end on, Read returns 0. A failure is handled like one of the next Read.
  // It is called only if can_seek().
  virtual Status Seek(uint64_t /*position*/) {
    return Status(ErrorCode::kInvalidArgument, "this input cannot seek");
  }

  // Returns the size in bytes of the whole file when it was opened; 0 if
  // unknown. The reader uses it for progress and the size of buffers, and to
  // notice lost bytes: an input that ends earlier is kIo. Bytes beyond this
  // size are read like the others.
  virtual uint64_t size() const { return 0; }
};

// Opens the input of that name; never returns a null pointer. A failure becomes
// the reader's, as for InputFile::Read. It is called by one thread at a time,
// which may be any thread of the reader. It is called again for a name that was
// opened before only if its input can_seek().
using OpenInput =
    std::function<Result<std::unique_ptr<InputFile>>(const std::string& name)>;

}  // namespace headrace

#endif  // HEADRACE_INPUT_FILE_H_
