// Any bytes are an index: an image, read as the naive reader does, or a file,
// whose places must follow one another and be written again as they were read.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/fuzzing.h"
#include "headrace/index.h"
#include "src/input/index/image.h"
#include "tests/index/naive_index.h"
#include "tests/support/temporary_file.h"

namespace headrace::fuzzing {
namespace {

using testing::NaiveIndex;
using testing::PlacesOf;
using testing::TemporaryFile;

void CheckImage(std::string_view bytes, index::Bytes whose) {
  // The memory has just this size, so a sanitizer sees each byte too far.
  const auto copy = std::make_unique<uint8_t[]>(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), copy.get());
  const auto image =
      index::Image::Open({copy.get(), bytes.size()}, whose, "index");
  const auto expected = testing::ReadNaively(bytes);
  Require(image.ok() == expected.has_value(), "opened otherwise");
  if (!expected) return;
  Require(image->num_records() == expected->size(), "another number");
  for (size_t i = 0; i < 2 * expected->size(); ++i) {
    // The second time some blocks are known.
    const size_t number = i % expected->size();
    const std::array<uint64_t, 1> record = {number};
    std::array<RecordPlace, 1> place;
    const Status status = image->Find(record, place);
    Require(status.ok() == (*expected)[number].has_value(), "found otherwise");
    Require(!status.ok() || place[0] == *(*expected)[number], "another place");
  }
}

void CheckTiles(const NaiveIndex& places, uint64_t size) {
  uint64_t at = 0;
  for (const auto& place : places) {
    Require(place && place->offset == at, "a gap");
    at += 16 + place->length;
  }
  Require(at == size, "another size");
}

void CheckFile(std::string_view bytes) {
  const TemporaryFile file(bytes);
  const auto index = Index::Open(file.path());
  if (!index.ok()) {
    Require(index.status().code() == ErrorCode::kBadIndex, "another error");
    return;
  }
  if (bytes.starts_with("HRI1")) return;
  const NaiveIndex places = PlacesOf(*index);
  CheckTiles(places, index->stream_bytes());
  Require(index->SaveText(file.path()).ok(), "not written");
  const auto again = Index::Open(file.path());
  Require(again.ok() && PlacesOf(*again) == places, "written otherwise");
}

std::vector<uint64_t> NewLengths(Random* random) {
  std::vector<uint64_t> lengths(random->Below(random->OneIn(3) ? 200 : 10));
  const size_t bits = random->Below(50);
  for (uint64_t& length : lengths) length = random->Bits() >> (63 - bits);
  return lengths;
}

std::string NewImage(Random* random) {
  index::ImageWriter writer;
  for (const uint64_t length : NewLengths(random)) writer.Add(length);
  const std::vector<uint8_t> image =
      writer.Finish({.size = writer.stream_bytes()});
  return std::string(image.begin(), image.end());
}

std::string NewText(Random* random) {
  std::string text;
  uint64_t at = 0;
  for (const uint64_t length : NewLengths(random)) {
    text += std::to_string(at) + " " + std::to_string(length + 16) + "\n";
    at += length + 16;
  }
  return text;
}

// A number of 8 bytes is another one.
void ChangeNumber(std::string* bytes, Random* random) {
  const size_t size = sizeof(uint64_t);
  if (bytes->size() < size) return;
  const size_t at = 4 * random->Below((bytes->size() - size) / 4 + 1);
  uint64_t number = 0;
  std::memcpy(&number, bytes->data() + at, size);
  switch (random->Below(3)) {
    case 0:
      number = random->Bits() >> random->Below(64);
      break;
    case 1:
      number = uint64_t{1} << random->Below(64);
      break;
    default:
      number += random->Below(9) - 4;
  }
  std::memcpy(bytes->data() + at, &number, size);
}

void ChangeBytes(std::string* bytes, Random* random) {
  const size_t at = random->Below(bytes->size() + 1);
  switch (random->Below(4)) {
    case 0:
      bytes->resize(at);
      break;
    case 1:
      bytes->insert(at, random->Bytes(1 + random->Below(4)));
      break;
    case 2:
      bytes->erase(at, 1 + random->Below(40));
      break;
    default:
      if (at == bytes->size()) break;
      (*bytes)[at] = static_cast<char>((*bytes)[at] ^ (1 << random->Below(8)));
  }
}

}  // namespace

// The first byte chooses; the others are the index.
void CheckInput(std::string_view input) {
  Choices choices(input);
  const size_t choice = choices.Below(4);
  const std::string_view bytes =
      input.substr(std::min<size_t>(input.size(), 1));
  if (choice == 0) return CheckFile(bytes);
  CheckImage(bytes, choice == 1 ? index::Bytes::kOurs : index::Bytes::kMapped);
}

std::string NewInput(Random* random) {
  if (random->OneIn(4)) return std::string(1, '\0') + NewText(random);
  return random->Bytes(1) + NewImage(random);
}

std::string ChangeInput(std::string_view input, Random* random) {
  std::string bytes(input.substr(std::min<size_t>(input.size(), 1)));
  for (size_t changes = 1 + random->Below(3); changes > 0; --changes) {
    if (random->OneIn(2)) {
      ChangeNumber(&bytes, random);
    } else {
      ChangeBytes(&bytes, random);
    }
  }
  if (bytes.starts_with("HRI1") && !random->OneIn(8)) {
    testing::SealIndex(&bytes);
  }
  return std::string(input.substr(0, 1)) + bytes;
}

}  // namespace headrace::fuzzing
