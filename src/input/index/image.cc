#include "src/input/index/image.h"

#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <limits>
#include <type_traits>

#include "src/base/index_names.h"
#include "src/base/little_endian.h"
#include "src/base/system_error.h"
#include "src/input/index/points.h"

namespace headrace::index {
namespace {

// Plain files have indexes of version 1, compressed ones of version 2.
constexpr uint16_t kVersion = 1;
constexpr uint16_t kVersionWithPoints = 2;

// Flags of the head.
constexpr uint16_t kHasTime = 1;
constexpr uint16_t kHasDigests = 2;

// Offsets in the head.
constexpr size_t kVersionAt = 4;
constexpr size_t kFlagsAt = 6;
constexpr size_t kDataSizeAt = 8;
constexpr size_t kTimeAt = 16;
constexpr size_t kFirstDigestAt = 24;
constexpr size_t kLastDigestAt = 32;
constexpr size_t kRecordsAt = 40;
constexpr size_t kStreamBytesAt = 48;
constexpr size_t kDirectoryAt = 56;
constexpr size_t kHeadDigestAt = 64;

// Offsets in an entry of the directory.
constexpr size_t kOffsetAt = 0;
constexpr size_t kLengthsAt = 8;
constexpr size_t kBaseAt = 16;
constexpr size_t kWidthAt = 24;
constexpr size_t kCheckAt = 28;

constexpr uint64_t kNoBlock = ~uint64_t{0};
// Records in random order miss the caches twice each. The entries of blocks are
// prefetched this many records ahead; the lengths to which the entries lead,
// half as many records ahead.
constexpr size_t kRecordsAhead = 16;

// 8 bytes from `p` on must be readable, even if the number has fewer.
template <size_t kWidth>
uint64_t LoadNumber(const uint8_t* p) {
  if constexpr (kWidth == 1) {
    return *p;
  } else if constexpr (kWidth == 2) {
    return LoadLittle16(p);
  } else if constexpr (kWidth == 3) {
    return LoadLittle32(p) & 0xffffff;
  } else if constexpr (kWidth == 4) {
    return LoadLittle32(p);
  } else {
    return LoadLittle64(p);
  }
}

// The sum of the first `count` numbers, and the number after them.
struct SumAndNext {
  uint64_t sum = 0;
  uint64_t next = 0;
};

template <size_t kWidth>
SumAndNext Sum(const uint8_t* numbers, size_t count) {
  // The sum of a block's numbers fits in 32 bits if each has 3 bytes.
  using Total = std::conditional_t<kWidth <= 3, uint32_t, uint64_t>;
  Total sum = 0;
  for (size_t i = 0; i < count; ++i) {
    sum += static_cast<Total>(LoadNumber<kWidth>(numbers + i * kWidth));
  }
  return {.sum = sum, .next = LoadNumber<kWidth>(numbers + count * kWidth)};
}

SumAndNext SumOfWidth(size_t width, const uint8_t* numbers, size_t count) {
  switch (width) {
    case 1:
      return Sum<1>(numbers, count);
    case 2:
      return Sum<2>(numbers, count);
    case 3:
      return Sum<3>(numbers, count);
    case 4:
      return Sum<4>(numbers, count);
    case kMaxWidth:
      return Sum<kMaxWidth>(numbers, count);
    default:
      return {};
  }
}

// Whether the numbers, of 8 bytes each, have a sum of at most `most`.
bool SumsToAtMost(const uint8_t* numbers, uint64_t count, uint64_t most) {
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t number = LoadLittle64(numbers + i * kMaxWidth);
    if (number > most) return false;
    most -= number;
  }
  return true;
}

// Returns the format's smallest width, in bytes, for numbers up to `largest`.
size_t WidthFor(uint64_t largest) {
  const size_t bytes = (static_cast<size_t>(std::bit_width(largest)) + 7) / 8;
  return bytes <= 4 ? bytes : kMaxWidth;
}

}  // namespace

