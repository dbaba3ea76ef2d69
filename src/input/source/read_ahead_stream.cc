#include "src/input/source/read_ahead_stream.h"

#include <algorithm>
#include <cstring>
#include <system_error>

#include "src/base/out_of_memory.h"

namespace headrace::source {

Result<size_t> ReadAheadStream::Read(std::span<uint8_t> out) {
  if (!StartThread()) return stream_->Read(out);
  if (Status status = AwaitPiece(); !status.ok()) return status;
  Piece& piece = pieces_[first_ % kPieces];
  if (!piece.status.ok()) return piece.status;
  const size_t size = std::min(out.size(), piece.size - used_);
  std::memcpy(out.data(), piece.bytes.data() + used_, size);
  used_ += size;
  stored_position_ = piece.stored_position;
  if (gives_ == Gives::kStoredBytes) stored_position_ -= piece.size - used_;
  // An empty piece, which is the end, stays for the next Read.
  if (used_ == piece.size && piece.size > 0) {
    used_ = 0;
    {
      const std::lock_guard lock(mutex_);
      ++first_;
    }
    wake_thread_.notify_one();
  }
  return size;
}

Status ReadAheadStream::AwaitPiece() {
  std::unique_lock lock(mutex_);
  while (
      !wake_user_.wait_for(lock, kAskEvery, [this] { return first_ < end_; })) {
    if (interrupt_ != nullptr && interrupt_->Ask()) return Cancelled();
  }
  return Status();
}

// A pipe cannot seek: its thread may wait for bytes forever, and what the
// thread has read cannot be read again.
bool ReadAheadStream::SeekTo(uint64_t position) {
  if (!can_seek_) return false;
  Stop();
  return stream_->SeekTo(position);
}

uint64_t ReadAheadStream::stored_position() const {
  return thread_.joinable() ? stored_position_ : stream_->stored_position();
}

bool ReadAheadStream::StartThread() {
  if (thread_.joinable()) return true;
  try {
    thread_ = std::thread([this] { Work(); });
  } catch (const std::system_error&) {
    return false;
  }
  return true;
}

// Ends the thread and drops what it has read ahead.
void ReadAheadStream::Stop() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  wake_thread_.notify_one();
  thread_.join();
  stops_ = false;
  first_ = end_ = used_ = 0;
}

void ReadAheadStream::Work() {
  std::unique_lock lock(mutex_);
  while (!stops_) {
    wake_thread_.wait(lock,
                      [this] { return stops_ || end_ - first_ < kPieces; });
    if (stops_) return;
    Piece& piece = pieces_[end_ % kPieces];
    lock.unlock();
    Fill(&piece);
    lock.lock();
    ++end_;
    wake_user_.notify_one();
    if (piece.size == 0) return;  // the end, or a failure
  }
}

void ReadAheadStream::Fill(Piece* piece) {
  piece->size = 0;
  if (!piece->bytes.Grow(kPieceBytes)) {
    piece->status = Status::OutOfMemory();
    return;
  }
  piece->status = CatchOutOfMemory([this, piece]() -> Status {
    Result<size_t> got =
        stream_->Read(std::span(piece->bytes.data(), kPieceBytes));
    if (!got.ok()) return got.status();
    piece->size = *got;
    piece->stored_position = stream_->stored_position();
    return Status();
  });
}

}  // namespace headrace::source
