// This program compares naive statistics of files with schemas and with one
// another, for comparison with what TensorFlow Data Validation finds:
//
//   naive_report example|sequence < JOBS
//
// A job is a line of fields between tabs: one of
//
//   anomalies DATA PREVIOUS SERVING SCHEMA ENVIRONMENT
//   infer DATA
//   compare DATA OTHER
//
// where PREVIOUS, SERVING and ENVIRONMENT may be empty. It prints what is found
// in lines, then a line with a dot.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_reader.h"
#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "headrace/types.h"
#include "tests/naive/naive_stats.h"
#include "tests/support/or_throw.h"

namespace headrace::testing {

namespace {

class Reporter {
 public:
  explicit Reporter(MessageType type) : type_(type) {}

  bool Run(const std::vector<std::string>& job);

 private:
  const StatsSummary* StatsOf(const std::string& path);
  void FindAll(const std::vector<std::string>& job);
  void Compare(const std::string& path, const std::string& other);

  MessageType type_;
  std::map<std::string, StatsSummary> stats_;
};

// Null for an empty path.
const StatsSummary* Reporter::StatsOf(const std::string& path) {
  if (path.empty()) return nullptr;
  const auto [at, added] = stats_.try_emplace(path);
  if (!added) return &at->second;
  RecordReader reader = OrThrow(RecordReader::Open(path));
  std::vector<std::string> payloads;
  while (auto record = reader.Next()) payloads.emplace_back(record->payload);
  const std::vector<std::string_view> records(payloads.begin(), payloads.end());
  at->second = NaiveStats(records, {.message = type_, .file = path});
  return &at->second;
}

void Reporter::FindAll(const std::vector<std::string>& job) {
  std::ifstream file(job[4], std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const Schema schema = OrThrow(Schema::Parse(text));
  for (const Anomaly& anomaly :
       FindAnomalies(*StatsOf(job[1]), schema, job[5], StatsOf(job[2]),
                     StatsOf(job[3]))) {
    std::cout << anomaly.feature << '\t' << anomaly.type << '\t' << anomaly.text
              << '\n';
  }
}

void Reporter::Compare(const std::string& path, const std::string& other) {
  for (const FeatureDifference& feature :
       CompareStats(*StatsOf(path), *StatsOf(other))) {
    std::cout << feature.in_sequence << '\t' << feature.name << '\t'
              << feature.linf.value_or(-1) << '\t'
              << feature.js_divergence.value_or(-1) << '\n';
  }
}

bool Reporter::Run(const std::vector<std::string>& job) {
  if (job[0] == "anomalies" && job.size() == 6) {
    FindAll(job);
  } else if (job[0] == "infer" && job.size() == 2) {
    std::cout << InferSchema(*StatsOf(job[1]), {.domains = true}).ToText();
  } else if (job[0] == "compare" && job.size() == 3) {
    Compare(job[1], job[2]);
  } else {
    return false;
  }
  std::cout << ".\n";
  return true;
}

std::vector<std::string> Split(std::string_view line) {
  std::vector<std::string> fields(1);
  for (const char c : line) {
    if (c == '\t') {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

}  // namespace

}  // namespace headrace::testing

int main(int argc, char** argv) {
  const auto type =
      headrace::ParseName<headrace::MessageType>(argc == 2 ? argv[1] : "");
  if (!type) return 2;
  std::cout.precision(17);
  headrace::testing::Reporter reporter(*type);
  std::string line;
  while (std::getline(std::cin, line)) {
    if (!reporter.Run(headrace::testing::Split(line))) return 2;
  }
}
