// InputStream reads the stored bytes of an InputFile and checks what its
// functions return.

#ifndef HEADRACE_SRC_INPUT_SOURCE_INPUT_STREAM_H_
#define HEADRACE_SRC_INPUT_SOURCE_INPUT_STREAM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "headrace/input_file.h"
#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/base/interrupt.h"

namespace headrace::source {

class InputStream : public ByteStream {
 public:
  // `interrupt` may be null.
  InputStream(std::unique_ptr<InputFile> file, Interrupt* interrupt)
      : file_(std::move(file)), interrupt_(interrupt), size_(file_->size()) {}

  Result<size_t> Read(std::span<uint8_t> out) override;
  // If seeking fails, the next Read returns the error.
  bool SeekTo(uint64_t position) override;
  bool can_read_at() const override { return size_ > 0 && file_->can_seek(); }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override;
  bool is_far() const override { return true; }
  uint64_t stored_position() const override { return position_; }

 private:
  Result<size_t> ReadFile(std::span<uint8_t> out);

  const std::unique_ptr<InputFile> file_;
  Interrupt* const interrupt_;
  const uint64_t size_;  // when it was opened; 0: unknown
  uint64_t position_ = 0;
  bool ended_ = false;
  Status failure_;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_INPUT_STREAM_H_
