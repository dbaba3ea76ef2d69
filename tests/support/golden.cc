#include "tests/support/golden.h"

#include <zlib.h>

#include <charconv>
#include <memory>
#include <stdexcept>

#include "tests/support/hex.h"

namespace headrace::testing {

using nlohmann::json;

namespace {

std::string FromHex(const json& text) {
  auto bytes = ParseHex(text.get<std::string>());
  if (!bytes) throw std::runtime_error("bad hex");
  return *std::move(bytes);
}

uint32_t FloatBits(const json& text) {
  const auto digits = text.get<std::string>();
  uint32_t bits = 0;
  const char* end = digits.data() + digits.size();
  const auto parsed = std::from_chars(digits.data(), end, bits, 16);
  if (parsed.ec != std::errc() || parsed.ptr != end || digits.size() != 8) {
    throw std::runtime_error("a float is not 8 hex digits");
  }
  return bits;
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
        feature.floats.push_back(FloatBits(value));
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

NaiveResult GoldenColumns(const json& expect, size_t num_records) {
  if (expect.contains("error")) return GoldenError(expect);
  NaiveResult result;
  result.num_rows = num_records;
  for (const json& column : expect.at("columns")) {
    NaiveColumn naive{.name = GoldenKey(column.at("name")),
                      .kind = KindOfType(column.at("type"))};
    for (const json& cell : column.at("values")) {
      naive.rows.push_back(GoldenCell(cell, naive.kind));
    }
    result.columns.push_back(std::move(naive));
  }
  return result;
}

ErrorCode GoldenErrorCode(const std::string& name) {
  for (int i = 1; i <= static_cast<int>(ErrorCode::kOutOfMemory); ++i) {
    const auto code = static_cast<ErrorCode>(i);
    if (ErrorCodeName(code) == name) return code;
  }
  throw std::runtime_error("error class " + name + " is not understood");
}

}  // namespace headrace::testing
