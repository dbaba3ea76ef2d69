#include "tests/allocator/guard_allocator.h"

#include <sys/mman.h>

#include <cstring>
#include <iterator>
#include <numeric>

#include "gtest/gtest.h"
#include "src/read/batch/batch_copy.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {
namespace {

constexpr size_t kPage = 4096;
constexpr size_t kAlignment = 256;
constexpr size_t kSlack = 512;

// The slab ends where the pages end. In front of it is one unusable page, and
// the rest of its own first page.
size_t PagesOf(size_t size) { return (size + kPage - 1) / kPage * kPage; }
uint8_t* FirstPage(uintptr_t data) {
  return reinterpret_cast<uint8_t*>(data / kPage * kPage);
}

struct Array {
  std::string name;
  const void* data;
  size_t size;
};

std::vector<Array> ArraysOf(const Tensor& tensor) {
  const std::string name(tensor.name);
  std::vector<Array> arrays;
  const auto add = [&](const char* part, const void* data, size_t size) {
    if (size > 0) arrays.push_back({name + part, data, size});
  };
  const auto add_ints = [&](const char* part, const RowSplits& ints) {
    add(part, ints.data, ints.size * (ints.is_int64 ? 8 : 4));
  };
  if (tensor.dtype != DType::kBytes) {
    add("", tensor.values, tensor.num_values * DTypeSize(tensor.dtype));
  }
  add(".indices", tensor.indices.data(), tensor.indices.size_bytes());
  for (const RowSplits& level : tensor.row_splits) {
    add_ints(".row_splits", level);
  }
  add(".lengths", tensor.lengths.data(), tensor.lengths.size_bytes());
  add_ints(".key_lengths", tensor.key_lengths);
  add_ints(".key_offsets", tensor.key_offsets);
  if (tensor.weights != nullptr) {
    add(".weights", tensor.weights, tensor.num_values * sizeof(float));
  }
  return arrays;
}

}  // namespace

GuardAllocator::~GuardAllocator() { EXPECT_EQ(held_.size(), 0u); }

void* GuardAllocator::Allocate(size_t size, size_t alignment) {
  const std::lock_guard lock(mutex_);
  EXPECT_EQ(alignment, kAlignment);
  EXPECT_EQ(size % kAlignment, 0u);
  EXPECT_GT(size, 0u);
  if (num_calls_++ == fails_at_) return nullptr;
  const size_t pages = PagesOf(size);
  void* const mapped = mmap(nullptr, pages + 2 * kPage, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<uint8_t*>(mapped) + kPage;
  EXPECT_EQ(mprotect(begin, pages, PROT_READ | PROT_WRITE), 0);
  std::memset(begin, 0xa5, pages);
  uint8_t* const data = begin + pages - size;
  held_[reinterpret_cast<uintptr_t>(data)] = size;
  sizes_.push_back(size);
  return data;
}

void GuardAllocator::Free(void* data, size_t size) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = held_.find(reinterpret_cast<uintptr_t>(data));
  ASSERT_NE(found, held_.end()) << "not held";
  EXPECT_EQ(found->second, size);
  EXPECT_EQ(munmap(FirstPage(found->first) - kPage, PagesOf(size) + 2 * kPage),
            0);
  held_.erase(found);
}

std::string GuardAllocator::Seal(const Batch& batch) {
  const std::lock_guard lock(mutex_);
  std::map<uintptr_t, Array> places;
  std::map<uintptr_t, size_t> slabs;
  for (const Tensor& tensor : batch.tensors()) {
    for (const Array& array : ArraysOf(tensor)) {
      const auto at = reinterpret_cast<uintptr_t>(array.data);
      auto slab = held_.upper_bound(at);
      if (slab == held_.begin()) return array.name + " is in no slab";
      --slab;
      const size_t begin = at - slab->first;
      if (begin >= slab->second || slab->second - begin < array.size + kSlack) {
        return array.name + " is not inside a slab";
      }
      if (begin % kAlignment != 0) return array.name + " is not aligned";
      if (!places.emplace(at, array).second) {
        return array.name + " shares its place";
      }
      slabs.insert(*slab);
    }
  }
  for (auto place = places.begin(); place != places.end(); ++place) {
    const auto next = std::next(place);
    if (next != places.end() &&
        next->first - place->first < place->second.size + kSlack) {
      return place->second.name + " overlaps " + next->second.name;
    }
  }
  if (slabs.size() > 2) return "more than two slabs";
  for (const auto& [data, size] : slabs) {
    EXPECT_EQ(mprotect(FirstPage(data), PagesOf(size), PROT_READ), 0);
  }
  return "";
}

size_t GuardAllocator::num_calls() const {
  const std::lock_guard lock(mutex_);
  return num_calls_;
}

size_t GuardAllocator::num_held() const {
  const std::lock_guard lock(mutex_);
  return held_.size();
}

std::vector<size_t> GuardAllocator::sizes() const {
  const std::lock_guard lock(mutex_);
  return sizes_;
}

Bits BitsOf(const Batch& batch) {
  std::vector<size_t> fields(batch.tensors().size());
  std::iota(fields.begin(), fields.end(), size_t{0});
  return {OrThrow(SaveBatch(batch, fields))};
}

}  // namespace headrace::testing
