// WindowSource reads the windows of a ByteStream into pooled blocks.

#ifndef HEADRACE_SRC_INPUT_SOURCE_WINDOW_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_WINDOW_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "src/base/byte_stream.h"
#include "src/input/source/block_pool.h"
#include "src/input/source/source.h"

namespace headrace::source {

class WindowSource : public Source {
 public:
  struct Options {
    std::string name;
    Compression compression = Compression::kNone;
    uint64_t stored_size = 0;
    // Set for a compressed file whose stream can be read at any offset.
    std::shared_ptr<const compression::SeekTable> seek_table = nullptr;
    size_t window_bytes = size_t{1} << 20;
    // Bytes of the first window, if less: small files need little memory.
    size_t first_bytes = size_t{1} << 20;
    // Once more than many_pinned windows are pinned, new ones have large_bytes,
    // if that is more.
    size_t many_pinned = 16;
    size_t large_bytes = 0;
    const bool* all_pinned = nullptr;  // see SourceOptions
    Interrupt* interrupt = nullptr;    // asked once per window
  };

  WindowSource(std::unique_ptr<ByteStream> stream, Options options);

  Result<Window> Next(uint64_t keep_from, size_t at_least) override;
  bool StartAt(uint64_t offset) override;
  bool can_read_at() const override {
    const bool is_plain = options_.compression == Compression::kNone &&
                          options_.stored_size > 0 && stream_->can_read_at();
    return is_plain || options_.seek_table != nullptr;
  }
  uint64_t stream_size() const override {
    return options_.seek_table != nullptr ? options_.seek_table->plain_size()
                                          : options_.stored_size;
  }
  std::shared_ptr<const compression::SeekTable> seek_table() const override {
    return options_.seek_table;
  }
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) override;
  void WillNeed(uint64_t offset, uint64_t size) const override {
    stream_->WillNeed(offset, size);
  }
  void EndAt(uint64_t offset) override { end_ = offset; }
  const Status& failure() const override { return failure_; }
  Compression compression() const override { return options_.compression; }
  const std::string& name() const override { return options_.name; }
  uint64_t stored_position() const override {
    return stream_->stored_position();
  }
  uint64_t stored_size() const override { return options_.stored_size; }

 private:
  // Reads until the block, whose first byte is at `offset`, holds `wanted`
  // bytes or the stream ends or fails.
  void Fill(Block* block, uint64_t offset, size_t* size, size_t wanted);
  Window Give(const BlockPool::Taken& taken, size_t size, uint64_t offset);

  std::unique_ptr<ByteStream> stream_;
  const Options options_;
  size_t window_bytes_;
  std::shared_ptr<BlockPool> pool_;
  Window last_;  // pins the bytes that Next may keep
  bool first_ = true;
  uint64_t end_ = ~uint64_t{0};
  Tail tail_ = Tail::kMore;
  Status failure_;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_WINDOW_SOURCE_H_
