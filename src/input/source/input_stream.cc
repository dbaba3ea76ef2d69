#include "src/input/source/input_stream.h"

#include <string>

#include "src/base/system_error.h"

namespace headrace::source {

Result<size_t> InputStream::ReadFile(std::span<uint8_t> out) {
  if (interrupt_ != nullptr && interrupt_->Ask()) return Cancelled();
  auto got = file_->Read(out);
  if (got.ok() && *got > out.size()) {
    return Status(ErrorCode::kInvalidArgument,
                  "the input says that it read " + std::to_string(*got) +
                      " bytes of the " + std::to_string(out.size()) +
                      " asked for");
  }
  return got;
}

Result<size_t> InputStream::Read(std::span<uint8_t> out) {
  if (!failure_.ok()) return failure_;
  if (ended_) return size_t{0};
  auto got = ReadFile(out);
  if (!got.ok()) return failure_ = got.status();
  if (*got == 0 && position_ < size_) {
    return failure_ = Shrank(size_, position_);
  }
  ended_ = *got == 0;
  position_ += *got;
  return got;
}

bool InputStream::SeekTo(uint64_t position) {
  if (!file_->can_seek()) return false;
  // Without a seek, bytes that the InputFile has read ahead stay valid.
  if (position == position_ && !ended_ && failure_.ok()) return true;
  position_ = position;
  ended_ = false;
  failure_ = file_->Seek(position);
  return true;
}

Result<size_t> InputStream::ReadAt(uint64_t position, std::span<uint8_t> out) {
  Status status = file_->Seek(position);
  size_t size = 0;
  while (status.ok() && size < out.size()) {
    const auto got = ReadFile(out.subspan(size));
    status = got.status();
    if (!got.ok() || *got == 0) break;
    size += *got;
  }
  if (failure_.ok()) failure_ = file_->Seek(position_);
  if (!status.ok()) return status;
  return size;
}

}  // namespace headrace::source
