#include "src/input/blocks/block_inflater.h"

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <string>

#include "src/input/deflate/packed_window.h"

namespace headrace::compression {
namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};
constexpr size_t kSkippedBytes = size_t{64} << 10;

// Returns the stored bytes per read. ISA-L inflates all its input, up to 64 KiB
// more than is asked for, so for one record it gets a block in small pieces.
uint64_t InputBytes(const SeekTable& table, Access access) {
  constexpr uint64_t kMin = uint64_t{4} << 10;
  if (access == Access::kInOrder) return table.stored_size();
  if (access == Access::kBeginnings) return kMin;
  const uint64_t block = table.stored_size() / table.points().size();
  return std::max(std::bit_ceil(block / 8), kMin);
}

Status NotAsSaid(const SeekPoint& point) {
  return DecompressError(
      "the bytes inflated from byte " + std::to_string(point.stored_byte()) +
      " on do not have the length or the content that the index, or the file "
      "itself, says: the file is damaged, or the index is of "
      "another file");
}

}  // namespace

// A read from the beginning also reads the empty members there.
size_t BlockInflater::BlockFor(uint64_t offset) const {
  return offset == 0 ? 0 : table_->BlockOf(offset);
}

// A byte shared with the next block belongs to this block, too.
uint64_t BlockInflater::StoredEnd(size_t block) const {
  const auto points = table_->points();
  if (block + 1 == points.size()) return stored_->size();
  return (points[block + 1].stored_bit + 7) / 8;
}

bool BlockInflater::EndsInside(size_t block) const {
  const auto points = table_->points();
  return block + 1 < points.size() && points[block + 1].is_inside;
}

Result<size_t> BlockInflater::ReadAt(uint64_t offset, std::span<uint8_t> out) {
  if (offset >= table_->plain_size() || out.empty()) return size_t{0};
  const auto wanted = out.first(static_cast<size_t>(
      std::min<uint64_t>(out.size(), table_->plain_size() - offset)));
  if (Status status = Open(); !status.ok()) return status;
  cursor_->NeedUpTo(StoredEnd(table_->BlockOf(offset + wanted.size() - 1)));
  const size_t block = BlockFor(offset);
  if (position_ == kNowhere || position_ > offset ||
      position_ < table_->points()[block].plain) {
    Status status = JumpTo(block, 8 * stored_->size());
    if (!status.ok()) return status;
  }
  if (Status status = Skip(offset - position_); !status.ok()) return status;
  if (Status status = ReadAll(wanted); !status.ok()) return status;
  return wanted.size();
}

Status BlockInflater::InflateBlocks(size_t first, size_t end,
                                    std::span<uint8_t> out) {
  const size_t last = end - 1;
  const Result<bool> whole = InflateWholeMembers(first, end, out);
  if (!whole.ok() || *whole) return whole.status();
  Status status = Open();
  if (!status.ok()) return status;
  cursor_->NeedUpTo(StoredEnd(last));
  // Members must fill the block to the byte; inside a member, deflate blocks
  // must fill it to the bit.
  const bool ends_inside = EndsInside(last);
  inflate_->WatchBlocks(ends_inside);
  status = JumpTo(first, ends_inside ? table_->points()[end].stored_bit
                                     : 8 * StoredEnd(last));
  if (status.ok()) status = ReadAll(out);
  if (status.ok()) status = CheckBlockEnd(last);
  inflate_->WatchBlocks(false);
  position_ = kNowhere;
  return status;
}

Status BlockInflater::InflateAfter(size_t block,
                                   std::span<const uint8_t> window,
                                   std::span<uint8_t> out) {
  Status status = Open();
  if (!status.ok()) return status;
  status = JumpAfter(block, 8 * stored_->size(), window);
  if (status.ok()) status = ReadAll(out);
  position_ = kNowhere;
  return status;
}

Status BlockInflater::InflateUpTo(size_t first, size_t block) {
  const uint64_t end = table_->points()[block].plain;
  Status status = Open();
  if (!status.ok()) return status;
  cursor_->NeedUpTo(StoredEnd(block));
  status = JumpTo(first, 8 * stored_->size());
  if (status.ok()) status = Skip(end - position_);
  // Inflating the first byte of the block checks where the block begins.
  if (status.ok() && end < table_->plain_size()) status = Skip(1);
  return status;
}

