#include "tests/index/naive_index.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <limits>

namespace headrace::testing {

uint64_t NumberIn(std::string_view index, size_t at, size_t width) {
  uint64_t number = 0;
  for (size_t i = 0; i < width; ++i) {
    number |= uint64_t{static_cast<uint8_t>(index[at + i])} << (8 * i);
  }
  return number;
}

void SetNumberIn(std::string* index, size_t at, size_t width, uint64_t number) {
  for (size_t i = 0; i < width; ++i) {
    (*index)[at + i] = static_cast<char>(number >> (8 * i));
  }
}

namespace {

constexpr size_t kHead = 72;
constexpr size_t kEntry = 32;
constexpr size_t kPointsHead = 24;
constexpr size_t kPoint = 48;
constexpr uint64_t kLargestFile = uint64_t{1} << 61;

// A sum that no number holds is as large as one can be.
uint64_t Plus(uint64_t a, uint64_t b) {
  const uint64_t sum = a + b;
  return sum < a ? ~uint64_t{0} : sum;
}

struct NaiveBlock {
  size_t entry;  // where it lies
  uint64_t number;
  uint64_t count;
};

bool HasPoints(std::string_view index) { return NumberIn(index, 4, 2) == 2; }

// The blocks as the head counts them; nothing where the index is cut, or has
// more bytes than they and no points.
std::optional<std::vector<NaiveBlock>> BlocksOf(std::string_view index) {
  if (index.size() < kHead) return std::nullopt;
  const uint64_t records = NumberIn(index, 40, 8);
  const uint64_t directory = NumberIn(index, 56, 8);
  if (directory < kHead || directory > index.size()) return std::nullopt;
  const size_t bytes = index.size() - static_cast<size_t>(directory);
  const uint64_t blocks = records / 64 + (records % 64 != 0 ? 1 : 0);
  if (bytes / kEntry < blocks) return std::nullopt;
  if (!HasPoints(index) && bytes != blocks * kEntry) return std::nullopt;
  std::vector<NaiveBlock> result;
  for (uint64_t i = 0; i < blocks; ++i) {
    result.push_back({.entry = static_cast<size_t>(directory + i * kEntry),
                      .number = i,
                      .count = std::min<uint64_t>(64, records - i * 64)});
  }
  return result;
}

// The lengths as they are stored; nothing where they lie elsewhere.
std::optional<std::string_view> LengthsOf(std::string_view index,
                                          const NaiveBlock& block) {
  const uint64_t width = NumberIn(index, block.entry + 24, 4);
  const uint64_t at = NumberIn(index, block.entry + 8, 8);
  const uint64_t end = NumberIn(index, 56, 8);
  if (width != 8 && width > 4) return std::nullopt;
  const uint64_t size = width * block.count;
  if (at < kHead || Plus(at, size) > end) return std::nullopt;
  return index.substr(static_cast<size_t>(at), static_cast<size_t>(size));
}

uint32_t CheckOf(std::string_view index, const NaiveBlock& block,
                 std::string_view lengths) {
  const std::string checked =
      std::string(index.substr(block.entry, 28)) + std::string(lengths);
  return static_cast<uint32_t>(
      XXH3_64bits_withSeed(checked.data(), checked.size(), block.number));
}

void ReadBlock(std::string_view index, const NaiveBlock& block,
               NaiveIndex* places) {
  places->resize(places->size() + static_cast<size_t>(block.count));
  const auto lengths = LengthsOf(index, block);
  if (!lengths ||
      NumberIn(index, block.entry + 28, 4) != CheckOf(index, block, *lengths)) {
    return;
  }
  const size_t width =
      static_cast<size_t>(NumberIn(index, block.entry + 24, 4));
  const uint64_t base = NumberIn(index, block.entry + 16, 8);
  uint64_t at = NumberIn(index, block.entry, 8);
  NaiveIndex found;
  for (size_t i = 0; i < block.count; ++i) {
    const uint64_t length = Plus(base, NumberIn(*lengths, i * width, width));
    found.push_back(RecordPlace{.offset = at, .length = length});
    at = Plus(at, Plus(16, length));
  }
  if (at > NumberIn(index, 48, 8)) return;
  std::copy_backward(found.begin(), found.end(), places->end());
}

// Where the head of the points lies; nothing where it is cut.
std::optional<size_t> PointsOf(std::string_view index) {
  const auto blocks = BlocksOf(index);
  if (!blocks || !HasPoints(index)) return std::nullopt;
  const size_t at =
      static_cast<size_t>(NumberIn(index, 56, 8)) + blocks->size() * kEntry;
  if (index.size() - at < kPointsHead) return std::nullopt;
  return at;
}

uint64_t CheckOfPoints(std::string_view index,
                       const std::vector<size_t>& entries) {
  return entries.empty()
             ? XXH3_64bits(index.data(), 0)
             : XXH3_64bits(index.data() + entries[0], entries.size() * kPoint);
}

bool PointsAreRight(std::string_view index) {
  const auto at = PointsOf(index);
  if (!at) return false;
  const std::vector<size_t> entries = PointEntries(index);
  const uint64_t compression = NumberIn(index, *at + 8, 8);
  if (entries.empty() || compression < 1 || compression > 3 ||
      NumberIn(index, *at + 16, 8) != CheckOfPoints(index, entries)) {
    return false;
  }
  uint64_t last_bit = 0;
  uint64_t last_plain = 0;
  for (const size_t entry : entries) {
    const bool is_first = entry == entries[0];
    const uint64_t bit = NumberIn(index, entry, 8);
    const uint64_t plain = NumberIn(index, entry + 8, 8);
    const uint64_t window = NumberIn(index, entry + 32, 8);
    const uint64_t flags = NumberIn(index, entry + 44, 4);
    if (flags > 1 || window < *at ||
        Plus(window, NumberIn(index, entry + 40, 4)) > index.size() ||
        (flags == 0 && bit % 8 != 0)) {
      return false;
    }
    if (is_first ? bit != 0 || plain != 0 || flags != 0
                 : bit <= last_bit || plain < last_plain) {
      return false;
    }
    last_bit = bit;
    last_plain = plain;
  }
  return last_bit / 8 < NumberIn(index, 8, 8) &&
         last_plain <= NumberIn(index, 48, 8);
}

}  // namespace

std::vector<size_t> PointEntries(std::string_view index) {
  const auto at = PointsOf(index);
  if (!at) return {};
  const size_t begin = *at + kPointsHead;
  const uint64_t count = NumberIn(index, *at, 8);
  if (count > (index.size() - begin) / kPoint) return {};
  std::vector<size_t> entries;
  for (size_t i = 0; i < count; ++i) entries.push_back(begin + i * kPoint);
  return entries;
}

std::vector<RecordPlace> NaivePlaces(std::string_view file) {
  std::vector<RecordPlace> places;
  for (size_t at = 0; at < file.size();) {
    const uint64_t length = NumberIn(file, at, 8);
    places.push_back({.offset = at, .length = length});
    at += 16 + static_cast<size_t>(length);
  }
  return places;
}

std::optional<NaiveIndex> ReadNaively(std::string_view index) {
  const auto blocks = BlocksOf(index);
  if (!blocks || index.substr(0, 4) != "HRI1" ||
      (NumberIn(index, 4, 2) != 1 && !PointsAreRight(index)) ||
      NumberIn(index, 6, 2) > 3 ||
      NumberIn(index, 64, 8) != XXH3_64bits(index.data(), 64)) {
    return std::nullopt;
  }
  const uint64_t records = NumberIn(index, 40, 8);
  const uint64_t end = NumberIn(index, 48, 8);
  if ((!HasPoints(index) && end != NumberIn(index, 8, 8)) ||
      end > kLargestFile || records > end / 16 ||
      (records == 0) != (end == 0)) {
    return std::nullopt;
  }
  NaiveIndex places;
  for (const NaiveBlock& block : *blocks) ReadBlock(index, block, &places);
  return places;
}

void SealIndex(std::string* index) {
  if (index->size() < kHead) return;
  if (const auto points = PointsOf(*index)) {
    SetNumberIn(index, *points + 16, 8,
                CheckOfPoints(*index, PointEntries(*index)));
  }
  SetNumberIn(index, 64, 8, XXH3_64bits(index->data(), 64));
  const auto blocks = BlocksOf(*index);
  if (!blocks) return;
  for (const NaiveBlock& block : *blocks) {
    const auto lengths = LengthsOf(*index, block);
    if (!lengths) continue;
    SetNumberIn(index, block.entry + 28, 4, CheckOf(*index, block, *lengths));
  }
}

NaiveIndex PlacesOf(const Index& index) {
  NaiveIndex places(static_cast<size_t>(index.size()));
  for (size_t i = 0; i < places.size(); ++i) {
    const std::array<uint64_t, 1> record = {i};
    std::array<RecordPlace, 1> place;
    if (index.Find(record, place).ok()) places[i] = place[0];
  }
  return places;
}

}  // namespace headrace::testing
