#include "src/input/index/index_bytes.h"

#include <sys/mman.h>

#include <cerrno>
#include <limits>

#include "src/base/system_error.h"

namespace headrace::index {

Result<IndexBytes> IndexBytes::ReadOrMap(source::FileStream* file,
                                         const std::string& path) {
  // 32-bit addresses do not reach this far.
  if (file->size() > std::numeric_limits<size_t>::max() / 2) {
    return SystemError("cannot map", EFBIG, path);
  }
  const size_t size = static_cast<size_t>(file->size());
  if (size <= kMaxInMemory) {
    std::vector<uint8_t> bytes(size);
    Result<size_t> got = file->ReadAt(0, bytes);
    if (!got.ok()) return NameFile(got.status(), path);
    if (*got < size) return NameFile(Shrank(size, *got), path);
    return IndexBytes(std::move(bytes));
  }
  void* const address =
      mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor(), 0);
  if (address == MAP_FAILED) return SystemError("cannot map", errno, path);
  // Only a hint, so failure is ignored: records are asked for in any order.
  (void)madvise(address, size, MADV_RANDOM);
  return IndexBytes(
      std::shared_ptr<const uint8_t>(
          static_cast<const uint8_t*>(address),
          [address, size](const uint8_t*) { munmap(address, size); }),
      size);
}

}  // namespace headrace::index
