#include "src/exchange/encode/cell_encoder.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "src/base/little_endian.h"
#include "src/base/text/quote.h"
#include "wire/append.h"

namespace headrace::encode {
namespace {

Status BadValue(std::string what) {
  return Status(ErrorCode::kInvalidArgument, std::move(what));
}

Status TooLarge() {
  return Status(ErrorCode::kLimit, "the feature is larger than 2 GiB");
}

std::string ValueName(ItemRange items, int64_t i) {
  return "value " + std::to_string(i - items.begin);
}

Status CheckNoNulls(const ArrayView& values, ItemRange items) {
  if (!values.has_nulls()) return Status();
  for (int64_t i = items.begin; i < items.end; ++i) {
    if (values.IsNull(i)) {
      return BadValue(ValueName(items, i) +
                      " is null, and a feature holds no nulls");
    }
  }
  return Status();
}

// Converts a half exactly: every half is a float.
float FromHalf(uint16_t half) {
  const uint32_t sign = uint32_t{half} >> 15 << 31;
  const uint32_t exponent = half >> 10 & 31;
  const uint32_t fraction = half & 1023;
  if (exponent == 0) {
    const float small = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -small : small;
  }
  const uint32_t biased = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | biased << 23 | fraction << 13);
}

float LoadFloat(const ArrayView& values, int64_t i) {
  switch (values.facts().type) {
    case ArrowType::kFloat16:
      return FromHalf(values.Get<uint16_t>(i));
    case ArrowType::kFloat64:
      return static_cast<float>(values.Get<double>(i));
    default:
      return values.Get<float>(i);
  }
}

double LoadDouble(const ArrayView& values, int64_t i) {
  return values.facts().type == ArrowType::kFloat64 ? values.Get<double>(i)
                                                    : LoadFloat(values, i);
}

// Visits each integer as 64 bits.
template <class T, class Visit>
void ForEach(const ArrayView& values, ItemRange items, Visit visit) {
  for (int64_t i = items.begin; i < items.end; ++i) {
    if constexpr (std::is_same_v<T, bool>) {
      visit(values.GetBool(i) ? 1u : 0u);
    } else {
      visit(static_cast<uint64_t>(static_cast<int64_t>(values.Get<T>(i))));
    }
  }
}

template <class Visit>
void ForEachInteger(const ArrayView& values, ItemRange items, Visit visit) {
  switch (values.facts().type) {
    case ArrowType::kBool:
      return ForEach<bool>(values, items, visit);
    case ArrowType::kInt8:
      return ForEach<int8_t>(values, items, visit);
    case ArrowType::kInt16:
      return ForEach<int16_t>(values, items, visit);
    case ArrowType::kInt32:
      return ForEach<int32_t>(values, items, visit);
    case ArrowType::kUint8:
      return ForEach<uint8_t>(values, items, visit);
    case ArrowType::kUint16:
      return ForEach<uint16_t>(values, items, visit);
    case ArrowType::kUint32:
      return ForEach<uint32_t>(values, items, visit);
    case ArrowType::kFloat16:
    case ArrowType::kFloat32:
    case ArrowType::kFloat64:
      for (int64_t i = items.begin; i < items.end; ++i) {
        visit(
            static_cast<uint64_t>(static_cast<int64_t>(LoadDouble(values, i))));
      }
      return;
    default:  // kInt64, and kUint64 that fits
      return ForEach<int64_t>(values, items, visit);
  }
}

Status CheckIsWhole(const ArrayView& values, ItemRange items) {
  for (int64_t i = items.begin; i < items.end; ++i) {
    const double value = LoadDouble(values, i);
    if (value >= -0x1p63 && value < 0x1p63 && value == std::trunc(value)) {
      continue;
    }
    return BadValue(ValueName(items, i) + " is " + std::to_string(value) +
                    ", and int64 holds whole numbers");
  }
  return Status();
}

Status CheckFitsInt64(const ArrayView& values, ItemRange items) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  if (values.facts().kind == Kind::kFloat) return CheckIsWhole(values, items);
  if (values.facts().type != ArrowType::kUint64) return Status();
  for (int64_t i = items.begin; i < items.end; ++i) {
    const auto value = values.Get<uint64_t>(i);
    if (value <= kMax) continue;
    return BadValue(ValueName(items, i) + " is " + std::to_string(value) +
                    ", and an int64 is at most " + std::to_string(kMax));
  }
  return Status();
}

Status CheckFitsFloat(const ArrayView& values, ItemRange items) {
  if (values.facts().type != ArrowType::kFloat64) return Status();
  for (int64_t i = items.begin; i < items.end; ++i) {
    if (!std::isfinite(values.Get<double>(i)) ||
        std::isfinite(LoadFloat(values, i))) {
      continue;
    }
    return BadValue(ValueName(items, i) + " is out of the range of float32");
  }
  return Status();
}

