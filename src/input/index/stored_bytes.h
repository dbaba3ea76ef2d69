#ifndef HEADRACE_SRC_INPUT_INDEX_STORED_BYTES_H_
#define HEADRACE_SRC_INPUT_INDEX_STORED_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "src/base/byte_stream.h"
#include "src/input/source/source.h"

namespace headrace::index {

// Reads the stored bytes of a source as a ByteStream.
class StoredBytes : public ByteStream {
 public:
  explicit StoredBytes(std::unique_ptr<source::Source> source)
      : source_(std::move(source)) {}

  Result<size_t> Read(std::span<uint8_t> out) override {
    const Result<size_t> got = source_->ReadAt(position_, out);
    if (got.ok()) position_ += *got;
    return got;
  }
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t position, std::span<uint8_t> out) override {
    return source_->ReadAt(position, out);
  }
  uint64_t stored_position() const override { return position_; }

 private:
  const std::unique_ptr<source::Source> source_;
  uint64_t position_ = 0;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_STORED_BYTES_H_
