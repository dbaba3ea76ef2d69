#include "tests/arrow/c_data_checker.h"

#include <bit>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace headrace::testing {
namespace {

template <class T>
T At(const ArrowArray& array, int64_t buffer, int64_t index) {
  T value;
  std::memcpy(&value,
              static_cast<const char*>(array.buffers[buffer]) +
                  static_cast<size_t>(index) * sizeof(T),
              sizeof(T));
  return value;
}

bool IsNull(const ArrowSchema& schema, const ArrowArray& array, int64_t index) {
  if (std::string_view(schema.format) == "n") return true;
  if (array.buffers[0] == nullptr) return false;
  return (At<uint8_t>(array, 0, index / 8) >> (index % 8) & 1) == 0;
}

std::string Quoted(std::string_view bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    if (c >= ' ' && c <= '~' && c != '"' && c != '\\') {
      text += c;
      continue;
    }
    char hex[8];
    std::snprintf(hex, sizeof(hex), "\\x%02x", static_cast<uint8_t>(c));
    text += hex;
  }
  return text + '"';
}

std::string FloatText(float value) {
  char hex[16];
  std::snprintf(hex, sizeof(hex), "0x%08x", std::bit_cast<uint32_t>(value));
  return hex;
}

struct Number {
  std::string_view format;
  int64_t bits;
  const char* name;  // as Arrow's libraries call the type
};
constexpr Number kNumbers[] = {
    {"l", 64, "int64"},  {"i", 32, "int32"},  {"s", 16, "int16"},
    {"c", 8, "int8"},    {"L", 64, "uint64"}, {"I", 32, "uint32"},
    {"S", 16, "uint16"}, {"C", 8, "uint8"},   {"e", 16, "halffloat"},
    {"f", 32, "float"},  {"g", 64, "double"}, {"b", 1, "bool"},
};

const Number* FindNumber(std::string_view format) {
  for (const Number& number : kNumbers) {
    if (number.format == format) return &number;
  }
  return nullptr;
}

// Floats by their bits.
std::string NumberText(const ArrowArray& array, char format, int64_t i) {
  char hex[24];
  switch (format) {
    case 'b':
      return At<uint8_t>(array, 1, i / 8) >> (i % 8) & 1 ? "true" : "false";
    case 'l':
      return std::to_string(At<int64_t>(array, 1, i));
    case 'i':
      return std::to_string(At<int32_t>(array, 1, i));
    case 's':
      return std::to_string(At<int16_t>(array, 1, i));
    case 'c':
      return std::to_string(At<int8_t>(array, 1, i));
    case 'L':
      return std::to_string(At<uint64_t>(array, 1, i));
    case 'I':
      return std::to_string(At<uint32_t>(array, 1, i));
    case 'S':
      return std::to_string(At<uint16_t>(array, 1, i));
    case 'C':
      return std::to_string(At<uint8_t>(array, 1, i));
    case 'e':
      std::snprintf(hex, sizeof(hex), "0x%04x", At<uint16_t>(array, 1, i));
      return hex;
    case 'f':
      return FloatText(At<float>(array, 1, i));
    default:
      std::snprintf(hex, sizeof(hex), "0x%016llx",
                    static_cast<unsigned long long>(At<uint64_t>(array, 1, i)));
      return hex;
  }
}

// The size that a format of fixed_size_list ends with; -1 for other formats.
int64_t ListSize(std::string_view format) {
  if (!format.starts_with("+w:")) return -1;
  return std::stoll(std::string(format.substr(3)));
}

template <class Offset>
std::string_view OffsetBytes(const ArrowArray& array, int64_t index) {
  const auto begin = static_cast<size_t>(At<Offset>(array, 1, index));
  const auto end = static_cast<size_t>(At<Offset>(array, 1, index + 1));
  return std::string_view(static_cast<const char*>(array.buffers[2]), end)
      .substr(begin);
}

std::string_view ViewBytes(const ArrowArray& array, int64_t index) {
  const char* const view =
      static_cast<const char*>(array.buffers[1]) + index * 16;
  int32_t size;
  std::memcpy(&size, view, 4);
  if (size <= 12) return {view + 4, static_cast<size_t>(size)};
  int32_t buffer;
  int32_t offset;
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  return {static_cast<const char*>(array.buffers[2 + buffer]) + offset,
          static_cast<size_t>(size)};
}

template <class Offset>
std::string CheckOffsets(const ArrowArray& array) {
  if (array.buffers[1] == nullptr) return "no offsets";
  if (At<Offset>(array, 1, 0) != 0) return "the first offset is not 0";
  for (int64_t i = 0; i < array.length; ++i) {
    if (At<Offset>(array, 1, i + 1) < At<Offset>(array, 1, i)) {
      return "offsets decrease at " + std::to_string(i);
    }
  }
  return {};
}

// Touches what a consumer may copy.
void ReadAll(const void* data, int64_t size) {
  uint64_t sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    sum += static_cast<const volatile uint8_t*>(data)[i];
  }
  static_cast<void>(sum);
}

