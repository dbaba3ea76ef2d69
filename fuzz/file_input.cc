#include "fuzz/file_input.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "tests/random/mutator.h"
#include "tests/support/record_file.h"

namespace headrace::fuzzing {
namespace {

using testing::FramedRecord;
using testing::RecordHeader;

std::string NewChoices(Random* random) { return random->Bytes(kFileChoices); }

std::string NewPayload(Random* random) {
  if (random->OneIn(3)) {
    return testing::RandomExample(random->Bits(), {}).Next();
  }
  // A rescan may take a file in a file for records.
  std::string payload = random->Bytes(random->Below(20));
  if (random->OneIn(4)) payload += FramedRecord(payload);
  return payload;
}

// Pieces are records as far as headers are right, then the rest.
std::vector<std::string> Pieces(std::string_view file) {
  std::vector<std::string> pieces;
  while (file.size() >= kRecordOverhead) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(file.data());
    if (!IsRecordHeader(bytes)) break;
    const uint64_t length = LoadLittle64(bytes);
    if (length > file.size() - kRecordOverhead) break;
    const size_t size = static_cast<size_t>(length) + kRecordOverhead;
    pieces.emplace_back(file.substr(0, size));
    file.remove_prefix(size);
  }
  if (!file.empty()) pieces.emplace_back(file);
  return pieces;
}

// The bytes between header and footer are framed anew.
std::string Resealed(std::string_view piece) {
  if (piece.size() < kRecordOverhead) return std::string(piece);
  return FramedRecord(piece.substr(12, piece.size() - kRecordOverhead));
}

void Damage(std::string* piece, Random* random) {
  const size_t at = random->Below(piece->size() + 1);
  switch (random->Below(5)) {
    case 0:
      piece->resize(at);
      break;
    case 1:
      piece->insert(at, random->Bytes(1 + random->Below(20)));
      break;
    case 2:
      piece->erase(at, 1 + random->Below(4));
      break;
    case 3:
      piece->insert(at, random->Below(40), '\0');
      break;
    default:
      if (at == piece->size()) break;
      (*piece)[at] = static_cast<char>((*piece)[at] ^ (1 << random->Below(8)));
  }
}

// A header with a right checksum declares what it likes.
std::string Liar(size_t size, Random* random) {
  switch (random->Below(4)) {
    case 0:
      return RecordHeader(random->Below(2 * size + 2));
    case 1:
      return RecordHeader(random->Bits());
    case 2:
      return RecordHeader((uint64_t{1} << (31 + random->Below(33))) -
                          random->Below(3));
    default:
      return RecordHeader(random->Below(40));
  }
}

void ChangePiece(std::string* piece, Random* random) {
  switch (random->Below(6)) {
    case 0:
      *piece = Liar(piece->size(), random) +
               (piece->size() > 12 ? piece->substr(12) : std::string());
      break;
    case 1:
      if (piece->size() < kRecordOverhead) break;
      *piece = FramedRecord(testing::Mutator(random->Bits())
                                .Mutate(std::string_view(*piece).substr(
                                    12, piece->size() - kRecordOverhead)));
      break;
    default:
      Damage(piece, random);
      if (!random->OneIn(8) && random->OneIn(2)) *piece = Resealed(*piece);
  }
}

}  // namespace

std::string NewFile(Random* random) {
  std::string input = NewChoices(random);
  for (size_t i = random->Below(5); i > 0; --i) {
    input += FramedRecord(NewPayload(random));
  }
  return input;
}

std::string ChangeFile(std::string_view input, Random* random) {
  if (input.size() <= kFileChoices || random->OneIn(12)) {
    const std::string_view file =
        input.substr(std::min<size_t>(input.size(), kFileChoices));
    return NewChoices(random).append(file);
  }
  std::vector<std::string> pieces = Pieces(input.substr(kFileChoices));
  std::string& piece = pieces[random->Below(pieces.size())];
  switch (random->Below(10)) {
    case 0:
      pieces.push_back(FramedRecord(NewPayload(random)));
      break;
    case 1: {
      std::string copy = piece;
      pieces.push_back(std::move(copy));
      break;
    }
    case 2:
      std::swap(piece, pieces.back());
      pieces.pop_back();
      break;
    case 3:
      std::swap(piece, pieces[random->Below(pieces.size())]);
      break;
    default:
      ChangePiece(&piece, random);
  }
  std::string changed(input.substr(0, kFileChoices));
  for (const std::string& part : pieces) changed += part;
  return changed;
}

}  // namespace headrace::fuzzing
