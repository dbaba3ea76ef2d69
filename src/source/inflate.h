// Inflate: raw deflate streams (RFC 1951) in pieces of any size.
//
// Written anew because of what a reader of damaged files has to promise: the
// same bytes and the same end for the same file, whatever the pieces it
// arrives in. It gives exactly what zlib's inflate gives, up to the last symbol
// that a cut or damaged stream still determines (tests compare them), at the
// speed of ISA-L's, which was measured and set aside: before damage ISA-L gives
// other bytes for other pieces, accepts incomplete codes, and after a distance
// that reaches too far back counts bytes as output that came from nowhere.

#ifndef HEADRACE_SRC_SOURCE_INFLATE_H_
#define HEADRACE_SRC_SOURCE_INFLATE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "src/source/deflate_table.h"
#include "src/source/raw_inflate.h"

namespace headrace::source {

class Inflate : public RawInflate {
 public:
  // All members below have values then; no memory is taken later.
  Inflate() = default;

  void Restart() override;
  InflateResult Run(std::span<const uint8_t> in, bool input_ended,
                    std::span<uint8_t> out) override;

 private:
  enum class Phase : uint8_t {
    kBlock,        // before a block's first bits
    kStoredSize,   // before the sizes of a stored block
    kStored,       // inside one
    kCounts,       // before the counts of a dynamic block's codes
    kCodeLengths,  // inside the code of the code lengths
    kLengths,      // inside the lengths of the two codes
    kSymbols,      // before a symbol of a block
    kMatch,        // inside a match that had no room
    kDone,
    kDamaged,
  };

  // Each does what its phase asks and sets the next one. False where it needs
  // more input or more room; it then has done what could be done.
  bool Step();
  bool ReadBlock();
  bool ReadStoredSize();
  bool CopyStored();
  bool ReadCounts();
  bool ReadCodeLengths();
  bool ReadLengths();
  bool ReadSymbols();
  bool CopyMatch();

  bool SetCodes();
  void SetFixedCodes();
  bool Fail() {
    phase_ = Phase::kDamaged;
    return true;
  }

  // Symbols while there is plenty of input and room.
  void RunFast();
  // One symbol, byte by byte. False as in Step.
  bool ReadSymbol();
  // Copies what is possible of `*length` bytes from `distance` back.
  void Copy(unsigned distance, unsigned* length);
  // The same for what lies before this call's output.
  void CopyHistory(unsigned distance, unsigned* length);
  void KeepHistory();

  // Holds at least `count` bits, at most 48. False at the end of the input.
  bool Need(unsigned count);
  uint32_t Peek(unsigned count) const {
    return static_cast<uint32_t>(bits_) & ((uint32_t{1} << count) - 1);
  }
  void Drop(unsigned count) {
    bits_ >>= count;
    bit_count_ -= count;
  }
  // The entry for the bits after `skip`, second table included; `*used` are the
  // bits of its code in all. False at the end of the input.
  template <class Table>
  bool Lookup(const Table& table, unsigned skip, DeflateEntry* entry,
              unsigned* used);

  Phase phase_ = Phase::kBlock;
  bool last_block_ = false;
  uint64_t bits_ = 0;
  unsigned bit_count_ = 0;

  // This call's input and output.
  const uint8_t* in_ = nullptr;
  const uint8_t* in_end_ = nullptr;
  uint8_t* out_begin_ = nullptr;
  uint8_t* out_ = nullptr;
  uint8_t* out_end_ = nullptr;

  unsigned stored_left_ = 0;
  unsigned match_length_ = 0;
  unsigned match_distance_ = 0;

  // A dynamic block's header.
  unsigned litlen_count_ = 0;
  unsigned distance_count_ = 0;
  unsigned code_length_count_ = 0;
  unsigned have_ = 0;  // of whatever is being read
  std::array<uint8_t, kMaxLitlenSymbols + kMaxDistanceSymbols> lengths_ = {};

  CodeLengthTable code_lengths_;
  LitlenTable litlen_;
  DistanceTable distances_;

  // The last bytes of the output before this call, as a ring.
  static constexpr size_t kHistory = size_t{1} << 15;
  size_t history_end_ = 0;   // where the next byte goes
  size_t history_size_ = 0;  // bytes that are valid
  std::array<uint8_t, kHistory> history_ = {};
};

}  // namespace headrace::source

#endif  // HEADRACE_SRC_SOURCE_INFLATE_H_
