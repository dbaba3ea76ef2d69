// FileStream reads the stored bytes of a file, a pipe or standard input.

#ifndef HEADRACE_SRC_INPUT_SOURCE_FILE_STREAM_H_
#define HEADRACE_SRC_INPUT_SOURCE_FILE_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/base/interrupt.h"

namespace headrace::source {

class FileStream : public ByteStream {
 public:
  // Opens a path, or "-" for standard input, which is never closed. Fails with
  // kNotFound if the path does not exist, and with kIo for a directory or a
  // file that may not be read; both errors name the file. `interrupt` may be
  // null; `more_flags` are flags of open(2).
  static Result<std::unique_ptr<FileStream>> Open(
      const std::string& path, Interrupt* interrupt = nullptr,
      int more_flags = 0);
  // Opens a file whose name was derived from another's, such as an index. Fails
  // with kInvalidArgument for a pipe or a device, where opening may wait
  // forever.
  static Result<std::unique_ptr<FileStream>> OpenRegular(
      const std::string& path);

  ~FileStream() override;

  // Retries calls that a signal cut short, unless the interrupt is set. Waits
  // if the descriptor is in non-blocking mode.
  Result<size_t> Read(std::span<uint8_t> out) override;
  uint64_t stored_position() const override { return position_; }

  // A regular file opened by its path is read with pread, so it can seek;
  // standard input is read from its current position and cannot.
  bool seekable() const { return seekable_; }
  bool SeekTo(uint64_t position) override;
  bool can_read_at() const override { return seekable_; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override;

  void WillNeed(uint64_t position, uint64_t size) const override;

  // The size of a regular file when it was opened; 0 if unknown. Reading fails
  // if the file ends before that size; bytes after it are read like the others.
  uint64_t size() const { return size_; }
  int descriptor() const { return descriptor_; }

 private:
  FileStream(int descriptor, bool owned, Interrupt* interrupt)
      : descriptor_(descriptor), owned_(owned), interrupt_(interrupt) {}
  Status Examine(bool by_path);
  bool IsInterrupted() const {
    return interrupt_ != nullptr && interrupt_->Ask();
  }
  bool AwaitBytes() const;
  Status Shortage() const;
  // Returns how many of the `got` bytes read at `position` the file still has.
  size_t StillThere(uint64_t position, size_t got) const;

  int descriptor_;
  bool owned_;
  Interrupt* const interrupt_;
  bool seekable_ = false;
  bool ended_ = false;
  uint64_t position_ = 0;
  uint64_t size_ = 0;
  Status failure_;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_FILE_STREAM_H_
