#include "tests/naive/naive_functions.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace headrace::testing {
namespace {

constexpr uint64_t k0 = 0xc3a5c85c97cb3127;
constexpr uint64_t k1 = 0xb492b66fbe98f273;
constexpr uint64_t k2 = 0x9ae16a3b2f90404f;

// An integer of `size` little-endian bytes; places below 0 count from the end.
uint64_t At(std::string_view s, ptrdiff_t place, size_t size = 8) {
  if (place < 0) place += static_cast<ptrdiff_t>(s.size());
  uint64_t value = 0;
  for (size_t i = size; i > 0; --i) {
    const char byte = s.at(static_cast<size_t>(place) + i - 1);
    value = value * 256 + static_cast<uint8_t>(byte);
  }
  return value;
}

uint64_t Turn(uint64_t x, int bits) { return x >> bits | x << (64 - bits); }

uint64_t Shift(uint64_t x) { return x ^ (x >> 47); }

uint64_t Of16(uint64_t u, uint64_t v, uint64_t mul) {
  uint64_t a = (u ^ v) * mul;
  a ^= a >> 47;
  uint64_t b = (v ^ a) * mul;
  b ^= b >> 47;
  return b * mul;
}

std::array<uint64_t, 2> Weak(std::string_view s, uint64_t a, uint64_t b) {
  a += At(s, 0);
  b = Turn(b + a + At(s, 24), 21);
  const uint64_t c = a;
  a += At(s, 8);
  a += At(s, 16);
  b += Turn(a, 44);
  return {a + At(s, 24), b + c};
}

uint64_t OfLong(std::string_view s) {
  uint64_t x = 81;
  uint64_t y = 81 * k1 + 113;
  uint64_t z = Shift(y * k2 + 113) * k2;
  std::array<uint64_t, 2> v = {0, 0};
  std::array<uint64_t, 2> w = {0, 0};
  x = x * k2 + At(s, 0);
  uint64_t mul = k1;
  const auto add = [&](std::string_view block, uint64_t nine) {
    x = Turn(x + y + v[0] + At(block, 8), 37) * mul;
    y = Turn(y + v[1] + At(block, 48), 42) * mul;
    x ^= w[1] * nine;
    y += v[0] * nine + At(block, 40);
    z = Turn(z + w[0], 33) * mul;
    v = Weak(block.substr(0, 32), v[1] * mul, x + w[0]);
    w = Weak(block.substr(32), z + w[1], y + At(block, 16));
    const uint64_t kept = z;
    z = x;
    x = kept;
  };
  // All bytes but the last 1 to 64.
  std::string_view rest = s;
  while (rest.size() > 64) {
    add(rest.substr(0, 64), 1);
    rest.remove_prefix(64);
  }
  mul = k1 + 2 * (z & 255);
  w[0] += (s.size() - 1) & 63;
  v[0] += w[0];
  w[0] += v[0];
  add(s.substr(s.size() - 64), 9);
  return Of16(Of16(v[0], w[0], mul) + Shift(y) * k0 + z,
              Of16(v[1], w[1], mul) + x, mul);
}

}  // namespace

uint64_t NaiveFingerprint64(std::string_view s) {
  const uint64_t n = s.size();
  const uint64_t mul = k2 + n * 2;
  if (n == 0) return k2;
  if (n < 4) {
    const uint64_t y =
        At(s, 0, 1) + At(s, static_cast<ptrdiff_t>(n / 2), 1) * 256;
    const uint64_t z = n + At(s, -1, 1) * 4;
    return Shift((y * k2) ^ (z * k0)) * k2;
  }
  if (n < 8) return Of16(n + At(s, 0, 4) * 8, At(s, -4, 4), mul);
  if (n <= 16) {
    const uint64_t a = At(s, 0) + k2;
    const uint64_t b = At(s, -8);
    return Of16(Turn(b, 37) * mul + a, (Turn(a, 25) + b) * mul, mul);
  }
  if (n > 64) return OfLong(s);
  const uint64_t a = At(s, 0) * (n <= 32 ? k1 : k2);
  const uint64_t b = At(s, 8);
  const uint64_t c = At(s, -8) * mul;
  const uint64_t d = At(s, -16) * k2;
  const uint64_t y = Turn(a + b, 43) + Turn(c, 30) + d;
  const uint64_t z = Of16(y, a + Turn(b + k2, 18) + c, mul);
  if (n <= 32) return z;
  const uint64_t e = At(s, 16) * mul;
  const uint64_t f = At(s, 24);
  const uint64_t g = (y + At(s, -32)) * mul;
  const uint64_t h = (z + At(s, -24)) * mul;
  return Of16(Turn(e + f, 43) + Turn(g, 30) + h, e + Turn(f + a, 18) + g, mul);
}

std::optional<std::map<std::string, int64_t>> NaiveVocabulary(
    std::string_view file) {
  std::vector<std::string> lines = {""};
  for (const char c : file) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  if (lines.back().empty()) lines.pop_back();
  if (lines.empty()) return std::nullopt;
  std::map<std::string, int64_t> words;
  for (std::string& line : lines) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    const auto number = static_cast<int64_t>(words.size());
    if (line.empty() || !words.emplace(line, number).second) {
      return std::nullopt;
    }
  }
  return words;
}

