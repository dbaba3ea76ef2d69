#include "src/input/source/memory_source.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

#include "src/input/source/source_error.h"

namespace headrace::source {
namespace {

// Files up to this size are copied whole: one window costs less than two.
constexpr size_t kCopiedWhole = 4096;

}  // namespace

MemorySource::MemorySource(std::span<const uint8_t> bytes, std::string name)
    : file_(bytes),
      bytes_(bytes),
      name_(std::move(name)),
      pool_(std::make_shared<BlockPool>(kCopiedWhole)) {}

size_t MemorySource::open_bytes() const {
  return bytes_.size() <= kCopiedWhole ? 0 : bytes_.size() - kSlack;
}

Result<size_t> MemorySource::ReadAt(uint64_t offset, std::span<uint8_t> out) {
  if (offset >= file_.size()) return size_t{0};
  const auto from = file_.subspan(static_cast<size_t>(offset));
  const size_t size = std::min(from.size(), out.size());
  if (size > 0) std::memcpy(out.data(), from.data(), size);
  return size;
}

void MemorySource::EndAt(uint64_t offset) {
  if (offset < bytes_.size())
    bytes_ = bytes_.first(static_cast<size_t>(offset));
}

Result<Window> MemorySource::Next(uint64_t keep_from, size_t at_least) {
  assert(keep_from >= last_.offset && keep_from <= last_.end());
  const size_t begin = static_cast<size_t>(keep_from);
  if (last_.tail == Tail::kEnd) {
    last_.data += begin - last_.offset;
    last_.size = bytes_.size() - begin;
    last_.offset = keep_from;
    return last_;
  }
  // The first call returns all that needs no copy, the second one the end. If
  // the first window would be too small, the first call returns the end.
  if (last_.size == 0 && at_least <= open_bytes() && open_bytes() > 0) {
    last_.data = bytes_.data();
    last_.size = open_bytes();
    return last_;
  }
  const size_t size = bytes_.size() - begin;
  auto taken = pool_->Take(size);
  if (!taken.ok()) return NameFile(taken.status(), name_);
  if (size > 0) {
    std::memcpy(taken->block->data(), bytes_.data() + begin, size);
  }
  taken->block->Seal(size);
  last_ = Window{.data = taken->block->data(),
                 .size = size,
                 .offset = keep_from,
                 .tail = Tail::kEnd,
                 .pin = taken->pin};
  return last_;
}

}  // namespace headrace::source