std::string CheckView(const ArrowArray& array, int64_t index,
                      int64_t variadic) {
  const char* const view =
      static_cast<const char*>(array.buffers[1]) + index * 16;
  const std::string where = " in view " + std::to_string(index);
  int32_t size;
  std::memcpy(&size, view, 4);
  if (size < 0) return "negative size" + where;
  if (size <= 12) {
    for (int i = size; i < 12; ++i) {
      if (view[4 + i] != 0) return "no zeros after the value" + where;
    }
    return {};
  }
  int32_t buffer;
  int32_t offset;
  std::memcpy(&buffer, view + 8, 4);
  std::memcpy(&offset, view + 12, 4);
  if (buffer < 0 || buffer >= variadic) return "no such buffer" + where;
  const auto room = At<int64_t>(array, 2 + variadic, buffer);
  if (offset < 0 || offset > room - size) return "outside its buffer" + where;
  const char* const data =
      static_cast<const char*>(array.buffers[2 + buffer]) + offset;
  if (std::memcmp(view + 4, data, 4) != 0) return "other prefix" + where;
  return {};
}

std::string CheckViews(const ArrowArray& array) {
  if (array.n_buffers < 3) return "too few buffers of views";
  const int64_t variadic = array.n_buffers - 3;
  for (int64_t i = 0; i < variadic; ++i) {
    ReadAll(array.buffers[2 + i], At<int64_t>(array, 2 + variadic, i));
  }
  for (int64_t i = 0; i < array.length; ++i) {
    if (auto text = CheckView(array, i, variadic); !text.empty()) return text;
  }
  return {};
}

std::string CheckNulls(const ArrowSchema& schema, const ArrowArray& array) {
  int64_t nulls = 0;
  for (int64_t i = 0; i < array.length; ++i) nulls += IsNull(schema, array, i);
  if (nulls != array.null_count) return "null count is not exact";
  if (nulls > 0 && !(schema.flags & ARROW_FLAG_NULLABLE)) return "has nulls";
  if (std::string_view(schema.format) == "n" || array.buffers[0] == nullptr) {
    return {};
  }
  if (nulls == 0) return "validity although nothing is null";
  const int64_t end = (array.length + 7) / 8 * 8;
  for (int64_t i = array.length; i < end; ++i) {
    if (!IsNull(schema, array, i)) return "validity bits after the end";
  }
  return {};
}

struct Shape {
  std::string_view format;
  int64_t buffers;  // -1: several
  int64_t children;
};
constexpr Shape kShapes[] = {{"n", 0, 0},  {"z", 3, 0},   {"Z", 3, 0},
                             {"u", 3, 0},  {"vz", -1, 0}, {"+l", 2, 1},
                             {"+s", 1, -1}};

const Shape* FindShape(std::string_view format) {
  static constexpr Shape kNumber{{}, 2, 0}, kFixedSizeList{{}, 1, 1};
  if (FindNumber(format)) return &kNumber;
  if (ListSize(format) >= 0) return &kFixedSizeList;
  for (const Shape& shape : kShapes) {
    if (shape.format == format) return &shape;
  }
  return nullptr;
}

std::string CheckShape(const ArrowSchema& schema, const ArrowArray& array) {
  if (array.n_children != schema.n_children) return "child counts differ";
  const Shape* const shape = FindShape(schema.format);
  if (!shape) return "unknown format";
  if (shape->buffers >= 0 && array.n_buffers != shape->buffers) {
    return "buffer count";
  }
  if (shape->children >= 0 && array.n_children != shape->children) {
    return "child count";
  }
  for (int64_t i = 1; i < array.n_buffers; ++i) {
    if (array.buffers[i] == nullptr) return "a buffer is missing";
  }
  return {};
}

std::string CheckContents(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (const Number* const number = FindNumber(format)) {
    ReadAll(array.buffers[1], (array.length * number->bits + 7) / 8);
  }
  if (const int64_t size = ListSize(format); size >= 0) {
    if (array.children[0]->length == array.length * size) return {};
    return "other number of values than lists of this size have";
  }
  if (format == "vz") return CheckViews(array);
  if (format == "Z") return CheckOffsets<int64_t>(array);
  if (format == "z" || format == "u") return CheckOffsets<int32_t>(array);
  if (format != "+l") return {};
  if (auto text = CheckOffsets<int32_t>(array); !text.empty()) return text;
  if (At<int32_t>(array, 1, array.length) != array.children[0]->length) {
    return "the last offset is not the number of values";
  }
  return {};
}

std::string CheckHere(const ArrowSchema& schema, const ArrowArray& array) {
  if (schema.release == nullptr || array.release == nullptr) return "released";
  if (schema.format == nullptr || schema.name == nullptr) return "no strings";
  if (array.length < 0 || array.offset != 0) return "length or offset";
  if (schema.dictionary || array.dictionary) return "a dictionary";
  std::string text = CheckShape(schema, array);
  if (text.empty()) text = CheckNulls(schema, array);
  if (text.empty()) text = CheckContents(schema, array);
  return text;
}

}  // namespace

