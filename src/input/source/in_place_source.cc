#include "src/input/source/in_place_source.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "src/base/memory/pin.h"
#include "src/base/system_error.h"
#include "src/input/source/block_pool.h"
#include "src/input/source/streams.h"

namespace headrace::source {
namespace {

// Files up to this size are copied whole: one window costs less than two.
constexpr size_t kCopiedWhole = 4096;

// A source of a plain file whose windows are the file's own bytes.
class InPlaceSource : public Source {
 public:
  bool can_read_at() const final { return true; }
  const Status& failure() const final { return failure_; }
  Compression compression() const final { return Compression::kNone; }
  const std::string& name() const final { return name_; }
  uint64_t stored_position() const final { return last_.end(); }

 protected:
  explicit InPlaceSource(const std::string& name) : name_(name) {}

  const std::string name_;
  Window last_;
  Status failure_;
};

// MemorySource serves windows of bytes that the caller keeps alive.
//
// Only the end is copied, into a padded block, because bytes after the caller's
// memory may not be read. The copy has the last kSlack bytes and the bytes that
// the caller of Next keeps before them.
class MemorySource final : public InPlaceSource {
 public:
  MemorySource(std::span<const uint8_t> bytes, const std::string& name)
      : InPlaceSource(name),
        file_(bytes),
        bytes_(bytes),
        pool_(std::make_shared<BlockPool>(kCopiedWhole)) {}

  Result<Window> Next(uint64_t keep_from, size_t at_least) override {
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

  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) override {
    return MemoryStream(file_).ReadAt(offset, out);
  }

  void EndAt(uint64_t offset) override {
    if (offset < bytes_.size()) {
      bytes_ = bytes_.first(static_cast<size_t>(offset));
    }
  }

  uint64_t stored_size() const override { return file_.size(); }

 private:
  // The bytes at the front that need no copy.
  size_t open_bytes() const {
    return bytes_.size() <= kCopiedWhole ? 0 : bytes_.size() - kSlack;
  }

  const std::span<const uint8_t> file_;
  std::span<const uint8_t> bytes_;  // of the file, up to EndAt
  std::shared_ptr<BlockPool> pool_;
};

// Keeps the file mapped as long as a window or the source pins it.
class Mapping : public Pinnable {
 public:
  Mapping(void* address, size_t length) : address_(address), length_(length) {}
  const uint8_t* data() const { return static_cast<const uint8_t*>(address_); }

 private:
  void OnUnpinned() override {
    munmap(address_, length_);
    delete this;
  }

