#include "src/cli/bench/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include "src/base/json/json_writer.h"
#include "src/cli/bench/measure.h"
#include "src/cli/process/reading_report.h"
#include "src/cli/text/display_text.h"

namespace headrace::cli {
namespace {

struct StageNames {
  std::string_view name;
  std::string_view does;
};
constexpr std::array<StageNames, kNumBenchStages> kStages = {
    {{"read", "files to uncompressed bytes"},
     {"frame_crc", "files to records, both CRCs checked"},
     {"decode", "records in memory to batches"},
     {"all", "files to batches, CRCs checked"}}};

// The unit is 10^9 bytes per second; NaN if there is nothing to divide.
double GbPerSecond(uint64_t bytes, double seconds) {
  if (bytes == 0 || seconds <= 0) return std::nan("");
  return static_cast<double>(bytes) / 1e9 / seconds;
}

double MedianSeconds(const StageTimes& stage) {
  return SpreadOf(stage.seconds).median;
}

double NsPerFeature(const BenchResult& result) {
  if (result.num_features() == 0) return std::nan("");
  return MedianSeconds(result.stages[kAll]) * 1e9 /
         static_cast<double>(result.num_features());
}

// Writes six digits: clocks and machines are not more precise.
struct BenchForm : CompactJson {
  using CompactJson::AppendNumber;
  static void AppendNumber(double number, std::string* out) {
    if (!std::isfinite(number)) {
      *out += "null";
      return;
    }
    std::array<char, 32> text;
    const auto [end, error] =
        std::to_chars(text.data(), text.data() + text.size(), number,
                      std::chars_format::general, 6);
    out->append(text.data(), end);
  }
};

// Returns the number with at least three digits: 0.500, 1.23, 1234.
std::string ShortNumber(double number) {
  if (!std::isfinite(number)) return "-";
  const double power = number > 0 ? std::floor(std::log10(number)) : 0;
  const int digits = static_cast<int>(std::clamp(2 - power, 0.0, 9.0));
  return Decimal(number, digits);
}

std::string Range(double least, double most) {
  if (!std::isfinite(least) || !std::isfinite(most)) return "-";
  return ShortNumber(least) + ".." + ShortNumber(most);
}

// Returns the number rounded to three digits: 1234567 becomes "1,230,000".
std::string RoundedCount(double number) {
  if (!(number > 0) || number >= 1e18) return "-";
  const double unit = std::pow(10, std::floor(std::log10(number)) - 2);
  const double rounded = unit > 1 ? std::round(number / unit) * unit : number;
  return Grouped(static_cast<uint64_t>(std::llround(rounded)));
}

std::string StageTable(const BenchResult& result, size_t width, bool color) {
  Table table({"stage", ">GB/s", ">min..max", ">records/s", ""});
  for (size_t i = 0; i < kNumBenchStages; ++i) {
    const StageTimes& stage = result.stages[i];
    const Spread seconds = SpreadOf(stage.seconds);
    const double slowest = GbPerSecond(stage.bytes, seconds.max);
    const double fastest = GbPerSecond(stage.bytes, seconds.min);
    const bool counts_records = i != kRead && seconds.median > 0;
    table.AddRow(
        {std::string(kStages[i].name),
         ShortNumber(GbPerSecond(stage.bytes, seconds.median)),
         Range(slowest, fastest),
         counts_records
             ? RoundedCount(static_cast<double>(stage.records) / seconds.median)
             : "-",
         std::string(kStages[i].does)});
  }
  return table.ToString(width, color);
}

// Reading takes the time of stage `read`. Framing takes the time of `frame_crc`
// beyond that. Decoding takes the time of `decode`, scaled to all bytes.
std::string WhatBounds(const BenchResult& result) {
  const double read = MedianSeconds(result.stages[kRead]);
  const double framed = MedianSeconds(result.stages[kFrameCrc]);
  const StageTimes& decode = result.stages[kDecode];
  if (decode.bytes == 0) return "there are no records";
  const double scale =
      static_cast<double>(result.bytes) / static_cast<double>(decode.bytes);
  std::array<std::pair<double, std::string>, 3> works = {
      {{read, result.is_compressed ? "decompression" : "reading"},
       {std::max(framed - read, 0.0), "framing and checksums"},
       {MedianSeconds(decode) * scale, "decoding"}}};
  std::sort(works.rbegin(), works.rend());
  const double sum = works[0].first + works[1].first + works[2].first;
  const auto share = [&](double part) {
    return std::to_string(std::lround(sum > 0 ? part / sum * 100 : 0)) + "%";
  };
  std::string text = "bound by " + works[0].second + ": " +
                     share(works[0].first) + " of the work";
  for (size_t i = 1; i < works.size(); ++i) {
    text += ", " + works[i].second + " " + share(works[i].first);
  }
  return text;
}

}  // namespace

std::string BenchJson(const BenchResult& result) {
  std::string out;
  BasicJsonWriter<BenchForm> json(&out);
  json.Open('{');
  json.Add("files", result.files);
  json.Add("bytes", result.bytes);
  json.Add("records", result.records);
  json.Add("features", result.num_features());
  json.Add("target", result.target);
  json.Add("threads", result.threads);
  json.Add("clock_ghz", result.clock / 1e9);
  json.AddObject("stages", [&] {
    for (size_t i = 0; i < kNumBenchStages; ++i) {
      const StageTimes& stage = result.stages[i];
      json.AddObject(kStages[i].name, [&] {
        json.Add("seconds", stage.seconds);
        json.Add("gb_per_s", GbPerSecond(stage.bytes, MedianSeconds(stage)));
      });
    }
  });
  const double ns = NsPerFeature(result);
  json.Add("ns_per_feature", ns);
  json.Add("cycles_per_feature", ns * result.clock / 1e9);
  json.AddRaw("late_features", LateJson(result.late));
  json.Close('}');
  return out + "\n";
}

std::string BenchText(const BenchResult& result, size_t width, bool color) {
  const double ns = NsPerFeature(result);
  std::string text =
      StageTable(result, width, color) + "\n" + WhatBounds(result) + "\n" +
      Counted(result.records, "record") + ", " +
      Counted(result.num_columns, "column") + ", " + ByteSize(result.bytes) +
      "; " + std::to_string(result.stages[kAll].seconds.size()) +
      " passes of each stage\n";
  if (std::isfinite(ns)) {
    text += ShortNumber(ns) + " ns or " + ShortNumber(ns * result.clock / 1e9) +
            " cycles a feature; ";
  }
  return text + "target " + result.target + ", clock " +
         ShortNumber(result.clock / 1e9) + " GHz, " +
         Counted(result.threads, "thread") + "\n";
}

}  // namespace headrace::cli
