#include "tests/naive/naive_group_values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "tests/naive/naive_functions.h"
#include "tests/support/temporary_file.h"

namespace headrace::testing {

namespace {

struct Form {
  int size;       // in bytes
  int precision;  // of a float, with the bit that is not stored; 0: no float
  bool is_signed;
};

Form FormOf(DType type) {
  switch (type) {
    case DType::kFloat:
      return {4, 24, true};
    case DType::kFloat64:
      return {8, 53, true};
    case DType::kFloat16:
      return {2, 11, true};
    case DType::kBfloat16:
      return {2, 8, true};
    case DType::kInt64:
      return {8, 0, true};
    case DType::kInt32:
      return {4, 0, true};
    case DType::kInt16:
      return {2, 0, true};
    case DType::kInt8:
      return {1, 0, true};
    case DType::kUint64:
      return {8, 0, false};
    case DType::kUint32:
      return {4, 0, false};
    case DType::kUint16:
      return {2, 0, false};
    case DType::kUint8:
    case DType::kBool:
      return {1, 0, false};
    default:
      throw std::invalid_argument("no type of a group");
  }
}

bool IsFloat(DType type) { return FormOf(type).precision > 0; }

// A finite float as one of 16 bits: the nearest multiple of the unit that its
// exponent has, ties to even. May be an infinity.
uint64_t Narrow(float value, DType to) {
  const int digits = FormOf(to).precision;
  const int bias = to == DType::kFloat16 ? 15 : 127;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(double{value});
  if (size == 0) return sign;
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  const double unit = std::ldexp(1.0, exponent - (digits - 1));
  const double whole = std::floor(size / unit);
  const double rest = size / unit - whole;
  auto units = static_cast<uint64_t>(whole);
  if (rest > 0.5 || (rest == 0.5 && units % 2 == 1)) ++units;
  // A carry moves into the exponent, from the largest number to infinity, too.
  const uint64_t base = static_cast<uint64_t>(exponent + bias - 1)
                        << (digits - 1);
  const uint64_t infinity = uint64_t{2 * unsigned(bias) + 1} << (digits - 1);
  return sign | std::min(base + units, infinity);
}

std::optional<NaiveBits> CastFloat(float value, DType to, bool checked) {
  if (std::isnan(value)) {
    if (to != DType::kFloat) return NaiveBits{0, true};
    return NaiveBits{std::bit_cast<uint32_t>(value)};
  }
  if (to == DType::kFloat) return NaiveBits{std::bit_cast<uint32_t>(value)};
  if (to == DType::kFloat64) {
    return NaiveBits{std::bit_cast<uint64_t>(double{value})};
  }
  const uint64_t infinity = to == DType::kFloat16 ? 0x7c00 : 0x7f80;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isinf(value)) return NaiveBits{infinity | sign};
  const uint64_t bits = Narrow(value, to);
  if (checked && (bits & 0x7fff) == infinity) return std::nullopt;
  return NaiveBits{bits};
}

bool Holds(DType type, int64_t value) {
  const Form form = FormOf(type);
  if (type == DType::kBool || type == DType::kInt64) return true;
  if (type == DType::kUint64) return value >= 0;
  const int bits = 8 * form.size - (form.is_signed ? 1 : 0);
  const int64_t end = int64_t{1} << bits;
  return value < end && value >= (form.is_signed ? -end : 0);
}

// Whether a float of so many bits is this integer.
bool IsExact(int64_t value, int precision) {
  while (value != 0 && value % 2 == 0) value /= 2;
  const int64_t end = int64_t{1} << precision;
  return -end < value && value < end;
}

std::optional<NaiveBits> CastInt64(int64_t value, DType to, bool exact) {
  const Form form = FormOf(to);
  if (to == DType::kBool) return NaiveBits{value != 0};
  if (form.precision == 0) {
    if (!Holds(to, value)) return std::nullopt;
    uint64_t bits = static_cast<uint64_t>(value);
    if (form.size < 8) bits &= (uint64_t{1} << (8 * form.size)) - 1;
    return NaiveBits{bits};
  }
  if (exact && !IsExact(value, form.precision)) return std::nullopt;
  if (to == DType::kFloat64) {
    return NaiveBits{std::bit_cast<uint64_t>(static_cast<double>(value))};
  }
  return CastFloat(static_cast<float>(value), to, /*checked=*/true);
}

float FloatOf(const NaiveValue& value) {
  if (const auto* number = std::get_if<float>(&value)) return *number;
  return static_cast<float>(std::get<int64_t>(value));
}

std::string TextOf(const NaiveValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::to_string(std::get<int64_t>(value));
}

int64_t BucketOf(const std::string& text, int64_t buckets) {
  return static_cast<int64_t>(NaiveFingerprint64(text) %
                              static_cast<uint64_t>(buckets));
}

int64_t IdOf(const std::string& text, const Vocabulary& vocabulary,
             const std::map<std::string, int64_t>& words) {
  const int64_t first = vocabulary.oov_first ? vocabulary.oov_buckets : 0;
  const auto found = words.find(text);
  if (found != words.end()) return first + found->second;
  if (vocabulary.default_id) return *vocabulary.default_id;
  const int64_t after =
      vocabulary.oov_first ? 0 : static_cast<int64_t>(words.size());
  return after + BucketOf(text, vocabulary.oov_buckets);
}

template <class T>
T Clipped(T value, T lo, T hi) {
  return value < lo ? lo : value > hi ? hi : value;
}

float Scaled(float value, const Scale& scale) {
  // Each is stored, so that nothing is computed in one step.
  volatile float difference = value - scale.mean;
  return difference / scale.std;
}

}  // namespace