Result<IndexBytes> IndexBytes::ReadOrMap(source::FileStream* file,
                                         const std::string& path) {
  // 32-bit addresses do not reach this far.
  if (file->size() > std::numeric_limits<size_t>::max() / 2) {
    return SystemError("cannot map", EFBIG, path);
  }
  const size_t size = static_cast<size_t>(file->size());
  if (size <= kMaxInMemory) {
    std::vector<uint8_t> bytes(size);
    Result<size_t> got = file->ReadAt(0, bytes);
    if (!got.ok()) return NameFile(got.status(), path);
    if (*got < size) return NameFile(Shrank(size, *got), path);
    return IndexBytes(std::move(bytes));
  }
  void* const address =
      mmap(nullptr, size, PROT_READ, MAP_SHARED, file->descriptor(), 0);
  if (address == MAP_FAILED) return SystemError("cannot map", errno, path);
  // Only a hint, so failure is ignored: records are asked for in any order.
  (void)madvise(address, size, MADV_RANDOM);
  return IndexBytes(
      std::shared_ptr<const uint8_t>(
          static_cast<const uint8_t*>(address),
          [address, size](const uint8_t*) { munmap(address, size); }),
      size);
}

struct Image::Block {
  void SetFields(const uint8_t* entry) {
    offset = LoadLittle64(entry + kOffsetAt);
    base = LoadLittle64(entry + kBaseAt);
    width = LoadLittle32(entry + kWidthAt);
  }

  uint64_t offset;
  uint64_t base;
  size_t width;
  // In the image, or in the copy. The bytes after them that LoadNumber reads
  // are readable: in the image the directory follows.
  const uint8_t* lengths;
  // The bytes that were checked: the entry without its check, then the lengths.
  alignas(8) std::array<uint8_t, kCheckAt + kBlockRecords * kMaxWidth + 8> copy;
};

Status Image::Bad(const std::string& message) const {
  return BadIndex(message, name_);
}

Status Image::BadBlock(uint64_t number) const {
  const uint64_t first = number * kBlockRecords;
  const uint64_t last = std::min(first + kBlockRecords, num_records()) - 1;
  return Bad("the index is damaged where it has the places of records " +
             std::to_string(first) + " to " + std::to_string(last));
}

Result<Image> Image::Open(std::span<const uint8_t> bytes, Bytes whose,
                          const std::string& name,
                          std::shared_ptr<const void> owner) {
  Image image(bytes, name);
  Status status = image.ReadHead(std::move(owner));
  if (!status.ok()) return status;
  if (whose == Bytes::kOurs) {
    image.checked_ = std::make_unique<std::atomic<uint64_t>[]>(
        static_cast<size_t>(NumBlocks(image.num_records()) / 64 + 1));
  }
  return image;
}

std::string Head::Read(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeadBytes) return "the index is cut";
  std::array<uint8_t, kHeadBytes> head;
  std::copy_n(bytes.data(), kHeadBytes, head.data());
  const auto load = [&head](size_t at) { return LoadLittle64(&head[at]); };
  if (!std::equal(kIndexMagic.begin(), kIndexMagic.end(), head.begin()) ||
      load(kHeadDigestAt) != XXH3_64bits(head.data(), kHeadDigestAt)) {
    return "the head of the index is damaged";
  }
  const uint16_t version = LoadLittle16(&head[kVersionAt]);
  const uint16_t flags = LoadLittle16(&head[kFlagsAt]);
  has_points = version == kVersionWithPoints;
  if ((version != kVersion && !has_points) ||
      (flags & ~(kHasTime | kHasDigests)) != 0) {
    return "the index has version " + std::to_string(version) + " and flags " +
           std::to_string(flags) + ", which this headrace does not know";
  }
  identity.size = load(kDataSizeAt);
  if ((flags & kHasTime) != 0) {
    identity.time = static_cast<int64_t>(load(kTimeAt));
  }
  if ((flags & kHasDigests) != 0) {
    identity.digests = {.first = load(kFirstDigestAt),
                        .last = load(kLastDigestAt)};
  }
  num_records = load(kRecordsAt);
  stream_bytes = load(kStreamBytesAt);
  directory_at = load(kDirectoryAt);
  if (stream_bytes > kMaxStreamBytes ||
      (!has_points && stream_bytes != identity.size) ||
      num_records > stream_bytes / kRecordOverhead ||
      (num_records == 0 && stream_bytes > 0)) {
    return "the head of the index contradicts itself";
  }
  return "";
}

