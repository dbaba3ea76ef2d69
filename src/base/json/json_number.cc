#include "src/base/json/json_number.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace headrace::json {
namespace {

constexpr uint32_t kSignBit = 0x80000000;
constexpr uint32_t kFractionBits = 23;
constexpr uint32_t kOneInFraction = uint32_t{1} << kFractionBits;

// A float is c / 2^b with a whole c below 2^24, where b is kExponentZero minus
// the number in the exponent's bits.
constexpr uint32_t kExponentZero = 150;

// Numbers from kMinFixed to below kMaxFixed, which is 2^23, are written without
// an exponent, except for whole numbers from kMaxWhole on.
constexpr auto kMinFixed = std::bit_cast<uint32_t>(0.001f);
constexpr uint32_t kMaxFixed = (kExponentZero << kFractionBits);
constexpr uint32_t kMaxWhole = 100'000;

constexpr uint64_t kE8 = 100'000'000;

template <class T, size_t N>
constexpr std::array<T, N> PowersOf(T base) {
  std::array<T, N> powers{1};
  for (size_t i = 1; i < N; ++i) powers[i] = powers[i - 1] * base;
  return powers;
}
constexpr auto kPowersOf5 = PowersOf<uint64_t, 12>(5);
constexpr auto kPowersOf10 = PowersOf<uint64_t, 17>(10);

// Returns the eight decimal digits of a number below 10^8, one per byte, the
// first in the lowest. Quotients are computed by a multiplication and a shift,
// in lanes of 32 bits, then of 16 bits.
uint64_t EightDigits(uint32_t number) {
  const uint64_t fours = number / 10'000 | uint64_t{number % 10'000} << 32;
  const uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000'007f'0000'007f;
  const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
  const uint64_t tens = (twos * 103 >> 10) & 0x000f'000f'000f'000f;
  return tens | (twos - 10 * tens) << 8;
}

void StoreDigits(uint64_t digits, char* out) {
  digits += 0x3030'3030'3030'3030;
  std::memcpy(out, &digits, sizeof(digits));
}

// Writes a number below 10^8 without leading zeros; may overwrite eight bytes.
char* WriteShort(uint32_t number, char* out) {
  const uint64_t digits = EightDigits(number);
  // The last digit counts even if it is 0.
  const int zeros = std::countr_zero(digits | uint64_t{1} << 56) / 8;
  StoreDigits(digits >> (8 * zeros), out);
  return out + 8 - zeros;
}

// Writes the decimals of rest / 10^places, which is below 1: at least one, and
// no trailing zeros after it. May overwrite 16 bytes.
char* WriteDecimals(uint64_t rest, uint32_t places, char* out) {
  if (places > 8) {
    const uint64_t decimals = rest * kPowersOf10[16 - places];
    StoreDigits(EightDigits(static_cast<uint32_t>(decimals / kE8)), out);
    rest = decimals % kE8;
    if (rest == 0) return WriteDecimals(decimals / kE8, 8, out);
    places = 8;
    out += 8;
  }
  const uint64_t digits =
      EightDigits(static_cast<uint32_t>(rest * kPowersOf10[8 - places]));
  StoreDigits(digits, out);
  return out + 8 - std::countl_zero(digits | 1) / 8;
}

// The number digits / 10^places.
struct Decimal {
  uint64_t digits;
  uint32_t places;
};

