#include "src/plan/function/fingerprint.h"

#include <bit>
#include <charconv>
#include <cstddef>
#include <utility>

#include "src/base/little_endian.h"

namespace headrace::function {
namespace {

// Odd factors of the algorithm.
constexpr uint64_t kFactor0 = 0xc3a5c85c97cb3127;
constexpr uint64_t kFactor1 = 0xb492b66fbe98f273;
constexpr uint64_t kFactor2 = 0x9ae16a3b2f90404f;

// Strings of more bytes are read in blocks of this size.
constexpr size_t kBlock = 64;

uint64_t FoldHigh(uint64_t value) { return value ^ value >> 47; }

// Mixes two numbers into one.
uint64_t Mix(uint64_t a, uint64_t b, uint64_t factor) {
  const uint64_t first = FoldHigh((a ^ b) * factor);
  return FoldHigh((b ^ first) * factor) * factor;
}

// The factor of strings of at most 64 bytes.
uint64_t FactorOfSize(size_t size) { return kFactor2 + 2 * uint64_t{size}; }

uint64_t HashUpTo3(const uint8_t* p, size_t size) {
  const uint32_t ends = p[0] + (uint32_t{p[size / 2]} << 8);
  const uint32_t tail =
      static_cast<uint32_t>(size) + (uint32_t{p[size - 1]} << 2);
  return FoldHigh(ends * kFactor2 ^ tail * kFactor0) * kFactor2;
}

uint64_t Hash4To7(const uint8_t* p, size_t size) {
  return Mix(size + (uint64_t{LoadLittle32(p)} << 3),
             LoadLittle32(p + size - 4), FactorOfSize(size));
}

uint64_t Hash8To16(const uint8_t* p, size_t size) {
  const uint64_t factor = FactorOfSize(size);
  const uint64_t first = LoadLittle64(p) + kFactor2;
  const uint64_t last = LoadLittle64(p + size - 8);
  return Mix(std::rotr(last, 37) * factor + first,
             (std::rotr(first, 25) + last) * factor, factor);
}

// The first and the last 16 bytes of a string of 17 to 64 bytes.
struct Ends {
  uint64_t first;  // times a factor
  uint64_t sum;    // of all four numbers
  uint64_t mixed;  // sum, mixed with the same numbers turned otherwise
};
Ends HashEnds(const uint8_t* p, size_t size, uint64_t first_factor,
              uint64_t factor) {
  const uint64_t a = LoadLittle64(p) * first_factor;
  const uint64_t b = LoadLittle64(p + 8);
  const uint64_t c = LoadLittle64(p + size - 8) * factor;
  const uint64_t d = LoadLittle64(p + size - 16) * kFactor2;
  const uint64_t sum = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  return {a, sum, Mix(sum, a + std::rotr(b + kFactor2, 18) + c, factor)};
}

uint64_t Hash17To32(const uint8_t* p, size_t size) {
  return HashEnds(p, size, kFactor1, FactorOfSize(size)).mixed;
}

uint64_t Hash33To64(const uint8_t* p, size_t size) {
  const uint64_t factor = FactorOfSize(size);
  const Ends ends = HashEnds(p, size, kFactor2, factor);
  const uint64_t a = LoadLittle64(p + 16) * factor;
  const uint64_t b = LoadLittle64(p + 24);
  const uint64_t c = (ends.sum + LoadLittle64(p + size - 32)) * factor;
  const uint64_t d = (ends.mixed + LoadLittle64(p + size - 24)) * factor;
  return Mix(std::rotr(a + b, 43) + std::rotr(c, 30) + d,
             a + std::rotr(b + ends.first, 18) + c, factor);
}

struct Pair {
  uint64_t first = 0;
  uint64_t second = 0;
};

// Adds 32 bytes to two seeds.
Pair AddQuarters(const uint8_t* p, uint64_t a, uint64_t b) {
  const uint64_t first = a + LoadLittle64(p);
  const uint64_t last = LoadLittle64(p + 24);
  const uint64_t sum = first + LoadLittle64(p + 8) + LoadLittle64(p + 16);
  return {sum + last,
          std::rotr(b + first + last, 21) + std::rotr(sum, 44) + first};
}

// The state of a string of more than 64 bytes.
struct LongHash {
  uint64_t x, y, z;
  Pair v, w;

  // `weight` is 1, and 9 in the last block.
  void AddBlock(const uint8_t* p, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + LoadLittle64(p + 8), 37) * factor;
    y = std::rotr(y + v.second + LoadLittle64(p + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + LoadLittle64(p + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = AddQuarters(p, v.second * factor, x + w.first);
    w = AddQuarters(p + 32, z + w.second, y + LoadLittle64(p + 16));
    std::swap(x, z);
  }
};

uint64_t HashLong(const uint8_t* p, size_t size) {
  constexpr uint64_t kSeed = 81;
  constexpr uint64_t kY = kSeed * kFactor1 + 113;
  LongHash hash = {.x = kSeed * kFactor2 + LoadLittle64(p),
                   .y = kY,
                   .z = FoldHigh(kY * kFactor2 + 113) * kFactor2,
                   .v = {},
                   .w = {}};
  // The last block ends with the string, so it may overlap the one before.
  const uint8_t* const last = p + size - kBlock;
  for (size_t blocks = (size - 1) / kBlock; blocks > 0; --blocks) {
    hash.AddBlock(p, kFactor1, 1);
    p += kBlock;
  }
  const uint64_t factor = kFactor1 + ((hash.z & 0xff) << 1);
  hash.w.first += (size - 1) % kBlock;
  hash.v.first += hash.w.first;
  hash.w.first += hash.v.first;
  hash.AddBlock(last, factor, 9);
  return Mix(Mix(hash.v.first, hash.w.first, factor) +
                 FoldHigh(hash.y) * kFactor0 + hash.z,
             Mix(hash.v.second, hash.w.second, factor) + hash.x, factor);
}

uint64_t HashOfAnySize(const uint8_t* p, size_t size) {
  if (size <= 16) {
    if (size >= 8) return Hash8To16(p, size);
    if (size >= 4) return Hash4To7(p, size);
    return size > 0 ? HashUpTo3(p, size) : kFactor2;
  }
  if (size <= 32) return Hash17To32(p, size);
  return size <= kBlock ? Hash33To64(p, size) : HashLong(p, size);
}

template <class Key>
void StoreBuckets(std::span<const Key> keys, uint64_t buckets, int64_t* out) {
  for (size_t i = 0; i < keys.size(); ++i) {
    out[i] = HashBucket(keys[i], buckets);
  }
}

}  // namespace

uint64_t Fingerprint64(std::string_view bytes) {
  return HashOfAnySize(reinterpret_cast<const uint8_t*>(bytes.data()),
                       bytes.size());
}

uint64_t Fingerprint64(int64_t number) {
  char text[20];  // "-9223372036854775808"
  const char* const end = std::to_chars(text, text + sizeof(text), number).ptr;
  return Fingerprint64(std::string_view(text, static_cast<size_t>(end - text)));
}

void HashBuckets(std::span<const std::string_view> keys, uint64_t buckets,
                 int64_t* out) {
  StoreBuckets(keys, buckets, out);
}

void HashBuckets(std::span<const int64_t> keys, uint64_t buckets,
                 int64_t* out) {
  StoreBuckets(keys, buckets, out);
}

}  // namespace headrace::function