Status Image::ReadHead(std::shared_ptr<const void> owner) {
  if (const std::string why = head_.Read(bytes_); !why.empty()) return Bad(why);
  const uint64_t size = bytes_.size();
  if (head_.directory_at < kHeadBytes || head_.directory_at > size ||
      (size - head_.directory_at) / kEntryBytes < NumBlocks(num_records())) {
    return Bad("the index is cut");
  }
  const uint64_t end = head_.directory_end();
  if (head_.has_points) {
    seek_table_ = ReadPoints(bytes_.subspan(static_cast<size_t>(end)), end,
                             identity().size, stream_bytes(), std::move(owner));
    if (seek_table_ == nullptr) return Bad("the index is damaged or cut");
  } else if (end != size) {
    return Bad("the index has bytes after its end");
  }
  return Status();
}

const uint8_t* Image::EntryOf(uint64_t number) const {
  return bytes_.data() + head_.directory_at + number * kEntryBytes;
}

// Numbers and entries may be wrong, so the places that they lead to are
// prefetched, but not read.
void Image::PrefetchFor(std::span<const uint64_t> next) const {
  const auto number = [&](size_t i) {
    return std::min(next[i], num_records() - 1) / kBlockRecords;
  };
  if (next.size() > kRecordsAhead) {
    __builtin_prefetch(EntryOf(number(kRecordsAhead)));
  }
  if (next.size() > kRecordsAhead / 2) {
    const uint64_t at =
        LoadLittle64(EntryOf(number(kRecordsAhead / 2)) + kLengthsAt);
    if (at >= bytes_.size()) return;
    __builtin_prefetch(bytes_.data() + at);
    __builtin_prefetch(bytes_.data() + at + 64);
  }
}

bool Image::Load(uint64_t number, Block* block) const {
  const uint8_t* const entry = EntryOf(number);
  if (checked_ == nullptr) return Check(number, entry, block);
  std::atomic<uint64_t>& word = checked_[static_cast<size_t>(number / 64)];
  const uint64_t bit = uint64_t{1} << (number % 64);
  if ((word.load(std::memory_order_relaxed) & bit) == 0) {
    if (!Check(number, entry, block)) return false;
    word.fetch_or(bit, std::memory_order_relaxed);
    return true;
  }
  block->SetFields(entry);
  block->lengths = bytes_.data() + LoadLittle64(entry + kLengthsAt);
  return true;
}

// If this returns true, all records of the block end inside the file, and Place
// depends only on copies.
bool Image::Check(uint64_t number, const uint8_t* entry, Block* block) const {
  uint8_t* const copy = block->copy.data();
  std::copy_n(entry, kCheckAt, copy);
  const uint32_t check = LoadLittle32(entry + kCheckAt);
  block->SetFields(copy);
  block->lengths = copy + kCheckAt;
  const uint64_t count =
      std::min<uint64_t>(kBlockRecords, num_records() - number * kBlockRecords);
  const uint64_t at = LoadLittle64(copy + kLengthsAt);
  const size_t width = block->width;
  if (width > kMaxWidth || (width > 4 && width < kMaxWidth)) return false;
  const size_t size = width * static_cast<size_t>(count);
  if (at < kHeadBytes || at > head_.directory_at ||
      size > head_.directory_at - at) {
    return false;
  }
  std::copy_n(bytes_.data() + at, size, copy + kCheckAt);
  const uint64_t digest = XXH3_64bits_withSeed(copy, kCheckAt + size, number);
  if (static_cast<uint32_t>(digest) != check ||
      block->offset > stream_bytes() || block->base > stream_bytes() / count ||
      (width == kMaxWidth &&
       !SumsToAtMost(block->lengths, count, stream_bytes()))) {
    return false;
  }
  // No sum overflows: each part is at most kMaxStreamBytes.
  const uint64_t lengths =
      SumOfWidth(width, block->lengths, static_cast<size_t>(count)).sum;
  return count * (kRecordOverhead + block->base) + lengths <=
         stream_bytes() - block->offset;
}

RecordPlace Image::Place(const Block& block, size_t row) {
  const SumAndNext more = SumOfWidth(block.width, block.lengths, row);
  return {
      .offset = block.offset + row * (kRecordOverhead + block.base) + more.sum,
      .length = block.base + more.next};
}

