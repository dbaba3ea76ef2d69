// DeflateTable: a Huffman code of deflate as a table that is looked up with
// the next bits of the stream.
//
// Accepts exactly the codes that zlib accepts: complete ones, and an incomplete
// one only where RFC 1951 needs it (a single code of one bit; no distance code
// at all in a block of literals).

#ifndef HEADRACE_SRC_SOURCE_DEFLATE_TABLE_H_
#define HEADRACE_SRC_SOURCE_DEFLATE_TABLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace headrace::source {

inline constexpr size_t kMaxLitlenSymbols = 288;
inline constexpr size_t kMaxDistanceSymbols = 32;
inline constexpr size_t kCodeLengthSymbols = 19;

// What the bits mean. An entry of the first table with kSubtable points to a
// second table for codes that are longer than the first table's index.
//
//   bits 0..7    bits to consume: the code (or what is left of it) and the
//                extra bits behind it
//   bits 8..11   of these, the code; with kSubtable the second table's index
//                bits
//   bits 12..15  kSubtable, kEndOfBlock, kException
//   bits 16..30  least length, least distance, code length symbol; with
//                kSubtable where the second table begins
//   bit 31       kLiteral, and then bits 8..30 mean something else:
//   bits 8..23   one or two literals, the first one lowest
//   bit 24       1 for two, whose codes fit into the index together
//   bits 25..28  the code bits of the first
using DeflateEntry = uint32_t;
inline constexpr DeflateEntry kLiteral = 0x80000000u;
// Neither a literal nor a length or distance. With no other flag: no symbol.
inline constexpr DeflateEntry kException = 0x8000u;
inline constexpr DeflateEntry kSubtable = 0x4000u;
inline constexpr DeflateEntry kEndOfBlock = 0x2000u;

constexpr unsigned EntryBits(DeflateEntry entry) { return entry & 0xFFu; }
constexpr unsigned EntryCodeBits(DeflateEntry entry) {
  return (entry >> 8) & 0xFu;
}
constexpr unsigned EntryValue(DeflateEntry entry) {
  return (entry >> 16) & 0x7FFFu;
}

// Code bits of the first symbol of any entry of the last table.
constexpr unsigned FirstCodeBits(DeflateEntry entry) {
  return (entry & kLiteral) != 0 ? (entry >> 25) & 0xFu : EntryCodeBits(entry);
}
// Of a literal entry.
constexpr uint16_t Literals(DeflateEntry entry) {
  return static_cast<uint16_t>(entry >> 8);
}
constexpr unsigned LiteralCount(DeflateEntry entry) {
  return 1 + ((entry >> 24) & 1);
}

enum class DeflateAlphabet : uint8_t { kLitlen, kDistance, kCodeLength };

// `kEntries` bounds the first table and all second tables together.
template <unsigned kIndexBits, size_t kEntries>
struct DeflateTable {
  unsigned index_bits = 0;  // at most kIndexBits
  std::array<DeflateEntry, kEntries> entries = {};

  static constexpr unsigned kMaxIndexBits = kIndexBits;
};

// The bounds are those of zlib's `enough` for 288, 32 and 19 symbols with codes
// of at most 15, 15 and 7 bits; the builder checks them all the same.
using LitlenTable = DeflateTable<11, 2342>;
using DistanceTable = DeflateTable<8, 402>;
using CodeLengthTable = DeflateTable<7, 128>;

// Fills `entries` for the symbols' code `lengths` (0: the symbol has no code).
// Returns the bits of the first table's index, 0 where the lengths are not a
// code that may be used.
unsigned BuildDeflateTable(DeflateAlphabet alphabet,
                           std::span<const uint8_t> lengths,
                           unsigned max_index_bits,
                           std::span<DeflateEntry> entries);

template <unsigned kIndexBits, size_t kEntries>
bool Build(DeflateAlphabet alphabet, std::span<const uint8_t> lengths,
           DeflateTable<kIndexBits, kEntries>* table) {
  table->index_bits =
      BuildDeflateTable(alphabet, lengths, kIndexBits, table->entries);
  return table->index_bits != 0;
}

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_DEFLATE_TABLE_H_
