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
constexpr Shape kShapes[] = {{"n", 0, 0},   {"l", 2, 0},  {"f", 2, 0},
                             {"z", 3, 0},   {"Z", 3, 0},  {"u", 3, 0},
                             {"vz", -1, 0}, {"+l", 2, 1}, {"+s", 1, -1}};

std::string CheckShape(const ArrowSchema& schema, const ArrowArray& array) {
  if (array.n_children != schema.n_children) return "child counts differ";
  for (const Shape& shape : kShapes) {
    if (shape.format != schema.format) continue;
    if (shape.buffers >= 0 && array.n_buffers != shape.buffers) {
      return "buffer count";
    }
    if (shape.children >= 0 && array.n_children != shape.children) {
      return "child count";
    }
    for (int64_t i = 1; i < array.n_buffers; ++i) {
      if (array.buffers[i] == nullptr) return "a buffer is missing";
    }
    return {};
  }
  return "unknown format";
}

std::string CheckContents(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (format == "l") ReadAll(array.buffers[1], array.length * 8);
  if (format == "f") ReadAll(array.buffers[1], array.length * 4);
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
  if (format == "l") return std::to_string(At<int64_t>(array, 1, index));
  if (format == "f") return FloatText(At<float>(array, 1, index));
  if (format == "vz") return Quoted(ViewBytes(array, index));
  if (format == "Z") return Quoted(OffsetBytes<int64_t>(array, index));
  if (format != "+l" && format != "+s") {
    return Quoted(OffsetBytes<int32_t>(array, index));
  }
  const bool list = format == "+l";
  std::string text;
  const int64_t begin = list ? At<int32_t>(array, 1, index) : 0;
  const int64_t end =
      list ? At<int32_t>(array, 1, index + 1) : array.n_children;
  for (int64_t i = begin; i < end; ++i) {
    if (i > begin) text += ", ";
    const int64_t child = list ? 0 : i;
    if (!list) text += std::string(schema.children[i]->name) + ": ";
    text += ValueText(*schema.children[child], *array.children[child],
                      list ? i : index);
  }
  return (list ? "[" : "{") + text + (list ? "]" : "}");
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
