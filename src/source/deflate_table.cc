#include "src/source/deflate_table.h"

#include <algorithm>

namespace headrace::source {
namespace {

constexpr unsigned kMaxCodeBits = 15;

// RFC 1951, 3.2.5: extra bits in the low byte, the least value above.
constexpr DeflateEntry Ranged(unsigned least, unsigned extra) {
  return static_cast<DeflateEntry>(least << 16 | extra);
}

constexpr std::array<DeflateEntry, kMaxLitlenSymbols> MakeLitlen() {
  std::array<DeflateEntry, kMaxLitlenSymbols> symbols{};
  for (unsigned i = 0; i < 256; ++i) symbols[i] = kLiteral | i << 8;
  symbols[256] = kException | kEndOfBlock;
  unsigned least = 3;
  for (unsigned i = 0; i < 28; ++i) {
    const unsigned extra = i < 8 ? 0 : (i - 4) / 4;
    symbols[257 + i] = Ranged(least, extra);
    least += 1u << extra;
  }
  symbols[285] = Ranged(258, 0);
  symbols[286] = symbols[287] = kException;
  return symbols;
}

constexpr std::array<DeflateEntry, kMaxDistanceSymbols> MakeDistance() {
  std::array<DeflateEntry, kMaxDistanceSymbols> symbols{};
  unsigned least = 1;
  for (unsigned i = 0; i < 30; ++i) {
    const unsigned extra = i < 4 ? 0 : (i - 2) / 2;
    symbols[i] = Ranged(least, extra);
    least += 1u << extra;
  }
  symbols[30] = symbols[31] = kException;
  return symbols;
}

constexpr auto kLitlen = MakeLitlen();
constexpr auto kDistance = MakeDistance();

// What a symbol means, without its code.
DeflateEntry Meaning(DeflateAlphabet alphabet, size_t symbol) {
  switch (alphabet) {
    case DeflateAlphabet::kLitlen:
      return kLitlen[symbol];
    case DeflateAlphabet::kDistance:
      return kDistance[symbol];
    case DeflateAlphabet::kCodeLength:
      break;
  }
  return static_cast<DeflateEntry>(symbol << 16);
}

constexpr DeflateEntry WithCode(DeflateEntry meaning, unsigned bits) {
  if ((meaning & kLiteral) != 0) return meaning | bits << 25 | bits;
  return meaning + (bits << 8 | bits);
}

// Where the index holds a literal and the whole code of another one, the entry
// gives both. From the back, because the bits left after the first code are a
// smaller index, whose entry is needed unpaired.
void PairLiterals(std::span<DeflateEntry> table) {
  for (size_t at = table.size(); at-- > 0;) {
    const DeflateEntry first = table[at];
    if ((first & kLiteral) == 0) continue;
    const DeflateEntry second = table[at >> EntryBits(first)];
    const unsigned bits = EntryBits(first) + EntryBits(second);
    if ((second & kLiteral) == 0 || size_t{1} << bits > table.size()) continue;
    table[at] = (first & ~DeflateEntry{0xFF}) + bits + (1u << 24) +
                ((second & 0xFF00u) << 8);
  }
}

struct Code {
  std::array<uint16_t, kMaxCodeBits + 1> count{};    // symbols of each length
  std::array<uint16_t, kMaxLitlenSymbols> sorted{};  // by length, then symbol
  unsigned longest = 0;
  unsigned used = 0;

