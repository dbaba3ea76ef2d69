#include "bench/decode_report.h"

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/decode/decode_options.h"
#include "bench/table.h"
#include "nlohmann/json.hpp"

namespace headrace::bench {
namespace {

struct Requirement {
  const char* shape;
  const char* fast;
  const char* slow;
  double at_least;
};

constexpr Requirement kRequirements[] = {
    {"criteo", "headrace", "libprotobuf", 10.0},
    {"criteo-shuffled", "headrace", "libprotobuf", 7.0},
    {"ids", "headrace", "libprotobuf", 8.0},
    {"blobs", "framing", "memcpy", 0.5},
};

// The column has a rate of `side`, or how many times faster it is than
// `slower`.
struct TableColumn {
  const char* title;
  const char* side;
  const char* slower = nullptr;

  bool IsIn(const ShapeResult& result) const {
    return result.Find(side) && (!slower || result.Find(slower));
  }
  std::string TextOf(const ShapeResult& result) const {
    if (!IsIn(result)) return "-";
    if (!slower) return Decimals(result.Rate(side).median, 3);
    const Spread ratio = result.Ratio(side, slower);
    return Decimals(ratio.median, 2) + " (" + Decimals(ratio.min, 2) + ".." +
           Decimals(ratio.max, 2) + ")";
  }
};

constexpr TableColumn kTableColumns[] = {
    {"headrace", "headrace"},
    {"no CRC", "no CRC"},
    {"Reader", "Reader"},
    {"libprotobuf", "libprotobuf"},
    {"ratio", "headrace", "libprotobuf"},
    {"ratio with fill", "headrace", "libprotobuf+fill"},
    {"byte loop", "byte loop"},
    {"memcpy", "memcpy"},
    {"CRC only", "CRC only"},
    {"framing", "framing"},
    {"inflate", "inflate"},
    {"Reader times inflate", "Reader", "inflate"},
    {"Reader times zlib", "Reader", "zlib"},
};

// Columns that no result has are left out.
void PrintPart(const std::vector<ShapeResult>& results) {
  if (results.empty()) return;
  std::vector<std::vector<std::string>> rows = {{"shape", "MiB", "batch"}};
  for (const ShapeResult& result : results) {
    rows.push_back({result.shape, std::to_string(result.file_bytes >> 20),
                    std::to_string(result.batch_size)});
  }
  for (const TableColumn& column : kTableColumns) {
    if (std::none_of(
            results.begin(), results.end(),
            [&](const ShapeResult& result) { return column.IsIn(result); })) {
      continue;
    }
    rows[0].push_back(column.title);
    for (size_t i = 0; i < results.size(); ++i) {
      rows[i + 1].push_back(column.TextOf(results[i]));
    }
  }
  rows[0].push_back("cycles/feature");
  for (size_t i = 0; i < results.size(); ++i) {
    rows[i + 1].push_back(
        Decimals(results[i].CyclesPerFeature(results[i].sides[0].name), 1));
  }
  std::printf("\n");
  PrintMarkdown(rows);
}

nlohmann::json ToJson(const Spread& spread) {
  return {{"median", spread.median}, {"min", spread.min}, {"max", spread.max}};
}

nlohmann::json ToJson(const ShapeResult& result) {
  nlohmann::json sides = nlohmann::json::object();
  // The first side is headrace, or its Reader.
  const std::string& first = result.sides[0].name;
  for (const SideResult& side : result.sides) {
    sides[side.name] = {
        {"gb_per_s", ToJson(result.Rate(side.name))},
        {"ns_per_record", SpreadOf(side.seconds).median * 1e9 /
                              static_cast<double>(result.num_records)},
        {"cycles_per_feature", result.CyclesPerFeature(side.name)},
        {"speedup_of_headrace", ToJson(result.Ratio(first, side.name))},
        {"seconds", side.seconds}};
  }
  return {{"shape", result.shape},           {"file_bytes", result.file_bytes},
          {"batch_size", result.batch_size}, {"records", result.num_records},
          {"features", result.num_features}, {"clock_ghz", result.clock / 1e9},
          {"cpu_share", result.cpu_share},   {"sides", sides}};
}

}  // namespace

const SideResult* ShapeResult::Find(std::string_view side) const {
  for (const SideResult& result : sides) {
    if (result.name == side) return &result;
  }
  return nullptr;
}

Spread ShapeResult::Rate(std::string_view side) const {
  const SideResult* const result = Find(side);
  if (result == nullptr) return {};
  std::vector<double> rates;
  for (double seconds : result->seconds) {
    rates.push_back(static_cast<double>(file_bytes) / seconds / 1e9);
  }
  return SpreadOf(std::move(rates));
}

Spread ShapeResult::Ratio(std::string_view fast, std::string_view slow) const {
  const SideResult* const faster = Find(fast);
  const SideResult* const slower = Find(slow);
  if (faster == nullptr || slower == nullptr) return {};
  std::vector<double> ratios;
  for (size_t i = 0; i < faster->seconds.size(); ++i) {
    ratios.push_back(slower->seconds[i] / faster->seconds[i]);
  }
  return SpreadOf(std::move(ratios));
}

double ShapeResult::CyclesPerFeature(std::string_view side) const {
  const SideResult* const result = Find(side);
  if (result == nullptr) return 0;
  return SpreadOf(result->seconds).median * clock /
         static_cast<double>(num_features);
}

void PrintShape(const ShapeResult& result) {
  std::printf(
      "\n%s: %.1f MiB, %zu records in batches of %zu, %.1f features a record, "
      "%.2f GHz\n",
      result.shape.c_str(), static_cast<double>(result.file_bytes) / (1 << 20),
      result.num_records, result.batch_size,
      static_cast<double>(result.num_features) /
          static_cast<double>(result.num_records),
      result.clock / 1e9);
  if (result.cpu_share < 0.97) {
    std::printf("  (the machine is busy: this had %.0f %% of a core)\n",
                result.cpu_share * 100);
  }
  for (const SideResult& side : result.sides) {
    const Spread rate = result.Rate(side.name);
    std::printf(
        "  %-18s %7.2f GB/s (%.2f..%.2f) %10.0f ns/record %8.1f "
        "cycles/feature\n",
        side.name.c_str(), rate.median, rate.min, rate.max,
        SpreadOf(side.seconds).median * 1e9 /
            static_cast<double>(result.num_records),
        result.CyclesPerFeature(side.name));
  }
  std::fflush(stdout);
}

void PrintTable(const std::vector<ShapeResult>& results) {
  std::printf(
      "\nGB/s of file bytes, uncompressed; ratios are to libprotobuf, min..max "
      "by round\n");
  std::vector<ShapeResult> decoders, inflaters;
  for (const ShapeResult& result : results) {
    (result.Find("headrace") ? decoders : inflaters).push_back(result);
  }
  PrintPart(decoders);
  PrintPart(inflaters);
}

bool PrintRequirements(const std::vector<ShapeResult>& results) {
  bool all_hold = true;
  std::printf("\n");
  for (const Requirement& requirement : kRequirements) {
    for (const ShapeResult& result : results) {
      if (result.shape != requirement.shape ||
          result.batch_size != kUsualBatch) {
        continue;
      }
      const Spread ratio = result.Ratio(requirement.fast, requirement.slow);
      const bool holds = ratio.median >= requirement.at_least;
      all_hold &= holds;
      std::printf(
          "%-5s %s, %zu MiB: %s is %.2f (%.2f..%.2f) times %s, needs %.2f\n",
          holds ? "ok" : "LOST", requirement.shape, result.file_bytes >> 20,
          requirement.fast, ratio.median, ratio.min, ratio.max,
          requirement.slow, requirement.at_least);
    }
  }
  return all_hold;
}

bool WriteJson(const std::string& path, const MachineFacts& facts,
               const std::vector<ShapeResult>& results) {
  nlohmann::json shapes = nlohmann::json::array();
  for (const ShapeResult& result : results) shapes.push_back(ToJson(result));
  const nlohmann::json document = {
      {"headrace", facts.version},  {"compiler", facts.compiler},
      {"target", facts.target},     {"crc", facts.crc},
      {"protobuf", facts.protobuf}, {"shapes", shapes}};
  std::ofstream out(path);
  out << document.dump(1) << '\n';
  return out.flush().good();
}

}  // namespace headrace::bench