// Returns the shortest decimal that reads back as the float c / 2^b, and the
// nearest one if several are that short. Its last digit may be 0. c has 24 bits
// and is not a power of two. This is Raffaello Giulietti's algorithm ("The
// Schubfach way to render doubles") for b from 1 to 33, where all products are
// exact in 64 bits.
Decimal Shortest(uint64_t c, uint32_t b) {
  // 10^-places, the unit, is the largest power of ten below 2^-b, the distance
  // between floats. So the interval that reads back as c / 2^b has at most one
  // multiple of 10 units. If it has none, the result is the nearest multiple of
  // the unit.
  const uint32_t places =
      (b * 1'262'611 >> 22) + 1;  // b * log10(2), rounded up
  // The number and its bounds, times 10^places, with `shift` fraction bits.
  const uint64_t power = kPowersOf5[places];
  const uint32_t shift = b - places + 2;
  const uint64_t middle = 4 * c * power;
  const uint64_t is_odd = c & 1;  // bounds of an odd c belong to its neighbours
  const uint64_t lowest = middle - 2 * power + is_odd;
  const uint64_t highest = middle + 2 * power - is_odd;

  const uint64_t down = middle >> shift;
  const uint64_t tens = static_cast<uint32_t>(down) / 10 * 10;
  const uint64_t half = uint64_t{1} << (shift - 1);
  uint64_t digits = (middle + half - (~down & 1)) >> shift;
  if ((tens + 10) << shift <= highest) digits = tens + 10;
  if (tens << shift >= lowest) digits = tens;
  return {digits, places};
}

char* WriteText(std::string_view text, char* out) {
  return std::copy(text.begin(), text.end(), out);
}

// Writes a number from 0.001 to 2^23. Returns null if it may need an exponent,
// or if Shortest does not accept it.
char* WriteFixed(uint32_t bits, char* out) {
  const uint32_t b = kExponentZero - (bits >> kFractionBits);
  const uint32_t fraction = bits & (kOneInFraction - 1);
  const uint64_t c = fraction | kOneInFraction;
  // The decimal has the same whole part as the float: in this range every whole
  // number is a float, so the decimal of a different float cannot reach it.
  const auto whole = static_cast<uint32_t>(c >> b);
  if (c << (64 - b) == 0) {
    if (whole >= kMaxWhole) return nullptr;
    return WriteText(".0", WriteShort(whole, out));
  }
  if (fraction == 0) return nullptr;
  const Decimal decimal = Shortest(c, b);
  if (whole < 10) {
    *out++ = static_cast<char>('0' + whole);
  } else {
    out = WriteShort(whole, out);
  }
  *out++ = '.';
  const uint64_t rest = decimal.digits - whole * kPowersOf10[decimal.places];
  return WriteDecimals(rest, decimal.places, out);
}

char* WriteNotFinite(float value, char* out) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isinf(value)) {
    return WriteText(value > 0 ? "\"Infinity\"" : "\"-Infinity\"", out);
  }
  if (bits == kCanonicalNan) return WriteText("\"NaN\"", out);
  return out + std::snprintf(out, kNumberRoom, "\"0x%08x\"", bits);
}

}  // namespace

char* WriteJsonFloat(float value, char* out) {
  if (!std::isfinite(value)) return WriteNotFinite(value, out);
  const auto bits = std::bit_cast<uint32_t>(value) & ~kSignBit;
  *out = '-';
  out += std::signbit(value) ? 1 : 0;
  if (bits >= kMinFixed && bits < kMaxFixed) {
    if (char* const end = WriteFixed(bits, out)) return end;
  }
  char* const end =
      std::to_chars(out, out + kNumberRoom - 3, std::fabs(value)).ptr;
  // The ".0" shows people a float, and keeps the sign of -0.0.
  const std::string_view digits(out, static_cast<size_t>(end - out));
  return digits.find_first_of(".e") == std::string_view::npos
             ? WriteText(".0", end)
             : end;
}

char* WriteJsonInt64(int64_t value, char* out) {
  auto number = static_cast<uint64_t>(value);
  if (value < 0) {
    *out++ = '-';
    number = 0 - number;
  }
  if (number < kE8) return WriteShort(static_cast<uint32_t>(number), out);
  const uint64_t high = number / kE8;
  if (high < kE8) {
    out = WriteShort(static_cast<uint32_t>(high), out);
  } else {
    out = WriteShort(static_cast<uint32_t>(high / kE8), out);
    StoreDigits(EightDigits(static_cast<uint32_t>(high % kE8)), out);
    out += 8;
  }
  StoreDigits(EightDigits(static_cast<uint32_t>(number % kE8)), out);
  return out + 8;
}

}  // namespace headrace::json
