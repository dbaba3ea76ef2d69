#include <snappy.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/memory/buffer.h"
#include "src/input/compression/streams.h"

namespace headrace::compression {
namespace {

constexpr size_t kSizeBytes = 4;
// Bytes allocated for a block whose bytes have not arrived.
constexpr size_t kFirstGrowth = size_t{64} << 10;

// SnappyStream inflates TensorFlow's snappy files.
//
// The layout is TensorFlow's own (SnappyOutputBuffer): a u32 big-endian size,
// then a raw snappy block of that many bytes, repeated. It is neither the
// snappy framing format nor Hadoop's; a file in one of these formats fails with
// the name of the format.
//
// Blocks are all or nothing: one that is cut or damaged yields no bytes.
class SnappyStream final : public Decompressor {
 public:
  explicit SnappyStream(InputBuffer input) : Decompressor(std::move(input)) {}

 private:
  Status Step(std::span<uint8_t> out, size_t* produced) override {
    if (given_ < inflated_size_) {
      *produced = std::min(out.size(), inflated_size_ - given_);
      std::memcpy(out.data(), inflated_.data() + given_, *produced);
      given_ += *produced;
      return Status();
    }
    uint32_t size = 0;
    if (Status status = ReadSize(&size); !status.ok() || done_) return status;
    Status status = ReadBlock(size);
    if (status.ok()) status = Inflate(size, out, produced);
    if (status.ok()) ++blocks_;
    return status;
  }

  // Reads the size of a block. Sets done_ if the input ends before one.
  Status ReadSize(uint32_t* size) {
    std::array<uint8_t, kSizeBytes> bytes;
    auto taken = input_.Take(bytes);
    if (!taken.ok()) return taken.status();
    if (*taken == 0) {
      done_ = true;
      return Status();
    }
    if (*taken < kSizeBytes) return EndInside("the size of a snappy block");
    *size = LoadBig32(bytes.data());
    if (*size == 0) return DecompressError("a snappy block of no bytes");
    return Status();
  }

  // Reads the block into block_, which grows with the bytes that arrive.
  Status ReadBlock(uint32_t size) {
    size_t have = 0;
    while (have < size) {
      const size_t room = std::max({block_.capacity(), kFirstGrowth, 2 * have});
      if (!block_.Grow(std::min<size_t>(size, room))) {
        return Status::OutOfMemory();
      }
      const size_t wanted = std::min<size_t>(size, block_.capacity()) - have;
      auto taken = input_.Take(std::span(block_.data() + have, wanted));
      if (!taken.ok()) return taken.status();
      have += *taken;
      if (*taken < wanted) {
        return Refuse(size, have, "unexpected end inside a snappy block");
      }
    }
    return Status();
  }

  Status Inflate(uint32_t size, std::span<uint8_t> out, size_t* produced) {
    const char* const block = reinterpret_cast<const char*>(block_.data());
    size_t inflated = 0;
    if (!snappy::GetUncompressedLength(block, size, &inflated)) {
      return Refuse(size, size, "damaged snappy block");
    }
    if (inflated > MostInflated(size)) {
      return Refuse(size, size,
                    "a snappy block declares more bytes than it can hold");
    }
    const bool direct = inflated <= out.size();
    if (!direct && !inflated_.Grow(inflated)) return Status::OutOfMemory();
    uint8_t* const to = direct ? out.data() : inflated_.data();
    if (!snappy::RawUncompress(block, size, reinterpret_cast<char*>(to))) {
      return Refuse(size, size, "damaged snappy block");
    }
    if (direct) {
      *produced = inflated;
    } else {
      inflated_size_ = inflated;
      given_ = 0;
    }
    return Status();
  }

  // Returns the failure of a block whose first `have` bytes are in block_.
  Status Refuse(uint32_t size, size_t have, const char* reason) {
    if (blocks_ > 0) return DecompressError(reason);
    // The file's first bytes, put together again.
    std::array<uint8_t, 64> head;
    StoreBig32(head.data(), size);
    const size_t count = std::min(have, head.size() - kSizeBytes);
    if (count > 0) std::memcpy(head.data() + kSizeBytes, block_.data(), count);
    return NotOfKind("TensorFlow's snappy",
                     std::span(head).first(kSizeBytes + count), reason);
  }

  uint64_t blocks_ = 0;
  Buffer block_;
  // An inflated block that had no room, and how much of it was returned.
  Buffer inflated_;
  size_t inflated_size_ = 0;
  size_t given_ = 0;
};

}  // namespace

std::unique_ptr<Decompressor> NewSnappyStream(InputBuffer input,
                                              InflateLibrary /*library*/) {
  return std::unique_ptr<Decompressor>(new (std::nothrow)
                                           SnappyStream(std::move(input)));
}

}  // namespace headrace::compression