std::optional<NaiveBits> NaiveCast(const NaiveValue& value, DType to,
                                   bool exact) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    return CastInt64(*number, to, exact);
  }
  return CastFloat(std::get<float>(value), to, /*checked=*/true);
}

std::map<std::string, int64_t> NaiveKeys(const Vocabulary& vocabulary,
                                         DType dtype) {
  std::map<std::string, int64_t> keys;
  if (vocabulary.keys) {
    if (const auto* numbers =
            std::get_if<std::vector<int64_t>>(&*vocabulary.keys)) {
      for (const int64_t number : *numbers) {
        keys.emplace(std::to_string(number), keys.size());
      }
    } else {
      for (const std::string& word :
           std::get<std::vector<std::string>>(*vocabulary.keys)) {
        keys.emplace(word, keys.size());
      }
    }
    return keys;
  }
  const auto lines = NaiveVocabulary(ContentOf(vocabulary.file));
  for (const auto& [line, number] : *lines) {
    if (vocabulary.size && number >= *vocabulary.size) continue;
    const bool is_text = dtype == DType::kBytes;
    keys.emplace(is_text ? line : std::to_string(std::stoll(line)), number);
  }
  return keys;
}

NaiveChain::NaiveChain(const FeatureConfig& group, const FeatureConfig& member)
    : group_(group), member_(member) {
  for (const ValueFunction& function : member_.map) {
    words_.emplace_back();
    if (const auto* vocabulary = std::get_if<Vocabulary>(&function)) {
      words_.back() = NaiveKeys(*vocabulary, member_.dtype);
    }
  }
}

int64_t NaiveChain::NumWords(const Vocabulary& vocabulary) {
  if (vocabulary.size) return *vocabulary.size;
  if (!vocabulary.keys) {
    return static_cast<int64_t>(
        NaiveVocabulary(ContentOf(vocabulary.file))->size());
  }
  return static_cast<int64_t>(
      std::visit([](const auto& keys) { return keys.size(); },
                 static_cast<const DefaultValues::Base&>(*vocabulary.keys)));
}

