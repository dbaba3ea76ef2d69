#include "bench/varints/varint_table.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <vector>

#include "bench/table.h"

namespace headrace::bench {
namespace {

// Lists of 4096 may take so many cycles per value.
struct Accepted {
  std::string_view mix;
  double avx512;  // with VBMI2
  double avx2;
  double sse4;
  bool narrow;  // no value of more than five bytes
};

constexpr Accepted kAccepted[] = {
    {"1B", 0.5, 0.7, 0.8, true},
    {"2B", 1.1, 1.9, 3.2, true},
    {"1-5B", 1.9, 2.6, 4.5, true},
    {"ids", 1.4, 2.2, 3.8, true},
    {"hashes", 5.0, 9.0, 13.0, false},
    {"10B", 5.0, 9.0, 13.0, false},
    {"90%1B+10%-1", 2.7, 8.0, 11.0, false},
};

// 0 where nothing is demanded.
double AcceptedCycles(const VarintFigure& figure) {
  const auto found =
      std::find_if(std::begin(kAccepted), std::end(kAccepted),
                   [&](const Accepted& a) { return a.mix == figure.mix; });
  if (found == std::end(kAccepted)) return 0;
  // Where a window holds a whole list, much of it is not used.
  double allowance = 0;
  if (figure.length == 4096) allowance = 1;
  if (figure.length == 16 && found->narrow) allowance = 2;
  if (figure.target == "AVX3_DL") return allowance * found->avx512;
  if (figure.target == "AVX2") return allowance * found->avx2;
  if (figure.target == "SSE4") return allowance * found->sse4;
  return 0;
}

std::vector<std::string> RowOf(const VarintFigure& figure,
                               const VarintFigure* byte_loop) {
  const double cycles = figure.cycles_per_value;
  std::vector<std::string> row = {figure.mix,
                                  Decimals(figure.bytes_per_value, 2),
                                  std::to_string(figure.length),
                                  Decimals(cycles, 2),
                                  Decimals(figure.bytes_per_value / cycles, 2),
                                  "-",
                                  "-",
                                  "",
                                  ""};
  if (byte_loop != nullptr) {
    row[5] = Decimals(byte_loop->cycles_per_value, 2);
    row[6] = Decimals(byte_loop->cycles_per_value / cycles, 1);
  }
  if (const double accepted = AcceptedCycles(figure); accepted > 0) {
    row[7] = Decimals(accepted, 1);
    row[8] = cycles <= accepted ? "ok" : "over";
  }
  return row;
}

}  // namespace

void PrintVarintTables(std::span<const VarintFigure> figures) {
  std::vector<std::string> targets;
  for (const VarintFigure& figure : figures) {
    if (!figure.target.empty() && std::find(targets.begin(), targets.end(),
                                            figure.target) == targets.end()) {
      targets.push_back(figure.target);
    }
  }
  for (const std::string& target : targets) {
    std::vector<std::vector<std::string>> rows = {
        {"values", "bytes/value", "list length", "cycles/value", "bytes/cycle",
         "byte loop", "times it", "accepted", ""}};
    for (const VarintFigure& figure : figures) {
      if (figure.target != target) continue;
      const auto byte_loop = std::find_if(
          figures.begin(), figures.end(), [&](const VarintFigure& other) {
            return other.target.empty() && other.mix == figure.mix &&
                   other.length == figure.length;
          });
      rows.push_back(
          RowOf(figure, byte_loop == figures.end() ? nullptr : &*byte_loop));
    }
    std::printf("\n%s, decoding alone; byte loop in cycles/value\n\n",
                target.c_str());
    PrintMarkdown(rows);
  }
}

}  // namespace headrace::bench