// Inflates blocks that each are one intact gzip member. Returns false if they
// are not, or if WholeMember cannot inflate them.
Result<bool> BlockInflater::InflateWholeMembers(size_t first, size_t end,
                                                std::span<uint8_t> out) {
  constexpr uint64_t kMax = uint64_t{16} << 20;
  const auto points = table_->points();
  if (!WholeMember::kIsAvailable ||
      table_->compression() != Compression::kGzip) {
    return false;
  }
  for (size_t i = first; i < end; ++i) {
    const uint64_t begin = points[i].stored_byte();
    const uint64_t size = StoredEnd(i) - begin;
    if (points[i].is_inside || EndsInside(i) || size > kMax) return false;
    const size_t count = static_cast<size_t>(size);
    if (!stored_member_.Grow(count)) return Status::OutOfMemory();
    const std::span<uint8_t> stored(stored_member_.data(), count);
    const Result<size_t> got = stored_->ReadAt(begin, stored);
    if (!got.ok()) return got.status();
    const auto plain =
        out.first(static_cast<size_t>(table_->PlainEnd(i) - points[i].plain));
    if (*got < count || !member_.Inflate(stored, plain)) return false;
    out = out.subspan(plain.size());
  }
  return true;
}

Status BlockInflater::CheckEnd() {
  const uint64_t end = table_->plain_size();
  if (position_ != end) {
    Status status = Open();
    if (status.ok()) status = JumpTo(BlockFor(end), 8 * stored_->size());
    if (status.ok()) status = Skip(end - position_);
    if (!status.ok()) return status;
  }
  position_ = kNowhere;
  return CheckBlockEnd(table_->points().size() - 1);
}

Status BlockInflater::CheckBlockEnd(size_t block) {
  const auto points = table_->points();
  if (EndsInside(block)) {
    const SeekPoint& next = points[block + 1];
    if (inflate_->state() != next.state) return NotAsSaid(next);
    const Result<bool> stands = inflate_->StandsBefore(next.stored_bit);
    if (!stands.ok()) return stands.status();
    return *stands ? Status() : NotAsSaid(next);
  }
  std::array<uint8_t, 1> more;
  const Result<size_t> got = inflate_->Read(more);
  if (!got.ok()) return got.status();
  return *got == 0 ? Status() : NotAsSaid(points[block]);
}

Status BlockInflater::Open() {
  if (inflate_ != nullptr) return Status();
  std::unique_ptr<StoredCursor> cursor(new (std::nothrow)
                                           StoredCursor(stored_));
  if (cursor == nullptr) return Status::OutOfMemory();
  StoredCursor* const seen = cursor.get();
  auto inflate = Decompress(table_->compression(), std::move(cursor),
                            InputBytes(*table_, access_));
  if (!inflate.ok()) return inflate.status();
  inflate_ = *std::move(inflate);
  cursor_ = seen;
  return Status();
}

// The input reads ahead as soon as it begins, so its end must be set before.
Status BlockInflater::JumpTo(size_t block, uint64_t stored_end) {
  const SeekPoint& point = table_->points()[block];
  if (!point.is_inside) return JumpAfter(block, stored_end, {});
  if (!window_.Grow(kDeflateWindow)) return Status::OutOfMemory();
  const DeflateWindow window(window_.data(), kDeflateWindow);
  position_ = kNowhere;
  if (Status status = UnpackWindow(point, window); !status.ok()) return status;
  return JumpAfter(block, stored_end, window);
}

Status BlockInflater::JumpAfter(size_t block, uint64_t stored_end,
                                std::span<const uint8_t> window) {
  cursor_->EndAtBit(stored_end);
  position_ = kNowhere;
  const SeekPoint& point = table_->points()[block];
  if (Status status = inflate_->JumpTo(point, window); !status.ok()) {
    return status;
  }
  position_ = point.plain;
  return Status();
}

Status BlockInflater::Skip(uint64_t size) {
  if (size > 0 && !skipped_.Grow(kSkippedBytes)) return Status::OutOfMemory();
  while (size > 0) {
    const std::span<uint8_t> piece(
        skipped_.data(),
        static_cast<size_t>(std::min<uint64_t>(size, kSkippedBytes)));
    if (Status status = ReadAll(piece); !status.ok()) return status;
    size -= piece.size();
  }
  return Status();
}

Status BlockInflater::ReadAll(std::span<uint8_t> out) {
  uint64_t at = position_;
  position_ = kNowhere;
  while (!out.empty()) {
    const size_t block = table_->BlockOf(at);
    const uint64_t left = table_->PlainEnd(block) - at;
    const Result<size_t> got = ReadOfBlock(
        block, at,
        out.first(static_cast<size_t>(std::min<uint64_t>(out.size(), left))));
    if (!got.ok()) return got.status();
    if (*got == 0) return NotAsSaid(table_->points()[block]);
    out = out.subspan(*got);
    at += *got;
  }
  position_ = at;
  return Status();
}

// If the table says that a member begins at the block, one must begin there.
Result<size_t> BlockInflater::ReadOfBlock(size_t block, uint64_t at,
                                          std::span<uint8_t> out) {
  const SeekPoint& point = table_->points()[block];
  const bool begins = at == point.plain && !point.is_inside;
  if (begins) inflate_->ExpectMember(point.stored_byte());
  const Result<size_t> got = inflate_->Read(out);
  if (begins && got.ok() && !inflate_->has_met_member()) {
    return NotAsSaid(point);
  }
  return got;
}

}  // namespace headrace::compression