std::string Violation(const ArrowSchema& schema, const ArrowArray& array) {
  std::string text = CheckHere(schema, array);
  for (int64_t i = 0; text.empty() && i < array.n_children; ++i) {
    if (std::string_view(schema.format) == "+s" &&
        array.children[i]->length != array.length) {
      return "a child has another length than its struct";
    }
    text = Violation(*schema.children[i], *array.children[i]);
    if (!text.empty())
      text = std::string(schema.children[i]->name) + ": " + text;
  }
  return text;
}

std::string ValueText(const ArrowSchema& schema, const ArrowArray& array,
                      int64_t index) {
  const std::string_view format = schema.format;
  if (IsNull(schema, array, index)) return "null";
  if (FindNumber(format)) return NumberText(array, format[0], index);
  if (format == "vz") return Quoted(ViewBytes(array, index));
  if (format == "Z") return Quoted(OffsetBytes<int64_t>(array, index));
  const int64_t size = ListSize(format);
  const bool list = format == "+l" || size >= 0;
  if (!list && format != "+s") {
    return Quoted(OffsetBytes<int32_t>(array, index));
  }
  std::string text;
  int64_t begin = 0, end = array.n_children;
  if (size >= 0) {
    begin = index * size;
    end = begin + size;
  } else if (list) {
    begin = At<int32_t>(array, 1, index);
    end = At<int32_t>(array, 1, index + 1);
  }
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) text += ", ";
    const int64_t child = list ? 0 : i;
    if (!list) text += std::string(schema.children[i]->name) + ": ";
    text += ValueText(*schema.children[child], *array.children[child],
                      list ? i : index);
  }
  return (list ? "[" : "{") + text + (list ? "]" : "}");
}

namespace {

std::string BytesTypeName(std::string_view format) {
  if (format == "n") return "null";
  if (format == "z") return "binary";
  if (format == "Z") return "large_binary";
  return format == "vz" ? "binary_view" : "string";
}

// The metadata of an extension type as a map would have it.
std::string ExtensionText(const char* metadata) {
  if (metadata == nullptr) return {};
  std::string text;
  const auto read = [&metadata] {
    int32_t number;
    std::memcpy(&number, metadata, sizeof(number));
    metadata += sizeof(number);
    return number;
  };
  for (int32_t pairs = read(); pairs > 0; --pairs) {
    for (const char* const end : {"=", ";"}) {
      const auto size = static_cast<size_t>(read());
      text.append(metadata, size).append(end);
      metadata += size;
    }
  }
  return text;
}

// "tensor[2,3]:", or all of the metadata of another extension type.
std::string ExtensionTypeName(const char* metadata) {
  const std::string text = ExtensionText(metadata);
  const std::string start =
      "ARROW:extension:name=arrow.fixed_shape_tensor;"
      "ARROW:extension:metadata={\"shape\":";
  if (!text.starts_with(start) || !text.ends_with("};")) return text;
  return "tensor" + text.substr(start.size(), text.size() - start.size() - 2) +
         ":";
}

}  // namespace

std::string TypeText(const ArrowSchema& schema) {
  const std::string_view format = schema.format;
  if (const Number* const number = FindNumber(format)) return number->name;
  if (format == "+s") {
    std::string text;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      if (i > 0) text += ", ";
      text += schema.children[i]->name;
      text += ": " + TypeText(*schema.children[i]);
    }
    return "{" + text + "}";
  }
  if (format[0] != '+') return BytesTypeName(format);
  const std::string item = "<" + TypeText(*schema.children[0]) + ">";
  if (format == "+l") return "list" + item;
  return ExtensionTypeName(schema.metadata) + "fixed[" +
         std::to_string(ListSize(format)) + "]" + item;
}

std::vector<std::string> RowTexts(const ArrowSchema& schema,
                                  const ArrowArray& array) {
  std::vector<std::string> rows;
  for (int64_t i = 0; i < array.length; ++i) {
    rows.push_back(ValueText(schema, array, i));
  }
  return rows;
}

namespace {

std::string CellText(const Column& column, size_t row) {
  if (column.IsNull(row)) return "null";
  std::string text;
  const auto begin = static_cast<size_t>(column.offsets[row]);
  const auto end = static_cast<size_t>(column.offsets[row + 1]);
  for (size_t i = begin; i < end; ++i) {
    if (i > begin) text += ", ";
    if (column.kind == Kind::kInt64) {
      text += std::to_string(column.int64s()[i]);
    } else if (column.kind == Kind::kFloat) {
      text += FloatText(column.floats()[i]);
    } else {
      text += Quoted(column.bytes()[i]);
    }
  }
  return "[" + text + "]";
}

}  // namespace

std::vector<std::string> RowTexts(const arrow::ColumnBatch& batch) {
  std::vector<std::string> rows;
  for (size_t row = 0; row < batch.num_rows; ++row) {
    std::string text;
    for (const Column& column : batch.columns) {
      if (!text.empty()) text += ", ";
      text += std::string(column.name) + ": " + CellText(column, row);
    }
    rows.push_back("{" + text + "}");
  }
  return rows;
}

}  // namespace headrace::testing
