#include "src/input/deflate/seek_table.h"

#include <algorithm>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/input/deflate/packed_window.h"

namespace headrace::compression {
namespace {

// Minimum bytes of a block; shorter members share a point with the members
// before them.
constexpr uint64_t kMinBlock = uint64_t{64} << 10;

// Stored bytes to read for a window; they seldom inflate to less than a window.
constexpr size_t kStoredWindow = kDeflateWindow + (size_t{16} << 10);

bool Follows(const SeekPoint& point, const SeekPoint& last) {
  return point.stored_bit > last.stored_bit && point.plain >= last.plain;
}

bool IsRight(std::span<const SeekPoint> points, uint64_t stored_size,
             uint64_t plain_size) {
  if (points.empty() || points[0].stored_bit != 0 || points[0].plain != 0) {
    return false;
  }
  for (size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && !Follows(points[i], points[i - 1])) return false;
    if (points[i].is_inside ? i == 0 : points[i].stored_bit % 8 != 0) {
      return false;
    }
  }
  return points.back().stored_byte() < stored_size &&
         points.back().plain <= plain_size;
}

}  // namespace

std::shared_ptr<const SeekTable> SeekTable::Make(
    Compression compression, std::vector<SeekPoint> points,
    uint64_t stored_size, uint64_t plain_size,
    std::shared_ptr<const void> owner, Origin origin) {
  if (!IsRight(points, stored_size, plain_size)) return nullptr;
  SeekTable table;
  table.compression_ = compression;
  table.points_ = std::move(points);
  table.stored_size_ = stored_size;
  table.plain_size_ = plain_size;
  table.owner_ = std::move(owner);
  table.origin_ = origin;
  for (size_t i = 0; i < table.points_.size(); ++i) {
    table.largest_block_ = std::max(table.largest_block_,
                                    table.PlainEnd(i) - table.points_[i].plain);
  }
  return std::make_shared<const SeekTable>(std::move(table));
}

size_t SeekTable::BlockOf(uint64_t plain) const {
  const auto next = std::upper_bound(
      points_.begin(), points_.end(), plain,
      [](uint64_t at, const SeekPoint& point) { return at < point.plain; });
  return static_cast<size_t>(next - points_.begin() - 1);
}

// A block has either whole members or a piece of one member. So the state of
// the point that begins a block is all that is needed to compare the trailer of
// a member.
void SeekTableBuilder::BeginMember(uint64_t stored_byte) {
  member_ = {.stored_bit = 8 * stored_byte, .plain = plain_};
  has_member_point_ = points_.empty() || points_.back().is_inside ||
                      plain_ - last_point_ >= std::min(spacing_, kMinBlock);
  if (!has_member_point_ || !failure_.ok()) return;
  failure_ = CatchOutOfMemory([this] {
    points_.push_back(member_);
    return Status();
  });
  last_point_ = plain_;
}

void SeekTableBuilder::Add(std::span<const uint8_t> bytes) {
  plain_ += bytes.size();
  const auto last = bytes.last(std::min(bytes.size(), kDeflateWindow));
  if (!failure_.ok()) return;
  failure_ = CatchOutOfMemory([&] {
    if (recent_.size() + last.size() > 4 * kDeflateWindow) {
      recent_.erase(recent_.begin(), recent_.end() - kDeflateWindow);
    }
    recent_.insert(recent_.end(), last.begin(), last.end());
    return Status();
  });
}

void SeekTableBuilder::AddPoint(uint64_t stored_bit, const MemberState& state) {
  if (!failure_.ok()) return;
  failure_ = CatchOutOfMemory([&] { return TryAddPoint(stored_bit, state); });
}

Status SeekTableBuilder::TryAddPoint(uint64_t stored_bit,
                                     const MemberState& state) {
  if (Status status = PackLastWindow(); !status.ok()) return status;
  if (!has_member_point_) points_.push_back(member_);
  has_member_point_ = true;
  points_.push_back({.stored_bit = stored_bit,
                     .plain = plain_,
                     .is_inside = true,
                     .state = state});
  window_.assign(recent_.end() - kDeflateWindow, recent_.end());
  last_point_ = plain_;
  return Status();
}

// Only the blocks after a point show which bytes of the window they refer to.
// In a file these blocks are read once more; in a pipe the point would have to
// wait for them.
Status SeekTableBuilder::PackLastWindow() {
  if (window_.empty()) return Status();
  const DeflateWindow window(window_.data(), kDeflateWindow);
  const auto point =
      std::find_if(points_.rbegin(), points_.rend(),
                   [](const SeekPoint& p) { return p.is_inside; });
  if (stored_ != nullptr) {
    std::vector<uint8_t> stored(kStoredWindow);
    const Result<size_t> got = stored_->ReadAt(point->stored_byte(), stored);
    if (!got.ok()) return got.status();
    const Status status =
        LeaveOutUnused(std::span(stored).first(*got),
                       static_cast<int>(point->stored_bit % 8), window);
    if (!status.ok()) return status;
  }
  Result<std::vector<uint8_t>> packed = PackWindow(window);
  if (!packed.ok()) return packed.status();
  windows_->push_back(*std::move(packed));
  point->window = windows_->back();
  point->window_digest = WindowDigest(window);
  window_.clear();
  return Status();
}

Result<std::shared_ptr<const SeekTable>> SeekTableBuilder::Finish(
    Compression compression, uint64_t stored_size) {
  if (!failure_.ok()) return failure_;
  if (Status status = PackLastWindow(); !status.ok()) return status;
  return SeekTable::Make(compression, std::move(points_), stored_size, plain_,
                         windows_);
}

}  // namespace headrace::compression
