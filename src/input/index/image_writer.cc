#include "src/input/index/image_writer.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <span>
#include <utility>

#include "src/base/little_endian.h"
#include "src/input/index/points.h"

namespace headrace::index {
namespace {

// Returns the format's smallest width, in bytes, for numbers up to `largest`.
size_t WidthFor(uint64_t largest) {
  const size_t bytes = (static_cast<size_t>(std::bit_width(largest)) + 7) / 8;
  return bytes <= 4 ? bytes : kMaxWidth;
}

void StoreLittle16(uint8_t* p, uint16_t value) {
  std::memcpy(p, &value, sizeof(value));
}

}  // namespace

ImageWriter::ImageWriter() : image_(kHeadBytes) {}

void ImageWriter::Add(uint64_t length) {
  assert(length <= kMaxStreamBytes - kRecordOverhead - end_);
  lengths_[static_cast<size_t>(num_records_ % kBlockRecords)] = length;
  ++num_records_;
  end_ += kRecordOverhead + length;
  if (num_records_ % kBlockRecords == 0) CloseBlock();
}

// The number of a block is the seed of its check, so an entry is wrong in any
// other place.
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
  std::copy(kMagic.begin(), kMagic.end(), head);
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
