// This program writes what StatsTfdv makes of the naive statistics of a file,
// for comparison with what TensorFlow Data Validation makes of the same file:
//
//   naive_tfdv example|sequence FILE...
//
// It writes FILE.pb and FILE.pbtxt beside each FILE.

#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/record_reader.h"
#include "headrace/stats_report.h"
#include "headrace/types.h"
#include "tests/naive/naive_stats.h"

namespace headrace::testing {

namespace {

Status ReadAll(const std::string& path, std::vector<std::string>* payloads) {
  Result<RecordReader> reader = RecordReader::Open(path);
  if (!reader.ok()) return reader.status();
  auto record = reader->Next();
  for (; record; record = reader->Next()) {
    payloads->emplace_back(record->payload);
  }
  return record.status();
}

int Run(MessageType type, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::vector<std::string> payloads;
    if (const Status status = ReadAll(path, &payloads); !status.ok()) {
      std::fprintf(stderr, "naive_tfdv: %s\n", status.ToString().c_str());
      return 1;
    }
    const std::vector<std::string_view> records(payloads.begin(),
                                                payloads.end());
    const StatsSummary stats =
        NaiveStats(records, {.message = type, .file = path});
    std::ofstream(path + ".pb", std::ios::binary) << StatsTfdv(stats);
    std::ofstream(path + ".pbtxt", std::ios::binary) << StatsTfdvText(stats);
  }
  return 0;
}

}  // namespace

}  // namespace headrace::testing

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.empty()) return 2;
  const auto type = headrace::ParseName<headrace::MessageType>(arguments[0]);
  if (!type) return 2;
  return headrace::testing::Run(*type,
                                {arguments.begin() + 1, arguments.end()});
}
