#include "tests/naive/naive_convert.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <variant>

#include "tests/naive/naive_functions.h"

namespace headrace::testing {

namespace {

bool IsSigned(DType type) {
  return type == DType::kInt64 || type == DType::kInt32 ||
         type == DType::kInt16 || type == DType::kInt8;
}

bool IsWhole(DType type) {
  return IsSigned(type) || type == DType::kUint64 || type == DType::kUint32 ||
         type == DType::kUint16 || type == DType::kUint8;
}

bool Fits(int64_t value, DType type) {
  const int64_t bits = 8 * NaiveSize(type);
  if (type == DType::kUint64) return value >= 0;
  if (bits == 64) return true;
  const int64_t limit = int64_t{1} << (IsSigned(type) ? bits - 1 : bits);
  return value < limit && value >= (IsSigned(type) ? -limit : 0);
}

// A float of fewer bits, rounded to even; an infinity where it is too large.
int64_t HalfBits(float value, int mantissa_bits) {
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int64_t sign = std::signbit(value) ? int64_t{1} << 15 : 0;
  const int64_t infinity = ((int64_t{1} << exponent_bits) - 1) << mantissa_bits;
  if (std::isinf(value)) return sign | infinity;
  const double size = std::fabs(static_cast<double>(value));
  if (size == 0) return sign;
  int exponent = std::max(std::ilogb(size), 1 - bias);
  double units = std::nearbyint(std::ldexp(size, mantissa_bits - exponent));
  if (units == std::ldexp(1.0, mantissa_bits + 1)) {
    ++exponent;
    units /= 2;
  }
  if (exponent > bias) return sign | infinity;
  const auto whole = static_cast<int64_t>(units);
  const int64_t one = int64_t{1} << mantissa_bits;
  if (whole < one) return sign | whole;  // below the smallest normal number
  return sign | (int64_t{exponent + bias} << mantissa_bits) | (whole - one);
}

std::optional<int64_t> ConvertFloat(float value, DType type) {
  if (type == DType::kFloat64) {
    return std::bit_cast<int64_t>(static_cast<double>(value));
  }
  const bool is_half = type == DType::kFloat16;
  // Which NaN a NaN becomes is tested elsewhere.
  if (std::isnan(value)) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    const int64_t sign = bits >> 31 << 15;
    return is_half ? sign | 0x7E00 | (bits >> 13 & 0x1FF)
                   : int64_t{bits >> 16 | 0x40};
  }
  const int64_t bits = HalfBits(value, is_half ? 10 : 7);
  const int64_t infinity = is_half ? 0x7C00 : 0x7F80;
  if ((bits & 0x7FFF) == infinity && !std::isinf(value)) return std::nullopt;
  return bits;
}

// Behind functions a number too large for a float type becomes infinite, and
// integers may become floats.
NaiveFeature CastAny(const NaiveFeature& values, DType type) {
  NaiveFeature out{.kind = type == DType::kFloat ? Kind::kFloat : Kind::kInt64};
  const auto add_float = [&](float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    if (type == DType::kFloat) return out.floats.push_back(bits);
    const auto found = ConvertFloat(value, type);
    const int64_t infinity = type == DType::kFloat16 ? 0x7C00 : 0x7F80;
    out.int64s.push_back(
        found.value_or((std::signbit(value) ? 0x8000 : 0) | infinity));
  };
  for (const uint32_t bits : values.floats) {
    add_float(std::bit_cast<float>(bits));
  }
  for (const int64_t value : values.int64s) {
    if (IsWhole(type)) {
      if (!Fits(value, type)) throw std::runtime_error("a result does not fit");
      out.int64s.push_back(value);
    } else if (type == DType::kBool) {
      out.int64s.push_back(value != 0);
    } else if (type == DType::kFloat64) {
      out.int64s.push_back(std::bit_cast<int64_t>(static_cast<double>(value)));
    } else {
      add_float(static_cast<float>(value));
    }
  }
  return out;
}

}  // namespace

bool NaiveIsNan(DType dtype, uint64_t bits) {
  switch (dtype) {
    case DType::kFloat:
      return (bits & 0x7fffffff) > 0x7f800000;
    case DType::kFloat64:
      return (bits & ~(uint64_t{1} << 63)) > uint64_t{0x7ff} << 52;
    case DType::kFloat16:
      return (bits & 0x7fff) > 0x7c00;
    case DType::kBfloat16:
      return (bits & 0x7fff) > 0x7f80;
    default:
      return false;
  }
}

