#include "src/input/deflate/seek_table.h"

#include <algorithm>

namespace headrace::compression {
namespace {

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

}  // namespace headrace::compression
