#include "src/input/index/points.h"

#include <xxhash.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "headrace/types.h"
#include "src/base/little_endian.h"

namespace headrace::index {
namespace {

using compression::SeekPoint;
using compression::SeekTable;

// Offsets in the head of the points.
constexpr size_t kPointsCountAt = 0;
constexpr size_t kPointsCompressionAt = 8;
constexpr size_t kPointsCheckAt = 16;
constexpr size_t kPointsHeadBytes = 24;

// Offsets in the entry of a point.
constexpr size_t kPointBitAt = 0;
constexpr size_t kPointPlainAt = 8;
constexpr size_t kPointCheckAt = 16;
constexpr size_t kPointSizeAt = 20;
constexpr size_t kPointDigestAt = 24;
constexpr size_t kPointWindowAt = 32;
constexpr size_t kPointWindowSizeAt = 40;
constexpr size_t kPointFlagsAt = 44;
constexpr size_t kPointBytes = 48;
constexpr uint32_t kPointIsInside = 1;

// The numbers of the compressions in the format.
constexpr std::pair<uint64_t, Compression> kCompressions[] = {
    {1, Compression::kGzip}, {2, Compression::kZlib}, {3, Compression::kZstd}};

uint64_t NumberOf(Compression compression) {
  for (const auto& [number, known] : kCompressions) {
    if (known == compression) return number;
  }
  return 0;
}

std::optional<Compression> CompressionOf(uint64_t number) {
  for (const auto& [known, compression] : kCompressions) {
    if (known == number) return compression;
  }
  return {};
}

// Does not check the window, whose digest is compared when it is used.
std::optional<SeekPoint> ReadPoint(const uint8_t* entry,
                                   std::span<const uint8_t> rest,
                                   uint64_t begin) {
  SeekPoint point{
      .stored_bit = LoadLittle64(entry + kPointBitAt),
      .plain = LoadLittle64(entry + kPointPlainAt),
      .state = {.check = LoadLittle32(entry + kPointCheckAt),
                .size = LoadLittle32(entry + kPointSizeAt)},
      .window_digest = LoadLittle64(entry + kPointDigestAt),
  };
  const uint64_t at = LoadLittle64(entry + kPointWindowAt) - begin;
  const uint32_t size = LoadLittle32(entry + kPointWindowSizeAt);
  const uint32_t flags = LoadLittle32(entry + kPointFlagsAt);
  if (flags > kPointIsInside || at > rest.size() || size > rest.size() - at) {
    return {};
  }
  point.is_inside = flags == kPointIsInside;
  point.window = rest.subspan(static_cast<size_t>(at), size);
  return point;
}

}  // namespace

bool HasPoints(Compression compression) { return NumberOf(compression) != 0; }

void AppendPoints(const SeekTable& table, std::vector<uint8_t>* image) {
  const auto points = table.points();
  const size_t begin = image->size();
  const size_t entries = begin + kPointsHeadBytes;
  image->resize(entries + points.size() * kPointBytes);
  for (size_t i = 0; i < points.size(); ++i) {
    const SeekPoint& point = points[i];
    uint8_t* const entry = image->data() + entries + i * kPointBytes;
    StoreLittle64(entry + kPointBitAt, point.stored_bit);
    StoreLittle64(entry + kPointPlainAt, point.plain);
    StoreLittle32(entry + kPointCheckAt, point.state.check);
    StoreLittle32(entry + kPointSizeAt, point.state.size);
    StoreLittle64(entry + kPointDigestAt, point.window_digest);
    StoreLittle64(entry + kPointWindowAt, image->size());
    StoreLittle32(entry + kPointWindowSizeAt,
                  static_cast<uint32_t>(point.window.size()));
    StoreLittle32(entry + kPointFlagsAt, point.is_inside ? kPointIsInside : 0);
    image->insert(image->end(), point.window.begin(), point.window.end());
  }
  uint8_t* const head = image->data() + begin;
  StoreLittle64(head + kPointsCountAt, points.size());
  StoreLittle64(head + kPointsCompressionAt, NumberOf(table.compression()));
  StoreLittle64(
      head + kPointsCheckAt,
      XXH3_64bits(image->data() + entries, points.size() * kPointBytes));
}

// The bytes may be mapped, and so may change: entries are copied, checked, and
// used from the copy.
std::shared_ptr<const SeekTable> ReadPoints(std::span<const uint8_t> rest,
                                            uint64_t begin,
                                            uint64_t stored_size,
                                            uint64_t plain_size,
                                            std::shared_ptr<const void> owner) {
  if (rest.size() < kPointsHeadBytes) return nullptr;
  const uint64_t count = LoadLittle64(rest.data() + kPointsCountAt);
  const auto compression =
      CompressionOf(LoadLittle64(rest.data() + kPointsCompressionAt));
  const uint64_t check = LoadLittle64(rest.data() + kPointsCheckAt);
  const auto after = rest.subspan(kPointsHeadBytes);
  if (!compression || count > after.size() / kPointBytes) return nullptr;
  const auto entries = after.first(static_cast<size_t>(count) * kPointBytes);
  const std::vector<uint8_t> copy(entries.begin(), entries.end());
  if (XXH3_64bits(copy.data(), copy.size()) != check) return nullptr;
  std::vector<SeekPoint> points;
  points.reserve(static_cast<size_t>(count));
  for (size_t i = 0; i < copy.size(); i += kPointBytes) {
    const std::optional<SeekPoint> point =
        ReadPoint(copy.data() + i, rest, begin);
    if (!point) return nullptr;
    points.push_back(*point);
  }
  return SeekTable::Make(*compression, std::move(points), stored_size,
                         plain_size, std::move(owner));
}

}  // namespace headrace::index