Status Image::Find(std::span<const uint64_t> records,
                   std::span<RecordPlace> places) const {
  if (places.size() != records.size()) {
    return Status(ErrorCode::kInvalidArgument,
                  "expected a place for each record");
  }
  Block block;
  uint64_t loaded = kNoBlock;
  for (size_t i = 0; i < records.size(); ++i) {
    const uint64_t record = records[i];
    if (record >= num_records()) {
      return Status(ErrorCode::kInvalidArgument,
                    "there is no record " + std::to_string(record) +
                        ": the index has " + std::to_string(num_records()));
    }
    const uint64_t number = record / kBlockRecords;
    if (number != loaded) {
      PrefetchFor(records.subspan(i));
      if (!Load(number, &block)) return BadBlock(number);
    }
    loaded = number;
    places[i] = Place(block, static_cast<size_t>(record % kBlockRecords));
  }
  return Status();
}

ImageWriter::ImageWriter() : image_(kHeadBytes) {}

void ImageWriter::Add(uint64_t length) {
  assert(length <= kMaxStreamBytes - kRecordOverhead - end_);
  lengths_[static_cast<size_t>(num_records_ % kBlockRecords)] = length;
  ++num_records_;
  end_ += kRecordOverhead + length;
  if (num_records_ % kBlockRecords == 0) CloseBlock();
}

// The number of a block is the seed of its check, so the check of an entry
// fails in any other place.
void ImageWriter::CloseBlock() {
  const uint64_t block = (num_records_ - 1) / kBlockRecords;
  const auto lengths = std::span(lengths_).first(
      static_cast<size_t>(num_records_ - block * kBlockRecords));
  const auto [least, most] =
      std::minmax_element(lengths.begin(), lengths.end());
  const uint64_t base = *least;
  const size_t width = WidthFor(*most - base);

  std::array<uint8_t, kCheckAt + kBlockRecords * kMaxWidth> checked;
  StoreLittle64(checked.data() + kOffsetAt, block_offset_);
  StoreLittle64(checked.data() + kLengthsAt, image_.size());
  StoreLittle64(checked.data() + kBaseAt, base);
  StoreLittle32(checked.data() + kWidthAt, static_cast<uint32_t>(width));
  uint8_t* out = checked.data() + kCheckAt;
  for (const uint64_t length : lengths) {
    std::array<uint8_t, sizeof(uint64_t)> bytes;
    StoreLittle64(bytes.data(), length - base);
    out = std::copy_n(bytes.data(), width, out);
  }
  std::array<uint8_t, sizeof(uint32_t)> check;
  StoreLittle32(
      check.data(),
      static_cast<uint32_t>(XXH3_64bits_withSeed(
          checked.data(), static_cast<size_t>(out - checked.data()), block)));
  directory_.insert(directory_.end(), checked.data(),
                    checked.data() + kCheckAt);
  directory_.insert(directory_.end(), check.begin(), check.end());
  image_.insert(image_.end(), checked.data() + kCheckAt, out);
  block_offset_ = end_;
}

std::vector<uint8_t> ImageWriter::Finish(const FileIdentity& identity,
                                         const compression::SeekTable* table) {
  if (num_records_ % kBlockRecords != 0) CloseBlock();
  const uint64_t directory_at = image_.size();
  image_.insert(image_.end(), directory_.begin(), directory_.end());
  if (table != nullptr) AppendPoints(*table, &image_);
  uint8_t* const head = image_.data();
  const auto digests = identity.digests.value_or(FileIdentity::Digests());
  std::copy(kIndexMagic.begin(), kIndexMagic.end(), head);
  StoreLittle16(head + kVersionAt,
                table != nullptr ? kVersionWithPoints : kVersion);
  StoreLittle16(head + kFlagsAt,
                static_cast<uint16_t>((identity.time ? kHasTime : 0) |
                                      (identity.digests ? kHasDigests : 0)));
  StoreLittle64(head + kDataSizeAt, identity.size);
  StoreLittle64(head + kTimeAt,
                static_cast<uint64_t>(identity.time.value_or(0)));
  StoreLittle64(head + kFirstDigestAt, digests.first);
  StoreLittle64(head + kLastDigestAt, digests.last);
  StoreLittle64(head + kRecordsAt, num_records_);
  StoreLittle64(head + kStreamBytesAt, end_);
  StoreLittle64(head + kDirectoryAt, directory_at);
  StoreLittle64(head + kHeadDigestAt, XXH3_64bits(head, kHeadDigestAt));
  return std::move(image_);
}

}  // namespace headrace::index
