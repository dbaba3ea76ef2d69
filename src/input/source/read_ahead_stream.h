// ReadAheadStream reads a stream ahead of its user, on a separate thread.

#ifndef HEADRACE_SRC_INPUT_SOURCE_READ_AHEAD_STREAM_H_
#define HEADRACE_SRC_INPUT_SOURCE_READ_AHEAD_STREAM_H_

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "headrace/status.h"
#include "src/base/byte_stream.h"
#include "src/base/interrupt.h"
#include "src/base/memory/buffer.h"

namespace headrace::source {

// Whether a stream reads stored or inflated bytes. The stored position is exact
// only for stored bytes.
enum class Gives : uint8_t { kStoredBytes, kInflatedBytes };

// The thread starts with the first Read and ends with the stream: the
// destructor waits until its last read of `stream` returns. If the machine
// grants no thread, Read reads on the caller's thread.
class ReadAheadStream : public ByteStream {
 public:
  // `interrupt` is null or outlives this.
  ReadAheadStream(std::unique_ptr<ByteStream> stream, Interrupt* interrupt,
                  Gives gives = Gives::kStoredBytes)
      : stream_(std::move(stream)),
        gives_(gives),
        interrupt_(interrupt),
        can_seek_(stream_->SeekTo(stream_->stored_position())) {}
  ~ReadAheadStream() override { Stop(); }

  Result<size_t> Read(std::span<uint8_t> out) override;
  bool SeekTo(uint64_t position) override;
  uint64_t stored_position() const override;

 private:
  // A Piece is the result of one read. With smaller pieces the threads wake
  // each other so often that it costs a tenth of the speed.
  static constexpr size_t kPieceBytes = size_t{1} << 20;
  static constexpr size_t kPieces = 3;
  struct Piece {
    Buffer bytes;
    size_t size = 0;
    Status status;  // a failure, instead of bytes
    uint64_t stored_position = 0;
  };

  bool StartThread();
  void Stop();
  void Work();
  void Fill(Piece* piece);
  Status AwaitPiece();

  const std::unique_ptr<ByteStream> stream_;  // the thread's while it runs
  const Gives gives_;
  Interrupt* const interrupt_;
  const bool can_seek_;
  std::thread thread_;
  size_t used_ = 0;  // bytes of the first piece
  // The position after the bytes that Read returned last; for inflated bytes,
  // after their piece.
  uint64_t stored_position_ = 0;

  std::mutex mutex_;
  // mutex_ guards first_, end_ and stops_. Pieces [first_, end_) modulo kPieces
  // are the user's, the others the thread's.
  std::condition_variable wake_thread_;
  std::condition_variable wake_user_;
  size_t first_ = 0;
  size_t end_ = 0;
  bool stops_ = false;
  std::array<Piece, kPieces> pieces_;
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_INPUT_SOURCE_READ_AHEAD_STREAM_H_