bool NaiveChain::Step(const ValueFunction& function, Type* type, Range* range) {
  const bool is_number = *type == Type::kInt64 || *type == Type::kFloat;
  if (const auto* bucket = std::get_if<HashBucket>(&function)) {
    if (*type != Type::kInt64 && *type != Type::kBytes) return false;
    *type = Type::kId;
    *range = {0, bucket->buckets - 1, true};
  } else if (const auto* words = std::get_if<Vocabulary>(&function)) {
    if (*type != Type::kInt64 && *type != Type::kBytes) return false;
    *type = Type::kId;
    const int64_t last = NumWords(*words) + words->oov_buckets - 1;
    *range = {0, last, true};
    if (words->default_id) {
      range->lo = std::min<int64_t>(0, *words->default_id);
      range->hi = std::max(last, *words->default_id);
    }
  } else if (const auto* buckets = std::get_if<Bucketize>(&function)) {
    if (!is_number) return false;
    *type = Type::kId;
    *range = {0, static_cast<int64_t>(buckets->boundaries.size()), true};
  } else if (const auto* clip = std::get_if<Clip>(&function)) {
    const bool whole = std::holds_alternative<int64_t>(clip->lo);
    if (!is_number || whole != (*type == Type::kInt64)) return false;
    if (whole) {
      const int64_t lo = std::get<int64_t>(clip->lo);
      const int64_t hi = std::get<int64_t>(clip->hi);
      *range = {Clipped(range->lo, lo, hi), Clipped(range->hi, lo, hi), true};
    }
  } else {  // log1p, scale
    if (!is_number) return false;
    *type = Type::kFloat;
    *range = {};
  }
  return true;
}

bool NaiveChain::Fits() const {
  const DType as = *group_.as;
  if (member_.as) return true;  // bytes that hold numbers
  Type type = member_.dtype == DType::kBytes   ? Type::kBytes
              : member_.dtype == DType::kInt64 ? Type::kInt64
                                               : Type::kFloat;
  Range range;
  for (const ValueFunction& function : member_.map) {
    if (!Step(function, &type, &range)) return false;
  }
  if (type == Type::kBytes) return false;
  if (type == Type::kFloat) {
    if (!IsFloat(as)) return false;
  } else if (range.is_known) {
    for (const int64_t end : {range.lo, range.hi}) {
      if (!CastInt64(end, as, /*exact=*/false)) return false;
      const int64_t most = int64_t{1} << FormOf(as).precision;
      if (group_.exact && (end > most || end < -most)) return false;
    }
  }
  if (!member_.default_values) return true;
  return std::visit(
      [&](const auto& values) {
        return std::all_of(
            values.begin(), values.end(), [&](const auto& value) {
              return Apply(value, /*is_default=*/true).has_value();
            });
      },
      static_cast<const DefaultValues::Base&>(*member_.default_values));
}

std::optional<NaiveBits> NaiveChain::Apply(NaiveValue value,
                                           bool is_default) const {
  bool keeps_nan = true;
  for (size_t i = 0; i < member_.map.size(); ++i) {
    const ValueFunction& function = member_.map[i];
    if (const auto* bucket = std::get_if<HashBucket>(&function)) {
      value = BucketOf(TextOf(value), bucket->buckets);
    } else if (const auto* words = std::get_if<Vocabulary>(&function)) {
      value = IdOf(TextOf(value), *words, words_[i]);
    } else if (const auto* buckets = std::get_if<Bucketize>(&function)) {
      value = NaiveBucketize(FloatOf(value), buckets->boundaries);
    } else if (const auto* clip = std::get_if<Clip>(&function)) {
      if (const auto* whole = std::get_if<int64_t>(&value)) {
        value = Clipped(*whole, std::get<int64_t>(clip->lo),
                        std::get<int64_t>(clip->hi));
      } else {
        value = Clipped(std::get<float>(value), std::get<float>(clip->lo),
                        std::get<float>(clip->hi));
      }
    } else if (const auto* scale = std::get_if<Scale>(&function)) {
      value = Scaled(FloatOf(value), *scale);
      keeps_nan = false;
    } else {
      value = NaiveLog1p(FloatOf(value));
      keeps_nan = false;
    }
  }
  const auto* number = std::get_if<float>(&value);
  if (number == nullptr || member_.map.empty()) {
    return NaiveCast(value, *group_.as, group_.exact && member_.map.empty());
  }
  if (std::isnan(*number) && !keeps_nan) return NaiveBits{0, true};
  return CastFloat(*number, *group_.as, /*checked=*/is_default);
}

}  // namespace headrace::testing
