// MmapSource serves windows of a mapped file.
//
// Callers must ask for it, because nothing repairs a file that shrinks while it
// is mapped: the bytes between its new end and the end of that page read as
// zeros, and reading a later page raises SIGBUS, which ends the process unless
// the program handles it. The library installs no handler. It compares the size
// before each window, so a file that shrank *between* two windows is an
// ordinary failure (kIo); nothing helps while a window is being read.
//
// Writing to the file changes the bytes of windows, so readers must not expect
// the same bytes from a second read (docs/design/whole.md).

#ifndef HEADRACE_SRC_INPUT_SOURCE_MMAP_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_MMAP_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/base/interrupt.h"
#include "src/base/memory/pin.h"
#include "src/input/source/file_stream.h"
#include "src/input/source/source.h"

namespace headrace::source {

class MmapSource : public Source {
 public:
  // Maps `file`, a regular file of known size, and owns it. Fails with kIo if
  // the system refuses.
  static Result<std::unique_ptr<Source>> Open(std::unique_ptr<FileStream> file,
                                              std::string name,
                                              size_t window_bytes,
                                              Interrupt* interrupt);

  Result<Window> Next(uint64_t keep_from, size_t at_least) override;
  bool StartAt(uint64_t offset) override;
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) override;
  void WillNeed(uint64_t offset, uint64_t size) const override {
    file_->WillNeed(offset, size);
  }
  std::span<const uint8_t> mapped() const override { return {data_, size_}; }
  void EndAt(uint64_t offset) override;
  const Status& failure() const override { return failure_; }
  Compression compression() const override { return Compression::kNone; }
  const std::string& name() const override { return name_; }
  uint64_t stored_position() const override { return last_.end(); }
  uint64_t stored_size() const override { return file_->size(); }

 private:
  MmapSource(std::unique_ptr<FileStream> file, std::string name,
             size_t window_bytes, Interrupt* interrupt);
  void CheckInterrupt();
  // If the file has become smaller, sets failure_ and size_.
  void CheckSize();

  const std::unique_ptr<FileStream> file_;
  const std::string name_;
  const size_t window_bytes_;
  Interrupt* const interrupt_;  // may be null
  // Where windows end: at EndAt or the end of the file, less what the file has
  // lost since it was mapped.
  size_t size_;
  const uint8_t* data_ = nullptr;
  Pin mapping_;
  Window last_;
  Status failure_;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_MMAP_SOURCE_H_
