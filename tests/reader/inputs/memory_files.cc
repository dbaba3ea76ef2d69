#include "tests/reader/inputs/memory_files.h"

#include <algorithm>
#include <cstring>
#include <memory>

namespace headrace::testing {
namespace {

class MemoryInput : public InputFile {
 public:
  MemoryInput(MemoryFile* file, std::atomic<size_t>* now_open)
      : file_(*file), now_open_(*now_open) {
    ++now_open_;
  }
  ~MemoryInput() override { --now_open_; }

  Result<size_t> Read(std::span<uint8_t> out) override {
    ++file_.reads;
    if (file_.lies) return out.size() + 1;
    if (at_ >= file_.fail_at && file_.fail_at < ~uint64_t{0}) {
      return Status(ErrorCode::kIo, "the network is down");
    }
    const uint64_t end = std::min<uint64_t>(file_.bytes.size(), file_.fail_at);
    const auto left = static_cast<size_t>(at_ < end ? end - at_ : 0);
    const size_t count = std::min({out.size(), left, file_.piece});
    if (count > 0) std::memcpy(out.data(), file_.bytes.data() + at_, count);
    at_ += count;
    file_.bytes_read += count;
    return count;
  }
  bool can_seek() const override { return file_.can_seek; }
  Status Seek(uint64_t position) override {
    at_ = position;
    return Status();
  }
  uint64_t size() const override {
    if (file_.claimed_size > 0) return file_.claimed_size;
    return file_.knows_size ? file_.bytes.size() : 0;
  }

 private:
  MemoryFile& file_;
  std::atomic<size_t>& now_open_;
  uint64_t at_ = 0;
};

}  // namespace

OpenInput MemoryFiles::opener() {
  return [this](const std::string& name) -> Result<std::unique_ptr<InputFile>> {
    const auto found = files_.find(name);
    if (found == files_.end()) {
      return Status(ErrorCode::kNotFound, "no such object");
    }
    ++found->second.opens;
    return std::unique_ptr<InputFile>(
        std::make_unique<MemoryInput>(&found->second, &now_open_));
  };
}

}  // namespace headrace::testing
