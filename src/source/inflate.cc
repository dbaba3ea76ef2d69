#include "src/source/inflate.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>

namespace headrace::source {
namespace {

constexpr unsigned kMaxMatch = 258;
constexpr unsigned kOvershoot = 32;
// What one round of RunFast may read and write: three loads of 8 bytes and the
// one before the first round; three pairs of literals and a match.
constexpr ptrdiff_t kFastInput = 32;
constexpr ptrdiff_t kFastOutput = 6 + kMaxMatch + kOvershoot;

uint64_t Load64(const uint8_t* from) {
  uint64_t value;
  std::memcpy(&value, from, sizeof(value));
  if constexpr (std::endian::native == std::endian::big) {
    value = __builtin_bswap64(value);
  }
  return value;
}

// Copies a match whose source lies in the output; may write up to kOvershoot
// bytes beyond its end.
void CopyWide(uint8_t* to, unsigned distance, unsigned length) {
  const uint8_t* from = to - distance;
  uint8_t* const end = to + length;
  if (distance >= 16) {
    // Most matches end here; a loop would mispredict where.
    std::memcpy(to, from, 16);
    std::memcpy(to + 16, from + 16, 16);
    if (length <= 32) return;
    do {
      to += 32;
      from += 32;
      std::memcpy(to, from, 16);
      std::memcpy(to + 16, from + 16, 16);
    } while (to + 32 < end);
  } else if (distance >= 8) {
    do {
      std::memcpy(to, from, 8);
      to += 8;
      from += 8;
    } while (to < end);
  } else if (distance == 1) {
    std::memset(to, *from, length);
  } else {
    // Of each 8 bytes the first `distance` are right, the rest is overwritten
    // by the next ones.
    do {
      uint64_t word;
      std::memcpy(&word, from, 8);
      std::memcpy(to, &word, 8);
      to += distance;
      from += distance;
    } while (to < end);
  }
}

}  // namespace

void Inflate::Restart() {
  phase_ = Phase::kBlock;
  last_block_ = false;
  bits_ = 0;
  bit_count_ = 0;
  history_size_ = 0;
}

InflateResult Inflate::Run(std::span<const uint8_t> in, bool input_ended,
                           std::span<uint8_t> out) {
  in_ = in.data();
  in_end_ = in.data() + in.size();
  out_begin_ = out_ = out.data();
  out_end_ = out.data() + out.size();
  while (phase_ != Phase::kDone && phase_ != Phase::kDamaged && Step()) {
  }
  InflateResult result;
  result.produced = static_cast<size_t>(out_ - out_begin_);
  result.consumed = in_ - in.data();
  switch (phase_) {
    case Phase::kDone:
      // Whole bytes in the bit buffer belong to what follows the stream.
      result.consumed -= bit_count_ / 8;
      bit_count_ = 0;
      bits_ = 0;
      result.state = InflateState::kDone;
      break;
    case Phase::kDamaged:
      result.state = InflateState::kDamaged;
      break;
    default:
      if (input_ended && in_ == in_end_ && out_ != out_end_) {
        result.state = InflateState::kCut;
      }
      KeepHistory();
  }
  return result;
}

bool Inflate::Step() {
  switch (phase_) {
    case Phase::kBlock:
      return ReadBlock();
    case Phase::kStoredSize:
      return ReadStoredSize();
    case Phase::kStored:
      return CopyStored();
    case Phase::kCounts:
      return ReadCounts();
    case Phase::kCodeLengths:
      return ReadCodeLengths();
    case Phase::kLengths:
      return ReadLengths();
    case Phase::kSymbols:
      return ReadSymbols();
    case Phase::kMatch:
      return CopyMatch();
    case Phase::kDone:
    case Phase::kDamaged:
      break;
  }
  return false;
}

bool Inflate::Need(unsigned count) {
  while (bit_count_ < count) {
    if (in_ == in_end_) return false;
    bits_ |= uint64_t{*in_++} << bit_count_;
    bit_count_ += 8;
  }
  return true;
}

bool Inflate::ReadBlock() {
  if (last_block_) {
    phase_ = Phase::kDone;
    return true;
  }
  if (!Need(3)) return false;
  const uint32_t kind = Peek(3);
  Drop(3);
  last_block_ = (kind & 1) != 0;
  switch (kind >> 1) {
    case 0:
      phase_ = Phase::kStoredSize;
      Drop(bit_count_ % 8);
      return true;
    case 1:
      SetFixedCodes();
      phase_ = Phase::kSymbols;
      return true;
    case 2:
      phase_ = Phase::kCounts;
      return true;
    default:
      return Fail();
  }
}

bool Inflate::ReadStoredSize() {
  if (!Need(32)) return false;
  const uint32_t size = Peek(16);
  const uint32_t inverse = static_cast<uint32_t>(bits_ >> 16) & 0xFFFFu;
  Drop(32);
  if ((size ^ inverse) != 0xFFFFu) return Fail();
  stored_left_ = size;
  phase_ = Phase::kStored;
  return true;
}

bool Inflate::CopyStored() {
  // Whole bytes that the bit buffer holds come first.
  while (stored_left_ > 0 && bit_count_ >= 8) {
    if (out_ == out_end_) return false;
    *out_++ = static_cast<uint8_t>(Peek(8));
    Drop(8);
    --stored_left_;
  }
  const size_t count =
      std::min({size_t{stored_left_}, static_cast<size_t>(in_end_ - in_),
                static_cast<size_t>(out_end_ - out_)});
  if (count > 0) std::memcpy(out_, in_, count);
  in_ += count;
  out_ += count;
  stored_left_ -= static_cast<unsigned>(count);
  if (stored_left_ > 0) return false;
  phase_ = Phase::kBlock;
  return true;
}

bool Inflate::ReadCounts() {
  if (!Need(14)) return false;
  litlen_count_ = Peek(5) + 257;
  Drop(5);
  distance_count_ = Peek(5) + 1;
  Drop(5);
  code_length_count_ = Peek(4) + 4;
  Drop(4);
  if (litlen_count_ > 286 || distance_count_ > 30) return Fail();
  lengths_.fill(0);
  have_ = 0;
  phase_ = Phase::kCodeLengths;
  return true;
}

bool Inflate::ReadCodeLengths() {
  static constexpr std::array<uint8_t, kCodeLengthSymbols> kOrder = {
      16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  for (; have_ < code_length_count_; ++have_) {
    if (!Need(3)) return false;
    lengths_[kOrder[have_]] = static_cast<uint8_t>(Peek(3));
    Drop(3);
  }
  const bool good =
      Build(DeflateAlphabet::kCodeLength,
            std::span(lengths_).first(kCodeLengthSymbols), &code_lengths_);
  if (!good) return Fail();
  have_ = 0;
  phase_ = Phase::kLengths;
  return true;
}

bool Inflate::ReadLengths() {
  const unsigned count = litlen_count_ + distance_count_;
  while (have_ < count) {
    DeflateEntry entry;
    unsigned used;
    if (!Lookup(code_lengths_, 0, &entry, &used)) return false;
    const unsigned symbol = EntryValue(entry);
    if (symbol < 16) {
      Drop(used);
      lengths_[have_++] = static_cast<uint8_t>(symbol);
      continue;
    }
    const unsigned extra = symbol == 16 ? 2 : symbol == 17 ? 3 : 7;
    if (!Need(used + extra)) return false;
    Drop(used);
    const unsigned repeat = (symbol == 18 ? 11 : 3) + Peek(extra);
    Drop(extra);
    if (symbol == 16 && have_ == 0) return Fail();
    if (repeat > count - have_) return Fail();
    const uint8_t length = symbol == 16 ? lengths_[have_ - 1] : uint8_t{0};
    std::fill_n(lengths_.begin() + have_, repeat, length);
    have_ += repeat;
  }
  if (!SetCodes()) return Fail();
  phase_ = Phase::kSymbols;
  return true;
}

bool Inflate::SetCodes() {
  constexpr size_t kEndSymbol = 256;
  const auto lengths = std::span(lengths_);
  return lengths_[kEndSymbol] != 0 &&
         Build(DeflateAlphabet::kLitlen, lengths.first(litlen_count_),
               &litlen_) &&
         Build(DeflateAlphabet::kDistance,
               lengths.subspan(litlen_count_, distance_count_), &distances_);
}

void Inflate::SetFixedCodes() {
  const auto lengths = std::span(lengths_);
  std::fill_n(lengths.begin(), 144, uint8_t{8});
  std::fill_n(lengths.begin() + 144, 112, uint8_t{9});
  std::fill_n(lengths.begin() + 256, 24, uint8_t{7});
  std::fill_n(lengths.begin() + 280, 8, uint8_t{8});
  std::fill_n(lengths.begin() + 288, 32, uint8_t{5});
  const bool good =
      Build(DeflateAlphabet::kLitlen, lengths.first(288), &litlen_) &&
      Build(DeflateAlphabet::kDistance, lengths.subspan(288, 32), &distances_);
  assert(good);
  (void)good;
}

template <class Table>
bool Inflate::Lookup(const Table& table, unsigned skip, DeflateEntry* entry,
                     unsigned* used) {
  // Bits that have not arrived read as zeros: an entry is right when its code
  // lies within the bits that have.
  for (;;) {
    const uint64_t bits = skip < bit_count_ ? bits_ >> skip : 0;
    const unsigned held = skip < bit_count_ ? bit_count_ - skip : 0;
    DeflateEntry found =
        table.entries[bits & ((uint64_t{1} << table.index_bits) - 1)];
    unsigned code = FirstCodeBits(found);
    if ((found & (kLiteral | kSubtable)) == kSubtable) {
      const unsigned second_bits = EntryCodeBits(found);
      found = table.entries[EntryValue(found) +
                            ((bits >> table.index_bits) &
                             ((uint64_t{1} << second_bits) - 1))];
      code = table.index_bits + FirstCodeBits(found);
    }
    if (code <= held) {
      *entry = found;
      *used = code;
      return true;
    }
    if (!Need(bit_count_ + 1)) return false;
  }
}

bool Inflate::ReadSymbols() {
  while (phase_ == Phase::kSymbols) {
    if (in_end_ - in_ >= kFastInput && out_end_ - out_ >= kFastOutput) {
      RunFast();
    } else if (!ReadSymbol()) {
      return false;
    }
  }
  return true;
}

// Long, because its state has to stay in registers: bits, count, in and out.
void Inflate::RunFast() {
  const uint8_t* in = in_;
  uint8_t* out = out_;
  uint64_t bits = bits_;
  unsigned count = bit_count_;
  const uint8_t* const in_stop = in_end_ - kFastInput;
  uint8_t* const out_stop = out_end_ - kFastOutput;
  const DeflateEntry* const litlen = litlen_.entries.data();
  const DeflateEntry* const distances = distances_.entries.data();
  const uint64_t litlen_mask = (uint64_t{1} << litlen_.index_bits) - 1;
  const uint64_t distance_mask = (uint64_t{1} << distances_.index_bits) - 1;

  // After Refill at least 56 bits are held. The bits above `count` are those
  // that follow in the stream, so it does not matter that they are loaded
  // again.
  const auto refill = [&] {
    bits |= Load64(in) << count;
    in += (63 - count) >> 3;
    count |= 56;
  };
  const auto consume = [&](DeflateEntry entry) {
    bits >>= entry & 63;
    count -= entry & 63;
  };
  const auto emit = [&](DeflateEntry entry) {
    const uint16_t literals = Literals(entry);
    out[0] = static_cast<uint8_t>(literals);
    out[1] = static_cast<uint8_t>(literals >> 8);
    out += LiteralCount(entry);
  };
  // The value of a length or distance; `before` are the bits that begin with
  // its code.
  const auto value = [](DeflateEntry entry, uint64_t before) {
    const uint64_t own = before & ((uint64_t{1} << (entry & 63)) - 1);
    return EntryValue(entry) +
           static_cast<unsigned>(own >> EntryCodeBits(entry));
  };

  refill();
  DeflateEntry entry = litlen[bits & litlen_mask];
  do {
    // The next entry is looked up before the present one is used, so that its
    // load overlaps with the work. Here at least 56 bits are held; three codes
    // of the first table take 33 of them, a match's length 20.
    if ((entry & kLiteral) != 0) {
      consume(entry);
      emit(entry);
      entry = litlen[bits & litlen_mask];
      if ((entry & kLiteral) != 0) {
        consume(entry);
        emit(entry);
        entry = litlen[bits & litlen_mask];
        if ((entry & kLiteral) != 0) {
          consume(entry);
          emit(entry);
          refill();
          entry = litlen[bits & litlen_mask];
          continue;
        }
      }
    }
    uint64_t before = bits;
    consume(entry);
    if ((entry & kException) != 0) {
      if ((entry & kSubtable) != 0) {
        entry = litlen[EntryValue(entry) +
                       (bits & ((uint64_t{1} << EntryCodeBits(entry)) - 1))];
        before = bits;
        consume(entry);
      }
      if ((entry & kLiteral) != 0) {
        emit(entry);
        refill();
        entry = litlen[bits & litlen_mask];
        continue;
      }
      if ((entry & kException) != 0) {
        phase_ = (entry & kEndOfBlock) != 0 ? Phase::kBlock : Phase::kDamaged;
        break;
      }
    }
    unsigned length = value(entry, before);

    // 22 bits of literals and 20 of a length leave 14, a distance takes 28.
    if (count < 28) refill();
    entry = distances[bits & distance_mask];
    before = bits;
    consume(entry);
    if ((entry & kException) != 0) {
      if ((entry & kSubtable) != 0) {
        entry = distances[EntryValue(entry) +
                          (bits & ((uint64_t{1} << EntryCodeBits(entry)) - 1))];
        before = bits;
        consume(entry);
      }
      if ((entry & kException) != 0) {
        phase_ = Phase::kDamaged;
        break;
      }
    }
    const unsigned distance = value(entry, before);
    refill();
    entry = litlen[bits & litlen_mask];

    const size_t produced = static_cast<size_t>(out - out_begin_);
    if (distance <= produced) {
      CopyWide(out, distance, length);
      out += length;
    } else if (distance <= produced + history_size_) {
      out_ = out;
      Copy(distance, &length);
      out = out_;
    } else {
      phase_ = Phase::kDamaged;
      break;
    }
  } while (in <= in_stop && out <= out_stop);

  // The bits above `count` go back to being input, and so do whole bytes.
  const size_t back =
      std::min<size_t>(count / 8, static_cast<size_t>(in - in_));
  in_ = in - back;
  bit_count_ = count - static_cast<unsigned>(back) * 8;
  bits_ = bit_count_ < 64 ? bits & ((uint64_t{1} << bit_count_) - 1) : bits;
  out_ = out;
}

bool Inflate::ReadSymbol() {
  DeflateEntry entry;
  unsigned used;
  if (!Lookup(litlen_, 0, &entry, &used)) return false;
  if ((entry & kLiteral) != 0) {
    if (out_ == out_end_) return false;
    *out_++ = static_cast<uint8_t>(Literals(entry));
    Drop(used);
    return true;
  }
  if ((entry & kException) != 0) {
    if ((entry & kEndOfBlock) == 0) return Fail();
    Drop(used);
    phase_ = Phase::kBlock;
    return true;
  }
  unsigned extra = EntryBits(entry) - EntryCodeBits(entry);
  if (!Need(used + extra)) return false;
  unsigned total = used + extra;
  const unsigned length =
      EntryValue(entry) +
      (static_cast<uint32_t>(bits_ >> used) & ((1u << extra) - 1));
  if (!Lookup(distances_, total, &entry, &used)) return false;
  if ((entry & kException) != 0) return Fail();
  extra = EntryBits(entry) - EntryCodeBits(entry);
  if (!Need(total + used + extra)) return false;
  match_distance_ =
      EntryValue(entry) +
      (static_cast<uint32_t>(bits_ >> (total + used)) & ((1u << extra) - 1));
  Drop(total + used + extra);
  if (match_distance_ >
      history_size_ + static_cast<size_t>(out_ - out_begin_)) {
    return Fail();
  }
  match_length_ = length;
  phase_ = Phase::kMatch;
  return CopyMatch();
}

bool Inflate::CopyMatch() {
  Copy(match_distance_, &match_length_);
  if (match_length_ > 0) return false;
  phase_ = Phase::kSymbols;
  return true;
}

void Inflate::Copy(unsigned distance, unsigned* length) {
  CopyHistory(distance, length);
  const size_t room = static_cast<size_t>(out_end_ - out_);
  const unsigned count = static_cast<unsigned>(std::min<size_t>(*length, room));
  if (count == 0) return;
  if (room >= size_t{count} + kOvershoot) {
    CopyWide(out_, distance, count);
    out_ += count;
  } else {
    // Byte by byte, since the match may overlap itself.
    for (unsigned i = 0; i < count; ++i, ++out_) *out_ = *(out_ - distance);
  }
  *length -= count;
}

void Inflate::CopyHistory(unsigned distance, unsigned* length) {
  while (*length > 0 && distance > static_cast<size_t>(out_ - out_begin_)) {
    const size_t back = distance - static_cast<size_t>(out_ - out_begin_);
    const size_t at = (history_end_ + kHistory - back) % kHistory;
    const size_t count = std::min({size_t{*length}, back, kHistory - at,
                                   static_cast<size_t>(out_end_ - out_)});
    if (count == 0) return;
    std::memcpy(out_, history_.data() + at, count);
    out_ += count;
    *length -= static_cast<unsigned>(count);
  }
}

void Inflate::KeepHistory() {
  const size_t fresh = static_cast<size_t>(out_ - out_begin_);
  const size_t kept = std::min(fresh, kHistory);
  const uint8_t* from = out_ - kept;
  const size_t first = std::min(kept, kHistory - history_end_);
  if (first > 0) std::memcpy(history_.data() + history_end_, from, first);
  if (kept > first) std::memcpy(history_.data(), from + first, kept - first);
  history_end_ = (history_end_ + kept) % kHistory;
  history_size_ = std::min(history_size_ + kept, kHistory);
}

}  // namespace headrace::source
