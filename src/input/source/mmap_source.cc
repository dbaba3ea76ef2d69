#include "src/input/source/mmap_source.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <limits>
#include <new>
#include <utility>

#include "src/base/memory/buffer.h"
#include "src/base/system_error.h"
#include "src/input/source/source_error.h"

namespace headrace::source {
namespace {

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

}  // namespace

MmapSource::MmapSource(std::unique_ptr<FileStream> file, std::string name,
                       size_t window_bytes, Interrupt* interrupt)
    : file_(std::move(file)),
      name_(std::move(name)),
      window_bytes_(std::max<size_t>(window_bytes, 1)),
      interrupt_(interrupt),
      size_(static_cast<size_t>(file_->size())) {}

Result<std::unique_ptr<Source>> MmapSource::Open(
    std::unique_ptr<FileStream> file, std::string name, size_t window_bytes,
    Interrupt* interrupt) {
  // 32-bit addresses do not reach this far.
  if (file->size() > std::numeric_limits<size_t>::max() / 2) {
    return NameFile(MapError(EFBIG), name);
  }
  std::unique_ptr<MmapSource> source(new (std::nothrow) MmapSource(
      std::move(file), std::move(name), window_bytes, interrupt));
  if (source == nullptr) return Status::OutOfMemory();
  auto mapping = Map(source->file_->descriptor(), source->size_);
  if (!mapping.ok()) return NameFile(mapping.status(), source->name_);
  source->data_ = (*mapping)->data();
  source->mapping_ = Pin(*mapping);
  return std::unique_ptr<Source>(std::move(source));
}

void MmapSource::CheckSize() {
  struct stat info;
  if (fstat(file_->descriptor(), &info) != 0) {
    failure_ = NameFile(MapError(errno), name_);
    return;
  }
  const uint64_t now = static_cast<uint64_t>(info.st_size);
  if (now >= size_) return;
  failure_ = NameFile(Shrank(size_, now), name_);
  size_ = static_cast<size_t>(now);
  // If the new end is the end of a page, the slack is gone, too: map it again.
  const size_t page = PageSize();
  const size_t slack_page = (size_ + page - 1) / page * page;
  (void)mmap(const_cast<uint8_t*>(data_) + slack_page, page, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

// An interrupt ends the file after the last window, unless that was the end.
void MmapSource::CheckInterrupt() {
  if (last_.tail == Tail::kEnd) return;
  if (interrupt_ == nullptr || !interrupt_->Ask()) return;
  failure_ = NameFile(Cancelled(), name_);
  size_ = static_cast<size_t>(last_.end());
}

bool MmapSource::StartAt(uint64_t offset) {
  assert(offset >= last_.end());
  if (offset > size_) return false;
  last_ = Window();
  last_.offset = offset;
  return true;
}

Result<size_t> MmapSource::ReadAt(uint64_t offset, std::span<uint8_t> out) {
  auto got = file_->ReadAt(offset, out);
  if (!got.ok()) return NameFile(got.status(), name_);
  return got;
}

void MmapSource::EndAt(uint64_t offset) {
  size_ = static_cast<size_t>(std::min<uint64_t>(size_, offset));
}

Result<Window> MmapSource::Next(uint64_t keep_from, size_t at_least) {
  assert(keep_from >= last_.offset && keep_from <= last_.end());
  if (failure_.ok()) CheckSize();
  if (failure_.ok()) CheckInterrupt();
  const size_t begin = std::min(static_cast<size_t>(keep_from), size_);
  // A window goes beyond the last one, so each call makes progress.
  const size_t fresh = static_cast<size_t>(last_.end() - keep_from);
  const size_t wanted = std::max({window_bytes_, at_least, fresh + 1});
  const size_t size = std::min(wanted, size_ - begin);
  Tail tail = Tail::kMore;
  if (size == size_ - begin) tail = failure_.ok() ? Tail::kEnd : Tail::kFailed;
  last_ = Window{.data = data_ + begin,
                 .size = size,
                 .offset = keep_from,
                 .tail = tail,
                 .pin = mapping_};
  return last_;
}

}  // namespace headrace::source
