// InputFile: stored bytes that the caller provides, of object storage, an
// archive, a Python file. ReadOptions::open_input opens them by name.

#ifndef HEADRACE_INPUT_FILE_H_
#define HEADRACE_INPUT_FILE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "headrace/status.h"

namespace headrace {

// One file, from its first byte on, compressed or not. Nothing may throw.
//
// The reader asks for about 256 KiB at a time and does not read ahead: an input
// whose calls are slow must prefetch by itself.
//
// Used by one thread at a time. Where ReadOptions::threads is above 1 that may
// be another thread for each call, also the one that destroys the input, and
// need not be one that the caller knows.
class InputFile {
 public:
  InputFile() = default;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  virtual ~InputFile() = default;

  // Fills the front of `out`, which is not empty, and returns how many bytes:
  // at least 1, or 0 at the end. Waits for them as long as it takes. A failure
  // is the reader's failure, with its code and its message, in the name of the
  // file; it is returned only when every byte before it has been given. More
  // than out.size() is kInvalidArgument. Not called again after the end or a
  // failure, save after Seek.
  virtual Result<size_t> Read(std::span<uint8_t> out) = 0;

  // Whether Seek works. Always the same of one input. Then the name may also be
  // opened again, which is done where ReadOptions::sample is 0.
  virtual bool can_seek() const { return false; }

  // The next Read begins at this byte of the file, 0 its first. Behind the end
  // there are 0 bytes to read. A failure is that of the next Read. Only called
  // where can_seek().
  virtual Status Seek(uint64_t /*position*/) {
    return Status(ErrorCode::kInvalidArgument, "this input cannot seek");
  }

  // Bytes of the whole file when it was opened; 0 where that is not known. For
  // progress and the size of buffers, and so that lost bytes are noticed: an
  // input that ends before is kIo. Bytes beyond are read like the others.
  virtual uint64_t size() const { return 0; }
};

// Gives the input of that name, never a null pointer. A failure is the
// reader's, as that of InputFile::Read. Called by one thread at a time, which
// may be any, as for InputFile; and again for a name that was opened before
// where its input can_seek().
using OpenInput =
    std::function<Result<std::unique_ptr<InputFile>>(const std::string& name)>;

}  // namespace headrace

#endif  // HEADRACE_INPUT_FILE_H_