Status CheckType(const ArrayView& values, std::string_view column,
                 const EncodeOptions& options, std::optional<Kind> wanted) {
  const TypeFacts& facts = values.facts();
  if (facts.type == ArrowType::kStruct) {
    return BadColumn(column, "is a struct, which no feature holds");
  }
  if (facts.is_list()) {
    return BadColumn(column,
                     "holds lists inside of lists; only feature lists "
                     "do, as children of ##SEQUENCE##");
  }
  if (facts.type == ArrowType::kFloat64 && !wanted &&
      !options.allow_narrowing) {
    return BadColumn(column,
                     "is float64, and a feature holds float32; cast it, or "
                     "allow rounding (allow_narrowing, in Python cast=True)");
  }
  return Status();
}

// Returns the kind to make. Numbers never become bytes, nor bytes numbers.
Kind MadeKind(const ArrayView& values, std::optional<Kind> wanted) {
  const Kind kind = values.facts().kind;
  const bool converts = wanted && *wanted != Kind::kBytes &&
                        (kind == Kind::kInt64 || kind == Kind::kFloat);
  return converts ? *wanted : kind;
}

}  // namespace

Status BadColumn(std::string_view column, std::string_view what) {
  return Status(
      ErrorInfo{.code = ErrorCode::kInvalidArgument,
                .message = "column " + Quote(column) + " " + std::string(what),
                .feature = std::string(column)});
}

Result<CellEncoder> CellEncoder::Of(const ArrowSchema& schema,
                                    const ArrowArray& array,
                                    std::string_view column,
                                    const EncodeOptions& options,
                                    std::optional<Kind> wanted) {
  Result<ArrayView> cells = ArrayView::Of(schema, array);
  if (!cells) return BadColumn(column, cells.status().message());
  if (!cells->facts().is_list()) {
    Status status = CheckType(*cells, column, options, wanted);
    if (!status.ok()) return status;
    return CellEncoder(*cells, std::nullopt, MadeKind(*cells, wanted));
  }
  Result<ArrayView> values =
      ArrayView::Of(cells->child_schema(0), cells->child_array(0));
  if (!values) {
    return BadColumn(column, "has values whose array " +
                                 std::string(values.status().message()));
  }
  Status status = CheckType(*values, column, options, wanted);
  if (!status.ok()) return status;
  return CellEncoder(*cells, *values, MadeKind(*values, wanted));
}

Status CellEncoder::AppendBytes(const ArrayView& values, ItemRange items) {
  for (int64_t i = items.begin; i < items.end; ++i) {
    std::string_view value;
    if (!values.GetBytes(i, &value)) {
      return BadValue(ValueName(items, i) + " has offsets that make no sense");
    }
    if (value.size() > kMaxFieldBytes - list_.size()) return TooLarge();
    wire::AppendLen(1, value, &list_);
  }
  return Status();
}

Status CellEncoder::AppendFloats(const ArrayView& values, ItemRange items) {
  const auto count = static_cast<size_t>(items.size());
  if (count > kMaxFieldBytes / sizeof(float)) return TooLarge();
  const bool are_integers = values.facts().kind == Kind::kInt64;
  Status status = are_integers ? CheckFitsInt64(values, items)
                               : CheckFitsFloat(values, items);
  if (!status.ok() || count == 0) return status;
  wire::AppendHead(1, count * sizeof(float), &list_);
  const size_t start = list_.size();
  list_.resize(start + count * sizeof(float));
  auto* out = reinterpret_cast<uint8_t*>(list_.data() + start);
  const auto store = [&out](float value) {
    StoreLittle32(out, std::bit_cast<uint32_t>(value));
    out += sizeof(float);
  };
  if (are_integers) {
    ForEachInteger(values, items, [&](uint64_t value) {
      store(static_cast<float>(static_cast<int64_t>(value)));
    });
    return Status();
  }
  for (int64_t i = items.begin; i < items.end; ++i) {
    store(LoadFloat(values, i));
  }
  return Status();
}

Status CellEncoder::AppendIntegers(const ArrayView& values, ItemRange items) {
  if (static_cast<size_t>(items.size()) > kMaxFieldBytes) return TooLarge();
  Status status = CheckFitsInt64(values, items);
  if (!status.ok() || items.size() == 0) return status;
  size_t size = 0;
  ForEachInteger(values, items,
                 [&](uint64_t value) { size += wire::VarintSize(value); });
  if (size > kMaxFieldBytes) return TooLarge();
  wire::AppendHead(1, size, &list_);
  ForEachInteger(values, items,
                 [&](uint64_t value) { wire::AppendVarint(value, &list_); });
  return Status();
}

Status CellEncoder::Append(int64_t cell, std::string* feature) {
  const ArrayView& values = values_ ? *values_ : cells_;
  ItemRange items{cell, cell + 1};
  if (values_ && !cells_.GetList(cell, &items)) {
    return BadValue("the list has offsets that make no sense");
  }
  list_.clear();
  Status status = CheckNoNulls(values, items);
  if (!status.ok()) return status;
  switch (kind_) {
    case Kind::kBytes:
      status = AppendBytes(values, items);
      break;
    case Kind::kFloat:
      status = AppendFloats(values, items);
      break;
    case Kind::kInt64:
      status = AppendIntegers(values, items);
      break;
    case Kind::kNull:
      return BadValue("a list of the type null has no kind of feature");
  }
  if (!status.ok()) return status;
  wire::AppendLen(static_cast<uint32_t>(kind_), list_, feature);
  return Status();
}

}  // namespace headrace::encode
