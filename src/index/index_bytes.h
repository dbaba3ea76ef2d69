// IndexBytes are those of an index file, in memory or mapped.

#ifndef HEADRACE_SRC_INDEX_INDEX_BYTES_H_
#define HEADRACE_SRC_INDEX_INDEX_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/source/file_stream.h"

namespace headrace::index {

// The bytes stay where they are when it is moved.
class IndexBytes {
 public:
  explicit IndexBytes(std::vector<uint8_t> bytes)
      : read_(std::move(bytes)), bytes_(read_) {}
  IndexBytes(IndexBytes&&) = default;

  // Reads files up to 48 MiB and maps larger ones. If a mapped file shrinks,
  // using its bytes ends the process; an index is replaced by renaming, which
  // leaves the mapped one alone.
  static Result<IndexBytes> ReadOrMap(source::FileStream* file,
                                      const std::string& path);

  std::span<const uint8_t> bytes() const { return bytes_; }
  bool is_mapped() const { return mapped_ != nullptr; }

 private:
  IndexBytes(std::shared_ptr<const uint8_t> mapped, size_t size)
      : mapped_(std::move(mapped)), bytes_(mapped_.get(), size) {}

  std::vector<uint8_t> read_;
  std::shared_ptr<const uint8_t> mapped_;
  std::span<const uint8_t> bytes_;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INDEX_INDEX_BYTES_H_
