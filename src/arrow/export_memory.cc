#include "src/arrow/export_memory.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace headrace::arrow {
namespace {

constexpr size_t kLarge = size_t{16} << 10;
constexpr size_t kHugePage = size_t{2} << 20;

}  // namespace

ExportMemory::~ExportMemory() {
  for (Block* block = large_; block != nullptr; block = block->next) {
    std::free(block->data);
  }
}

void* ExportMemory::Allocate(size_t size) {
  if (size < kLarge) return small_.Allocate(size);
  const size_t alignment = size >= kHugePage ? kHugePage : Arena::kAlignment;
  size_t rounded;
  if (!RoundUp(size, Arena::kAlignment, &rounded)) return nullptr;
  auto* const block = static_cast<Block*>(small_.Allocate(sizeof(Block)));
  if (!block) return nullptr;
  void* data = nullptr;
  if (posix_memalign(&data, alignment, rounded) != 0) return nullptr;
#ifdef MADV_HUGEPAGE
  // Only a hint: fresh 4 KiB pages cost more than copying into them.
  if (size >= kHugePage) madvise(data, rounded, MADV_HUGEPAGE);
#endif
  *block = {.next = large_, .data = data};
  large_ = block;
  return data;
}

}  // namespace headrace::arrow
