#include "tests/golden/golden.h"

#include <zlib.h>

#include <charconv>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "tests/support/hex.h"

namespace headrace::testing {

using nlohmann::json;

namespace {

std::string FromHex(const json& text) {
  auto bytes = ParseHex(text.get<std::string>());
  if (!bytes) throw std::runtime_error("bad hex");
  return *std::move(bytes);
}

Kind KindOfType(const std::string& type) {
  if (type == "null") return Kind::kNull;
  if (type == "list<bytes>") return Kind::kBytes;
  if (type == "list<float>") return Kind::kFloat;
  if (type == "list<int64>") return Kind::kInt64;
  throw std::runtime_error("type " + type + " is not understood");
}

std::optional<NaiveFeature> GoldenCell(const json& cell, Kind kind) {
  if (cell.is_null()) return std::nullopt;
  NaiveFeature feature{.kind = kind};
  for (const json& value : cell) {
    switch (kind) {
      case Kind::kBytes:
        feature.bytes.push_back(FromHex(value));
        break;
      case Kind::kFloat:
        feature.floats.push_back(GoldenFloat(value));
        break;
      case Kind::kInt64:
        feature.int64s.push_back(value.get<int64_t>());
        break;
      case Kind::kNull:
        throw std::runtime_error("a value in a null column");
    }
  }
  return feature;
}

// The type of a child of ##SEQUENCE##.
Kind KindOfListType(const std::string& type) {
  if (type == "list<null>") return Kind::kNull;
  constexpr std::string_view kOuter = "list<";
  if (!type.starts_with(kOuter) || !type.ends_with('>')) {
    throw std::runtime_error("type " + type + " is not understood");
  }
  const Kind kind =
      KindOfType(type.substr(kOuter.size(), type.size() - kOuter.size() - 1));
  if (kind == Kind::kNull) throw std::runtime_error("type " + type);
  return kind;
}

std::optional<NaiveSteps> GoldenSteps(const json& cell, Kind kind) {
  if (cell.is_null()) return std::nullopt;
  NaiveSteps steps;
  for (const json& step : cell) steps.push_back(GoldenCell(step, kind));
  return steps;
}

NaiveColumn GoldenColumn(const json& column) {
  NaiveColumn naive{.name = GoldenKey(column.at("name")),
                    .kind = KindOfType(column.at("type").get<std::string>())};
  for (const json& cell : column.at("values")) {
    naive.rows.push_back(GoldenCell(cell, naive.kind));
  }
  return naive;
}

// Takes `NAME: TYPE` from the front of a struct's fields. Names are not
// escaped, so where one ends is known for sure only where there is a cell with
// its name.
NaiveColumn TakeField(const json* cell, std::string_view* fields) {
  for (const char* type : {"list<null>", "list<list<int64>>",
                           "list<list<float>>", "list<list<bytes>>"}) {
    const std::string end = std::string(": ") + type;
    for (size_t at = fields->find(end); at != std::string_view::npos;
         at = fields->find(end, at + 1)) {
      const std::string_view rest = fields->substr(at + end.size());
      const std::string name(fields->substr(0, at));
      const bool ends = rest.empty() || rest.starts_with(", ");
      if (!ends || (cell && !cell->contains(name))) continue;
      if (!cell && name.find(">, ") != std::string::npos) continue;
      *fields = rest.substr(rest.empty() ? 0 : 2);
      return {.name = name, .kind = KindOfListType(type), .in_sequence = true};
    }
  }
  throw std::runtime_error("struct of " + std::string(*fields));
}

// The children, in the order of the type.
void AddSequenceStruct(const json& column, NaiveResult* result) {
  if (GoldenKey(column.at("name")) != "##SEQUENCE##") {
    throw std::runtime_error("a struct that is not ##SEQUENCE##");
  }
  result->has_sequence_struct = true;
  const json& cells = column.at("values");
  const std::string type = column.at("type").get<std::string>();
  constexpr std::string_view kOpen = "struct<{";
  constexpr std::string_view kClose = "}>";
  std::string_view fields(type);
  if (!fields.starts_with(kOpen) || !fields.ends_with(kClose)) {
    throw std::runtime_error("type " + type);
  }
  fields.remove_prefix(kOpen.size());
  fields.remove_suffix(kClose.size());
  const size_t before = result->columns.size();
  while (!fields.empty()) {
    NaiveColumn child = TakeField(cells.empty() ? nullptr : &cells[0], &fields);
    for (const json& cell : cells) {
      child.lists.push_back(GoldenSteps(cell.at(child.name), child.kind));
    }
    result->columns.push_back(std::move(child));
  }
  for (const json& cell : cells) {
    if (cell.size() != result->columns.size() - before) {
      throw std::runtime_error("odd struct");
    }
  }
}

NaiveResult GoldenError(const json& expect) {
  NaiveResult result;
  result.code = GoldenErrorCode(expect.at("error").get<std::string>());
  if (expect.contains("record")) {
    result.record = expect["record"].get<uint64_t>();
  }
  if (expect.contains("feature")) {
    result.features = {GoldenKey(expect["feature"])};
  }
  return result;
}

}  // namespace

std::optional<std::vector<std::string>> ReadGoldenLines(
    const std::string& path) {
  // zlib passes files through that are not gzip.
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"),
                                                  &gzclose);
  if (!file) return std::nullopt;
  std::string text;
  char buffer[1 << 16];
  while (true) {
    const int got = gzread(file.get(), buffer, sizeof(buffer));
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    if (end > begin) lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

std::string GoldenKey(const json& key) {
  return key.is_object() ? FromHex(key.at("hex")) : key.get<std::string>();
}

std::vector<std::string> GoldenRecords(const json& records) {
  std::vector<std::string> parsed;
  for (const json& record : records) parsed.push_back(FromHex(record));
  return parsed;
}

uint32_t GoldenFloat(const json& text) {
  const auto digits = text.get<std::string>();
  uint32_t bits = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, bits, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || digits.size() != 8) {
    throw std::runtime_error("a float is not 8 hex digits");
  }
  return bits;
}

NaiveResult GoldenColumns(const json& expect, size_t num_records) {
  if (expect.contains("error")) return GoldenError(expect);
  NaiveResult result;
  result.num_rows = num_records;
  for (const json& column : expect.at("columns")) {
    const std::string type = column.at("type").get<std::string>();
    if (type.starts_with("struct<{")) {
      AddSequenceStruct(column, &result);
    } else {
      result.columns.push_back(GoldenColumn(column));
    }
  }
  return result;
}

ErrorCode GoldenErrorCode(const std::string& name) {
  if (const auto code = ParseName<ErrorCode>(name)) return *code;
  throw std::runtime_error("error class " + name + " is not understood");
}

}  // namespace headrace::testing
