// IndexBytes holds the bytes of an index file, in memory or mapped.

#ifndef HEADRACE_SRC_INPUT_INDEX_INDEX_BYTES_H_
#define HEADRACE_SRC_INPUT_INDEX_INDEX_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "src/input/source/file_stream.h"

namespace headrace::index {

class IndexBytes {
 public:
  explicit IndexBytes(std::vector<uint8_t> bytes) {
    auto read = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
    bytes_ = *read;
    owner_ = std::move(read);
  }

  static constexpr uint64_t kMaxInMemory = uint64_t{48} << 20;

  // Reads files up to kMaxInMemory and maps larger ones. If a mapped file
  // shrinks, using its bytes ends the process; an index is replaced by
  // renaming, which leaves the mapped one alone.
  static Result<IndexBytes> ReadOrMap(source::FileStream* file,
                                      const std::string& path);

  std::span<const uint8_t> bytes() const { return bytes_; }
  // Keeps the bytes alive, at the same address.
  const std::shared_ptr<const void>& owner() const { return owner_; }
  bool is_mapped() const { return is_mapped_; }

 private:
  IndexBytes(const std::shared_ptr<const uint8_t>& mapped, size_t size)
      : owner_(mapped), bytes_(mapped.get(), size), is_mapped_(true) {}

  std::shared_ptr<const void> owner_;
  std::span<const uint8_t> bytes_;
  bool is_mapped_ = false;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_INDEX_BYTES_H_