int64_t NaiveSize(DType type) {
  switch (type) {
    case DType::kInt8:
    case DType::kUint8:
    case DType::kBool:
      return 1;
    case DType::kInt16:
    case DType::kUint16:
    case DType::kFloat16:
    case DType::kBfloat16:
      return 2;
    case DType::kInt32:
    case DType::kUint32:
    case DType::kFloat:
      return 4;
    case DType::kInt64:
    case DType::kUint64:
    case DType::kFloat64:
      return 8;
    case DType::kBytes:
      break;
  }
  throw std::runtime_error("bytes have no size");
}

bool NaiveReinterprets(const FeatureConfig& config) {
  return config.dtype == DType::kBytes && config.as && config.map.empty() &&
         (*config.as != DType::kBytes ||
          config.encoding == Encoding::kTensorProto);
}

DType NaiveTensorType(const FeatureConfig& config) {
  if (config.as) return *config.as;
  bool is_float = config.dtype == DType::kFloat;
  for (const ValueFunction& function : config.map) {
    if (std::holds_alternative<Clip>(function)) continue;
    is_float = std::holds_alternative<Log1p>(function) ||
               std::holds_alternative<Scale>(function);
  }
  if (is_float) return DType::kFloat;
  return config.map.empty() ? config.dtype : DType::kInt64;
}

std::optional<NaiveFeature> NaiveConvert(const NaiveFeature& values,
                                         const FeatureConfig& config) {
  const DType type = NaiveTensorType(config);
  if (!config.map.empty()) return CastAny(NaiveMap(values, config), type);
  if (type == config.dtype) return values;
  NaiveFeature converted{.kind = Kind::kInt64};
  for (const int64_t value : values.int64s) {
    if (type == DType::kBool) {
      converted.int64s.push_back(value == 0 ? 0 : 1);
    } else if (config.as_bits || Fits(value, type)) {
      converted.int64s.push_back(value);
    } else {
      return std::nullopt;
    }
  }
  for (const uint32_t bits : values.floats) {
    const auto value = ConvertFloat(std::bit_cast<float>(bits), type);
    if (!value) return std::nullopt;
    converted.int64s.push_back(*value);
  }
  return converted;
}

std::optional<NaiveFeature> NaiveElements(const std::string& bytes,
                                          DType type) {
  NaiveFeature elements{.kind = Kind::kInt64};
  if (type == DType::kFloat) elements.kind = Kind::kFloat;
  const auto size = static_cast<size_t>(NaiveSize(type));
  if (bytes.size() % size != 0) return std::nullopt;
  for (size_t begin = 0; begin < bytes.size(); begin += size) {
    uint64_t bits = 0;
    for (size_t i = size; i-- > 0;) {
      bits = bits << 8 | static_cast<uint8_t>(bytes[begin + i]);
    }
    if (type == DType::kFloat) {
      elements.floats.push_back(static_cast<uint32_t>(bits));
      continue;
    }
    if (type == DType::kBool) bits = bits != 0;
    if (IsWhole(type) && IsSigned(type) && size < 8) {
      const uint64_t sign = uint64_t{1} << (8 * size - 1);
      bits = (bits ^ sign) - sign;
    }
    elements.int64s.push_back(static_cast<int64_t>(bits));
  }
  return elements;
}

std::optional<std::string> NaiveUnpack(const std::string& value,
                                       Encoding encoding) {
  if (encoding == Encoding::kRaw) return value;
  // The library's own way, a byte at a time.
  z_stream zlib = {};
  if (inflateInit(&zlib) != Z_OK) throw std::runtime_error("no zlib");
  std::string bytes;
  size_t next = 0;
  int result = Z_OK;
  while (result == Z_OK || result == Z_BUF_ERROR) {
    Bytef in = next < value.size() ? static_cast<Bytef>(value[next]) : Bytef{};
    Bytef out;
    zlib.next_in = &in;
    zlib.avail_in = next < value.size() ? 1 : 0;
    zlib.next_out = &out;
    zlib.avail_out = 1;
    const bool at_end = zlib.avail_in == 0;
    result = inflate(&zlib, Z_NO_FLUSH);
    if (zlib.avail_in == 0 && !at_end) ++next;
    if (zlib.avail_out == 0) {
      bytes.push_back(static_cast<char>(out));
    } else if (at_end && result != Z_STREAM_END) {
      break;
    }
  }
  inflateEnd(&zlib);
  if (result != Z_STREAM_END || next != value.size()) return std::nullopt;
  return bytes;
}

}  // namespace headrace::testing