int64_t NaiveBucketize(float value, std::span<const float> boundaries) {
  int64_t count = 0;
  for (const float boundary : boundaries) {
    if (std::isnan(value) || boundary <= value) ++count;
  }
  return count;
}

float NaiveLog1p(float value) {
  if (std::isnan(value)) return value;
  if (value < -1) return std::bit_cast<float>(0x7fc00000u);
  if (value == -1) return -std::numeric_limits<float>::infinity();
  return static_cast<float>(std::log1p(double{value}));
}

namespace {

// Calls `function` with each value: a string, an int64_t or a float. It returns
// an int64_t or a float.
template <class Function>
NaiveFeature ForEach(const NaiveFeature& values, const Function& function) {
  NaiveFeature results;
  const auto add = [&results](auto result) {
    if constexpr (std::is_same_v<decltype(result), float>) {
      results.kind = Kind::kFloat;
      results.floats.push_back(std::bit_cast<uint32_t>(result));
    } else {
      results.kind = Kind::kInt64;
      results.int64s.push_back(result);
    }
  };
  for (const std::string& value : values.bytes) add(function(value));
  for (const int64_t value : values.int64s) add(function(value));
  for (const uint32_t bits : values.floats) {
    add(function(std::bit_cast<float>(bits)));
  }
  return results;
}

std::string TextOf(const std::string& key) { return key; }
std::string TextOf(int64_t key) { return std::to_string(key); }
std::string TextOf(float) { throw std::runtime_error("no key"); }

float NumberOf(const std::string&) { throw std::runtime_error("no number"); }
float NumberOf(int64_t number) { return static_cast<float>(number); }
float NumberOf(float number) { return number; }

int64_t NaiveHash(const std::string& text, int64_t buckets) {
  return static_cast<int64_t>(NaiveFingerprint64(text) %
                              static_cast<uint64_t>(buckets));
}

NaiveFeature Apply(const HashBucket& hash, const NaiveFeature& values) {
  return ForEach(values, [&](const auto& value) {
    return NaiveHash(TextOf(value), hash.buckets);
  });
}

NaiveFeature Apply(const Vocabulary& vocabulary, const NaiveFeature& values) {
  std::vector<std::string> keys;
  std::visit(
      [&keys](const auto& list) {
        for (const auto& key : list) keys.push_back(TextOf(key));
      },
      *vocabulary.keys);
  const int64_t first = vocabulary.oov_first ? vocabulary.oov_buckets : 0;
  const auto size = static_cast<int64_t>(keys.size());
  return ForEach(values, [&](const auto& value) -> int64_t {
    const std::string text = TextOf(value);
    for (int64_t i = 0; i < size; ++i) {
      if (keys[static_cast<size_t>(i)] == text) return first + i;
    }
    if (vocabulary.default_id) return *vocabulary.default_id;
    return (vocabulary.oov_first ? 0 : size) +
           NaiveHash(text, vocabulary.oov_buckets);
  });
}

NaiveFeature Apply(const Bucketize& bucketize, const NaiveFeature& values) {
  return ForEach(values, [&](const auto& value) {
    return NaiveBucketize(NumberOf(value), bucketize.boundaries);
  });
}

NaiveFeature Apply(const Clip& clip, const NaiveFeature& values) {
  if (values.kind == Kind::kInt64) {
    const auto lo = std::get<int64_t>(clip.lo), hi = std::get<int64_t>(clip.hi);
    NaiveFeature results = values;
    for (int64_t& value : results.int64s) {
      value = std::min(std::max(value, lo), hi);
    }
    return results;
  }
  const auto bound_of = [](const Clip::Bound& bound) {
    return std::visit([](auto value) { return static_cast<float>(value); },
                      bound);
  };
  return ForEach(values, [&](const auto& value) {
    const float number = NumberOf(value);
    if (number < bound_of(clip.lo)) return bound_of(clip.lo);
    return number > bound_of(clip.hi) ? bound_of(clip.hi) : number;
  });
}

NaiveFeature Apply(const Log1p&, const NaiveFeature& values) {
  return ForEach(values,
                 [](const auto& value) { return NaiveLog1p(NumberOf(value)); });
}

NaiveFeature Apply(const Scale& scale, const NaiveFeature& values) {
  return ForEach(values, [&](const auto& value) {
    const float difference = NumberOf(value) - scale.mean;
    return difference / scale.std;
  });
}

}  // namespace

NaiveFeature NaiveMap(const NaiveFeature& values, const FeatureConfig& config) {
  NaiveFeature results = values;
  for (const ValueFunction& function : config.map) {
    const Kind kind = results.kind;
    results =
        std::visit([&](const auto& f) { return Apply(f, results); }, function);
    if (results.kind == Kind::kNull) results.kind = kind;  // no values
  }
  return results;
}

}  // namespace headrace::testing
