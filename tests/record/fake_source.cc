#include "tests/record/fake_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gtest/gtest.h"

namespace headrace::testing {
namespace {

// One allocation a window, of exactly its size and the slack: AddressSanitizer
// sees whoever reads behind that, or after the last pin is gone.
class FakeBlock final : public Pinnable {
 public:
  explicit FakeBlock(std::string_view bytes)
      : data_(new uint8_t[bytes.size() + source::kSlack]) {
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
    std::memset(data_.get() + bytes.size(), 0xA5, source::kSlack);
  }
  const uint8_t* data() const { return data_.get(); }

 private:
  void OnUnpinned() override { delete this; }
  std::unique_ptr<uint8_t[]> data_;
};

}  // namespace

FakeSource::FakeSource(std::string bytes, Options options)
    : bytes_(std::move(bytes)),
      options_(std::move(options)),
      random_(options_.random_seed) {}

size_t FakeSource::WindowBytes() {
  if (options_.window_bytes == 0) return bytes_.size() + 1;
  if (options_.random_seed == 0) return options_.window_bytes;
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return 1 + static_cast<size_t>(random_ >> 33) % options_.window_bytes;
}

Result<source::Window> FakeSource::Next(uint64_t keep_from, size_t at_least) {
  EXPECT_GE(keep_from, begin_);
  EXPECT_LE(keep_from, given_);
  EXPECT_FALSE(ended_) << "asked for more after the end";
  if (options_.calls_before_error == cost_->calls) {
    return Status(ErrorCode::kOutOfMemory, "no memory for a window");
  }
  ++cost_->calls;
  cost_->copied += given_ - keep_from;
  const uint64_t size = bytes_.size();
  const uint64_t enough = keep_from + std::min<uint64_t>(at_least, size);
  const uint64_t usual = given_ + WindowBytes();
  begin_ = keep_from;
  given_ = std::min(size, std::max(enough, usual));
  source::Window window;
  window.size = static_cast<size_t>(given_ - begin_);
  window.offset = begin_;
  auto* const block = new FakeBlock(std::string_view(bytes_).substr(
      static_cast<size_t>(begin_), window.size));
  window.data = block->data();
  window.pin = Pin(block);
  // A source may not know yet that what it gave was all.
  ended_ = given_ == size && (usual > size || window.size < at_least);
  if (ended_) {
    failure_ = options_.failure;
    window.tail = failure_.ok() ? source::Tail::kEnd : source::Tail::kFailed;
  }
  cost_->largest_window = std::max(cost_->largest_window, window.size);
  return window;
}

}  // namespace headrace::testing
