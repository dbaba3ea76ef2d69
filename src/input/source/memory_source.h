// MemorySource serves windows of bytes that the caller keeps alive.
//
// Only the end is copied, into a padded block, because bytes after the caller's
// memory may not be read. The copy has the last kSlack bytes and the bytes that
// the caller of Next keeps before them.

#ifndef HEADRACE_SRC_INPUT_SOURCE_MEMORY_SOURCE_H_
#define HEADRACE_SRC_INPUT_SOURCE_MEMORY_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "src/input/source/block_pool.h"
#include "src/input/source/source.h"

namespace headrace::source {

class MemorySource : public Source {
 public:
  MemorySource(std::span<const uint8_t> bytes, std::string name);

  Result<Window> Next(uint64_t keep_from, size_t at_least) override;
  bool can_read_at() const override { return true; }
  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) override;
  void EndAt(uint64_t offset) override;
  const Status& failure() const override { return failure_; }
  Compression compression() const override { return Compression::kNone; }
  const std::string& name() const override { return name_; }
  uint64_t stored_position() const override { return last_.end(); }
  uint64_t stored_size() const override { return file_.size(); }

 private:
  // The bytes at the front that need no copy.
  size_t open_bytes() const;

  const std::span<const uint8_t> file_;
  std::span<const uint8_t> bytes_;  // of the file, up to EndAt
  const std::string name_;
  std::shared_ptr<BlockPool> pool_;
  Window last_;
  const Status failure_;  // stays success
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_MEMORY_SOURCE_H_
