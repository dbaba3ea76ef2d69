// Writes random coefficients, so there is no picture to transform, and integers
// are enough: the bytes are the same on every machine.

#include "src/sample/jpeg.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace headrace::sample {
namespace {

// Markers of ITU-T T.81, table B.1.
enum Marker : uint8_t {
  kFrame = 0xc0,
  kHuffmanTable = 0xc4,
  kBegin = 0xd8,
  kEnd = 0xd9,
  kScan = 0xda,
  kQuantization = 0xdb,
  kJfif = 0xe0,
};

constexpr int kComponents = 3;
constexpr size_t kBlock = 8;  // the side of a block, in pixels

// All codes of a table have the same length and count up. The code of all ones
// is not allowed.
constexpr int kDcBits = 4;
constexpr uint32_t kDcSizes = 8;  // a difference has up to 7 bits
constexpr int kAcBits = 5;
constexpr uint32_t kRuns = 4;   // 0 to 3 zeros before a coefficient
constexpr uint32_t kSizes = 4;  // of 1 to 4 bits
constexpr uint32_t kEndOfBlock = kRuns * kSizes;

void AppendMarker(Marker marker, std::string* out) {
  out->push_back('\xff');
  out->push_back(static_cast<char>(marker));
}

void Append16(size_t value, std::string* out) {
  out->push_back(static_cast<char>(value >> 8 & 0xff));
  out->push_back(static_cast<char>(value & 0xff));
}

void AppendSegment(Marker marker, std::string_view body, std::string* out) {
  AppendMarker(marker, out);
  Append16(body.size() + 2, out);
  out->append(body);
}

// Quantization steps grow with the frequency; they are in zigzag order, as
// coefficients are.
std::string QuantizationTable() {
  std::string body(1, '\0');
  for (int i = 0; i < 64; ++i) body.push_back(static_cast<char>(16 + i));
  return body;
}

std::string FrameHeader(size_t side) {
  std::string body(1, '\x08');
  Append16(side, &body);
  Append16(side, &body);
  body.push_back(kComponents);
  for (char i = 1; i <= kComponents; ++i) {
    body.push_back(i);
    body.push_back('\x11');  // not subsampled
    body.push_back('\0');    // the one quantization table
  }
  return body;
}

// `id` is 0 for DC, 0x10 for AC.
std::string HuffmanTable(char id, int code_bits, std::string_view symbols) {
  std::string body(1, id);
  for (int bits = 1; bits <= 16; ++bits) {
    body.push_back(bits == code_bits ? static_cast<char>(symbols.size())
                                     : '\0');
  }
  return body.append(symbols);
}

std::string DcTable() {
  std::string symbols;
  for (uint32_t i = 0; i < kDcSizes; ++i) {
    symbols.push_back(static_cast<char>(i));
  }
  return HuffmanTable('\0', kDcBits, symbols);
}

std::string AcTable() {
  std::string symbols;
  for (uint32_t run = 0; run < kRuns; ++run) {
    for (uint32_t size = 1; size <= kSizes; ++size) {
      symbols.push_back(static_cast<char>(run << 4 | size));
    }
  }
  symbols.push_back('\0');  // the end of a block
  return HuffmanTable('\x10', kAcBits, symbols);
}

std::string ScanHeader() {
  std::string body(1, static_cast<char>(kComponents));
  for (char i = 1; i <= kComponents; ++i) {
    body.push_back(i);
    body.push_back('\0');  // the tables of DC and AC
  }
  return body.append(std::string_view("\0\x3f\0", 3));
}

class Scan {
 public:
  Scan(Random* random, std::string* out) : random_(random), out_(out) {}

  void Write(size_t blocks);

 private:
  void WriteBlock(int component);
  void Put(uint32_t bits, int count);

  Random* random_;
  std::string* out_;
  std::array<int64_t, kComponents> dc_ = {};
  uint32_t pending_ = 0;  // bits that do not fill a byte yet
  int num_pending_ = 0;
};

void Scan::Put(uint32_t bits, int count) {
  pending_ = pending_ << count | bits;
  num_pending_ += count;
  while (num_pending_ >= 8) {
    num_pending_ -= 8;
    const auto byte = static_cast<char>(pending_ >> num_pending_ & 0xff);
    out_->push_back(byte);
    if (byte == '\xff') out_->push_back('\0');  // or 0xff would begin a marker
  }
  pending_ &= (1u << num_pending_) - 1;
}

void Scan::WriteBlock(int component) {
  // The mean wanders from block to block; colour wanders less than brightness.
  const int64_t most = component == 0 ? 55 : 15;
  int64_t& last = dc_[static_cast<size_t>(component)];
  const int64_t next = std::clamp(last + random_->Between(-8, 8), -most, most);
  const int64_t difference = next - last;
  last = next;
  const auto size = static_cast<int>(
      std::bit_width(static_cast<uint64_t>(std::abs(difference))));
  Put(static_cast<uint32_t>(size), kDcBits);
  // A negative difference is written as its ones' complement.
  const int64_t low =
      difference < 0 ? difference + (1 << size) - 1 : difference;
  Put(static_cast<uint32_t>(low), size);
  const auto count = random_->Below(component == 0 ? 8 : 3);
  for (uint64_t i = 0; i < count; ++i) {
    // Small numbers are the most frequent; all their bits are random.
    const auto run = static_cast<uint32_t>(random_->Below(kRuns));
    const auto bits =
        static_cast<uint32_t>(std::bit_width(random_->LogUniform(15)));
    Put(run * kSizes + bits - 1, kAcBits);
    Put(static_cast<uint32_t>(random_->Below(size_t{1} << bits)),
        static_cast<int>(bits));
  }
  Put(kEndOfBlock, kAcBits);
}

void Scan::Write(size_t blocks) {
  for (size_t i = 0; i < blocks; ++i) {
    for (int component = 0; component < kComponents; ++component) {
      WriteBlock(component);
    }
  }
  if (num_pending_ > 0) Put((1u << (8 - num_pending_)) - 1, 8 - num_pending_);
}

}  // namespace

std::string RandomJpeg(size_t side, Random* random) {
  std::string out;
  AppendMarker(kBegin, &out);
  AppendSegment(kJfif, std::string_view("JFIF\0\1\1\0\0\1\0\1\0\0", 14), &out);
  AppendSegment(kQuantization, QuantizationTable(), &out);
  AppendSegment(kFrame, FrameHeader(side), &out);
  AppendSegment(kHuffmanTable, DcTable(), &out);
  AppendSegment(kHuffmanTable, AcTable(), &out);
  AppendSegment(kScan, ScanHeader(), &out);
  Scan(random, &out).Write((side / kBlock) * (side / kBlock));
  AppendMarker(kEnd, &out);
  return out;
}

}  // namespace headrace::sample