  void* const address_;
  const size_t length_;
};

Status MapError(int error) { return SystemError("cannot map", error); }

size_t PageSize() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

// Maps the file with at least one page of zeros after its `size` bytes:
// reserves the pages first and maps the file over their beginning, so the slack
// exists even if the file ends at the end of a page.
Result<Mapping*> Map(int descriptor, size_t size) {
  const size_t page = PageSize();
  const size_t length = (size / page + 2) * page;
  void* const address =
      mmap(nullptr, length, PROT_READ,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return MapError(errno);
  if (size > 0 && mmap(address, size, PROT_READ, MAP_SHARED | MAP_FIXED,
                       descriptor, 0) == MAP_FAILED) {
    const int error = errno;
    munmap(address, length);
    return MapError(error);
  }
  // This is only a hint, so failure is ignored.
  (void)madvise(address, length, MADV_SEQUENTIAL);
  Mapping* const mapping = new (std::nothrow) Mapping(address, length);
  if (mapping == nullptr) {
    munmap(address, length);
    return Status::OutOfMemory();
  }
  return mapping;
}

class MmapSource final : public InPlaceSource {
 public:
  MmapSource(std::unique_ptr<FileStream> file, const std::string& name,
             size_t window_bytes, Interrupt* interrupt, Mapping* mapping)
      : InPlaceSource(name),
        file_(std::move(file)),
        window_bytes_(std::max<size_t>(window_bytes, 1)),
        interrupt_(interrupt),
        size_(static_cast<size_t>(file_->size())),
        data_(mapping->data()),
        mapping_(mapping) {}

  Result<Window> Next(uint64_t keep_from, size_t at_least) override {
    assert(keep_from >= last_.offset && keep_from <= last_.end());
    if (failure_.ok()) CheckSize();
    if (failure_.ok()) CheckInterrupt();
    const size_t begin = std::min(static_cast<size_t>(keep_from), size_);
    // Each window goes beyond the previous one, so each call makes progress.
    const size_t fresh = static_cast<size_t>(last_.end() - keep_from);
    const size_t wanted = std::max({window_bytes_, at_least, fresh + 1});
    const size_t size = std::min(wanted, size_ - begin);
    const Tail end = failure_.ok() ? Tail::kEnd : Tail::kFailed;
    last_ = Window{.data = data_ + begin,
                   .size = size,
                   .offset = keep_from,
                   .tail = size == size_ - begin ? end : Tail::kMore,
                   .pin = mapping_};
    return last_;
  }

  bool StartAt(uint64_t offset) override {
    assert(offset >= last_.end());
    if (offset > size_) return false;
    last_ = Window();
    last_.offset = offset;
    return true;
  }

  Result<size_t> ReadAt(uint64_t offset, std::span<uint8_t> out) override {
    return NameFile(file_->ReadAt(offset, out), name_);
  }

  void WillNeed(uint64_t offset, uint64_t size) const override {
    file_->WillNeed(offset, size);
  }
  std::span<const uint8_t> mapped() const override { return {data_, size_}; }
  void EndAt(uint64_t offset) override {
    size_ = static_cast<size_t>(std::min<uint64_t>(size_, offset));
  }

  uint64_t stored_size() const override { return file_->size(); }

 private:
  // An interrupt ends the file after the last window, unless the file has ended
  // there.
  void CheckInterrupt() {
    if (last_.tail == Tail::kEnd) return;
    if (interrupt_ == nullptr || !interrupt_->Ask()) return;
    failure_ = NameFile(Cancelled(), name_);
    size_ = static_cast<size_t>(last_.end());
  }

  // If the file has become smaller, sets failure_ and size_.
  void CheckSize() {
    struct stat info;
    if (fstat(file_->descriptor(), &info) != 0) {
      failure_ = NameFile(MapError(errno), name_);
      return;
    }
    const uint64_t now = static_cast<uint64_t>(info.st_size);
    if (now >= size_) return;
    failure_ = NameFile(Shrank(size_, now), name_);
    size_ = static_cast<size_t>(now);
    // If the new end is the end of a page, the slack is gone, too: map it
    // again.
    const size_t page = PageSize();
    const size_t slack_page = (size_ + page - 1) / page * page;
    (void)mmap(const_cast<uint8_t*>(data_) + slack_page, page, PROT_READ,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  }

  const std::unique_ptr<FileStream> file_;
  const size_t window_bytes_;
  Interrupt* const interrupt_;  // may be null
  // Where windows end: at EndAt or the end of the file, less what the file has
  // lost since it was mapped.
  size_t size_;
  const uint8_t* const data_;
  const Pin mapping_;
};

}  // namespace

Result<std::unique_ptr<Source>> OpenBytes(std::span<const uint8_t> bytes,
                                          const std::string& name) {
  std::unique_ptr<Source> source(new (std::nothrow) MemorySource(bytes, name));
  if (source == nullptr) return Status::OutOfMemory();
  return source;
}

Result<std::unique_ptr<Source>> OpenMapped(std::unique_ptr<FileStream> file,
                                           const std::string& name,
                                           size_t window_bytes,
                                           Interrupt* interrupt) {
  // 32-bit addresses do not reach this far.
  if (file->size() > std::numeric_limits<size_t>::max() / 2) {
    return MapError(EFBIG);
  }
  auto mapping = Map(file->descriptor(), static_cast<size_t>(file->size()));
  if (!mapping.ok()) return mapping.status();
  const Pin pin(*mapping);
  std::unique_ptr<Source> source(new (std::nothrow) MmapSource(
      std::move(file), name, window_bytes, interrupt, *mapping));
  if (source == nullptr) return Status::OutOfMemory();
  return source;
}

}  // namespace headrace::source