  // False where the lengths are no code that zlib accepts.
  bool Sort(DeflateAlphabet alphabet, std::span<const uint8_t> lengths);
};

bool Code::Sort(DeflateAlphabet alphabet, std::span<const uint8_t> lengths) {
  for (uint8_t length : lengths) ++count[length];
  count[0] = 0;
  int left = 1;  // codes of the present length that are not taken
  std::array<uint16_t, kMaxCodeBits + 2> first{};
  for (unsigned length = 1; length <= kMaxCodeBits; ++length) {
    left = left * 2 - count[length];
    if (left < 0) return false;
    if (count[length] != 0) longest = length;
    first[length + 1] = static_cast<uint16_t>(first[length] + count[length]);
  }
  used = first[kMaxCodeBits + 1];
  const bool code_lengths = alphabet == DeflateAlphabet::kCodeLength;
  if (left > 0 && longest > 0 && (code_lengths || longest != 1)) return false;
  for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    if (lengths[symbol] == 0) continue;
    sorted[first[lengths[symbol]]++] = static_cast<uint16_t>(symbol);
  }
  return true;
}

// The next code of the same length, with its bits in stream order (the first
// one lowest): add one to a number that is written backwards.
uint32_t NextCode(uint32_t code, unsigned bits) {
  uint32_t bit = uint32_t{1} << (bits - 1);
  while ((code & bit) != 0) bit >>= 1;
  return bit == 0 ? 0 : (code & (bit - 1)) | bit;
}

// Fills one code's places in a table of 2^index_bits entries.
void Spread(std::span<DeflateEntry> table, unsigned index_bits, uint32_t code,
            unsigned bits, DeflateEntry entry) {
  for (size_t at = code; at < size_t{1} << index_bits;
       at += size_t{1} << bits) {
    table[at] = entry;
  }
}

// Index bits of the second table that begins with the code `at` of `length`
// bits: as few as hold all codes with the same first bits.
unsigned SecondBits(const Code& code, unsigned length, unsigned remaining,
                    unsigned first_bits) {
  unsigned bits = length - first_bits;
  unsigned space = remaining;
  while (space < 1u << bits && first_bits + bits < kMaxCodeBits) {
    ++bits;
    space = (space << 1) + code.count[first_bits + bits];
  }
  return bits;
}

}  // namespace

unsigned BuildDeflateTable(DeflateAlphabet alphabet,
                           std::span<const uint8_t> lengths,
                           unsigned max_index_bits,
                           std::span<DeflateEntry> entries) {
  Code code;
  if (!code.Sort(alphabet, lengths)) return 0;
  if (code.used == 0 || code.longest == 1) {
    // One bit says all. Where a symbol has no code the bit is an error, except
    // in the code of code lengths: there zlib reads a length of 0, and fails
    // when no symbol is left to end the block.
    const DeflateEntry none =
        WithCode(alphabet == DeflateAlphabet::kCodeLength ? 0 : kException, 1);
    entries[0] = entries[1] = none;
    for (unsigned i = 0; i < code.used; ++i) {
      entries[i] = WithCode(Meaning(alphabet, code.sorted[i]), 1);
    }
    return 1;
  }
  const unsigned index_bits = std::min(max_index_bits, code.longest);
  const size_t first_size = size_t{1} << index_bits;
  size_t end = first_size;   // of the entries filled so far
  size_t second = 0;         // where the current second table begins
  unsigned second_bits = 0;  // its index bits
  uint32_t second_prefix = ~uint32_t{0};
  const unsigned shortest = lengths[code.sorted[0]];
  uint32_t next = 0;  // the code of the next symbol
  unsigned length = 1;
  unsigned remaining = code.count[1];  // symbols of this length to come
  for (unsigned i = 0; i < code.used; ++i, --remaining) {
    while (remaining == 0) remaining = code.count[++length];
    const DeflateEntry meaning = Meaning(alphabet, code.sorted[i]);
    if (length <= index_bits) {
      Spread(entries, index_bits, next, length, WithCode(meaning, length));
    } else {
      const uint32_t prefix = next & static_cast<uint32_t>(first_size - 1);
      if (prefix != second_prefix) {
        second_prefix = prefix;
        second = end;
        second_bits = SecondBits(code, length, remaining, index_bits);
        end += size_t{1} << second_bits;
        if (end > entries.size()) return 0;  // the bounds make this impossible
        entries[prefix] = static_cast<DeflateEntry>(second << 16) | kException |
                          kSubtable | second_bits << 8 | index_bits;
      }
      Spread(entries.subspan(second), second_bits, next >> index_bits,
             length - index_bits, WithCode(meaning, length - index_bits));
    }
    next = NextCode(next, length);
  }
  if (alphabet == DeflateAlphabet::kLitlen && 2 * shortest <= index_bits) {
    PairLiterals(entries.first(first_size));
  }
  return index_bits;
}

}  // namespace headrace::source
