#include "src/exchange/arrow/export_memory.h"

#include <cstdlib>

#include "src/base/memory/memory_pool.h"

namespace headrace::arrow {
namespace {

constexpr size_t kLarge = size_t{16} << 10;

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
  AdviseHugePages(data, rounded);
  *block = {.next = large_, .data = data};
  large_ = block;
  return data;
}

}  // namespace headrace::arrow
