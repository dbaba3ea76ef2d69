// TFRecord files: framing with right and with wrong checksums.

#ifndef HEADRACE_FUZZING_RECORDS_H_
#define HEADRACE_FUZZING_RECORDS_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/fuzzing/messages.h"
#include "headrace/fuzzing/random.h"

namespace headrace::fuzzing {

// The size of a record's header, and of its header and footer together.
inline constexpr size_t kHeaderBytes = 12;
inline constexpr size_t kFramingBytes = 16;

// The masked CRC32C of TFRecord files.
inline uint32_t MaskedCrc(std::string_view bytes) {
  uint32_t crc = ~uint32_t{0};
  for (const char byte : bytes) {
    crc ^= static_cast<uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0u);
    }
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

inline std::string Little(uint64_t value, size_t size) {
  std::string bytes;
  for (size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8 * i);
  return bytes;
}

inline std::string RecordHeader(uint64_t length) {
  const std::string bytes = Little(length, 8);
  return bytes + Little(MaskedCrc(bytes), 4);
}

inline std::string Framed(std::string_view payload) {
  return RecordHeader(payload.size()) + std::string(payload) +
         Little(MaskedCrc(payload), 4);
}

// Returns the records up to the first wrong header, then the rest as one piece.
inline std::vector<std::string> Pieces(std::string_view file) {
  std::vector<std::string> pieces;
  while (file.size() >= kFramingBytes) {
    uint64_t length = 0;
    for (size_t i = 8; i > 0; --i) {
      length = length << 8 | static_cast<uint8_t>(file[i - 1]);
    }
    if (file.substr(0, kHeaderBytes) != RecordHeader(length)) break;
    if (length > file.size() - kFramingBytes) break;
    const size_t size = static_cast<size_t>(length) + kFramingBytes;
    pieces.emplace_back(file.substr(0, size));
    file.remove_prefix(size);
  }
  if (!file.empty()) pieces.emplace_back(file);
  return pieces;
}

class RecordsMutator {
 public:
  // Uses `make` and `change` to make and change payloads, such as Examples.
  template <class Make, class Change>
  static std::string Mutate(std::string_view file, Choice* choice,
                            const Make& make, const Change& change) {
    RecordsMutator mutator(choice);
    std::vector<std::string> pieces = Pieces(file);
    if (pieces.empty()) return Framed(make());
    std::string& piece = pieces[choice->Below(pieces.size())];
    switch (choice->Below(12)) {
      case 0:
        pieces.push_back(Framed(make()));
        break;
      case 1:
        pieces.push_back(std::string(piece));
        break;
      case 2:
        std::swap(piece, pieces.back());
        pieces.pop_back();
        break;
      case 3:
        std::swap(piece, pieces[choice->Below(pieces.size())]);
        break;
      case 4:
        piece = mutator.Liar(piece);
        break;
      case 5:
        mutator.Damage(&piece);
        break;
      case 6:  // bytes change, and checksums are right
        mutator.Damage(&piece);
        if (piece.size() >= kFramingBytes) piece = Framed(PayloadOf(piece));
        break;
      default:
        if (piece.size() < kFramingBytes) {
          piece = Framed(make());
        } else {
          piece = Framed(change(PayloadOf(piece)));
        }
    }
    std::string changed;
    for (const std::string& part : pieces) changed += part;
    return changed;
  }

 private:
  explicit RecordsMutator(Choice* choice) : choice_(*choice) {}

  static std::string_view PayloadOf(std::string_view piece) {
    return piece.substr(kHeaderBytes, piece.size() - kFramingBytes);
  }

  void Damage(std::string* piece) {
    const size_t at = choice_.Below(piece->size() + 1);
    switch (choice_.Below(5)) {
      case 0:
        piece->resize(at);
        break;
      case 1:
        piece->insert(at, choice_.Bytes(1 + choice_.Below(20)));
        break;
      case 2:
        piece->erase(at, 1 + choice_.Below(4));
        break;
      case 3:
        piece->insert(at, choice_.Below(40), '\0');
        break;
      default:
        if (at == piece->size()) break;
        (*piece)[at] =
            static_cast<char>((*piece)[at] ^ (1 << choice_.Below(8)));
    }
  }

  // Returns the piece with a header that has a right checksum and a random
  // length.
  std::string Liar(std::string_view piece) {
    const std::array<uint64_t, 4> lengths = {
        choice_.Below(2 * piece.size() + 2), choice_.Bits(),
        (uint64_t{1} << (31 + choice_.Below(33))) - choice_.Below(3),
        choice_.Below(40)};
    const std::string header = RecordHeader(lengths[choice_.Below(4)]);
    return piece.size() > kHeaderBytes
               ? header + std::string(piece.substr(kHeaderBytes))
               : header;
  }

  Choice& choice_;
};

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZING_RECORDS_H_
