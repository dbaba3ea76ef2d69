// surfaces WAY FILE SPEC MESSAGE: reads FILE by one way of the library or of
// its C interface, and prints all that this way says: notices, late features
// and errors. SPEC is a spec in JSON, or empty for columns that are found. For
// the tests of tests/python/test_silence.py.
//
// surfaces WAY FILE OPTIONS: the same for a way of the C interface with these
// options, in JSON; it prints the types and numbers of rows of the batches,
// too. For tests/python/test_every_option.py.

#include <cstdint>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/c.h"
#include "headrace/dataset.h"
#include "headrace/decoder.h"
#include "headrace/feature_spec.h"
#include "headrace/notice.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/record_reader.h"

namespace headrace::testing {
namespace {

struct Asked {
  std::string file;
  std::string spec = {};
  std::string message = {};
  std::string options = {};  // instead of the two above
};

void Say(const Status& status) {
  if (!status.ok()) std::cout << status.ToString() << "\n";
}

void Say(const ReadReport& report) {
  for (const Notice& notice : report.notices) {
    std::cout << NoticeText(notice) << "\n";
  }
  for (const AbsentFeature& absent : report.absent) {
    std::cout << "absent: \"" << absent.name << "\"\n";
  }
  for (const LeftOutFile& file : report.left_out) {
    std::cout << "left out: " << file.path << ", " << file.reason << "\n";
  }
  for (const LateFeature& late : report.late) {
    std::cout << "late: " << late.name << "\n";
  }
}

Result<Plan> PlanOf(const std::string& spec) {
  const auto parsed = FeatureSpec::FromJson(spec);
  if (!parsed.ok()) return parsed.status();
  return Plan::Compile(*parsed);
}

MessageType MessageOf(const Asked& asked) {
  return *ParseName<MessageType>(asked.message);
}

void ReadAll(Result<Reader> reader) {
  if (!reader.ok()) return Say(reader.status());
  while (auto batch = reader->Next()) {
  }
  Say(reader->status());
  Say(reader->report());
}

void Read(const Asked& asked, size_t threads) {
  const ReadOptions options = {.message = MessageOf(asked), .threads = threads};
  if (asked.spec.empty()) return ReadAll(Reader::Open({asked.file}, options));
  const auto plan = PlanOf(asked.spec);
  if (!plan.ok()) return Say(plan.status());
  ReadAll(Reader::Open({asked.file}, *plan, options));
}

Result<Dataset> OpenDataset(const Asked& asked) {
  const DatasetOptions options = {.message = MessageOf(asked)};
  if (asked.spec.empty()) return Dataset::Open({asked.file}, options);
  const auto plan = PlanOf(asked.spec);
  if (!plan.ok()) return plan.status();
  return Dataset::Open({asked.file}, *plan, options);
}

void Take(const Asked& asked) {
  auto dataset = OpenDataset(asked);
  if (!dataset.ok()) return Say(dataset.status());
  std::vector<uint64_t> rows(dataset->size());
  std::iota(rows.begin(), rows.end(), uint64_t{0});
  Say(dataset->Take(rows).status());
  const auto report = dataset->Report();
  report.ok() ? Say(*report) : Say(report.status());
}

std::vector<std::string> PayloadsOf(const std::string& file) {
  std::vector<std::string> payloads;
  auto reader = RecordReader::Open(file);
  if (!reader.ok()) return payloads;
  while (auto record = reader->Next()) payloads.emplace_back(record->payload);
  return payloads;
}

void Decode(const Asked& asked) {
  const auto plan = PlanOf(asked.spec);
  if (!plan.ok()) return Say(plan.status());
  const std::vector<std::string> payloads = PayloadsOf(asked.file);
  const std::vector<std::string_view> records(payloads.begin(), payloads.end());
  Decoder decoder(*plan);
  Say(decoder.Decode(records).status());
  Say(decoder.report());
}

void ReadRecords(const Asked& asked) {
  auto reader = RecordReader::Open(asked.file);
  if (!reader.ok()) return Say(reader.status());
  while (true) {
    const auto record = reader->Next();
    if (!record) return Say(record.status());
  }
}

// The C interface. Errors are printed and freed.

std::string JsonOf(const Asked& asked) {
  if (!asked.options.empty()) return asked.options;
  std::string json = "{\"message\":\"" + asked.message + "\"";
  if (!asked.spec.empty()) json += ",\"spec\":" + asked.spec;
  return json + "}";
}

void PrintTypes(const ArrowSchema& schema) {
  std::cout << schema.name << ":" << schema.format << "(";
  for (int64_t i = 0; i < schema.n_children; ++i) {
    PrintTypes(*schema.children[i]);
  }
  std::cout << ")";
}

// Releases both.
void PrintBatch(const Asked& asked, ArrowArray* array, ArrowSchema* schema) {
  if (!asked.options.empty()) {
    PrintTypes(*schema);
    std::cout << " rows: " << array->length << "\n";
  }
  array->release(array);
  schema->release(schema);
}

bool Succeeds(headrace_error* error) {
  if (error == nullptr) return true;
  std::cout << error->message << "\n";
  headrace_error_free(error);
  return false;
}

void ReadFromC(const Asked& asked) {
  const char* const paths[] = {asked.file.c_str()};
  headrace_error* error = nullptr;
  headrace_reader* reader = nullptr;
  headrace_open(paths, 1, JsonOf(asked).c_str(), &reader, &error);
  if (!Succeeds(error)) return;
  while (true) {
    ArrowArray array = {};
    ArrowSchema schema = {};
    headrace_next(reader, &array, &schema, &error);
    if (!Succeeds(error) || array.release == nullptr) break;
    PrintBatch(asked, &array, &schema);
  }
  char* report = nullptr;
  headrace_report(reader, &report, &error);
  if (Succeeds(error)) std::cout << report << "\n";
  headrace_text_free(report);
  headrace_close(reader);
}

void TakeFromC(const Asked& asked) {
  const char* const paths[] = {asked.file.c_str()};
  headrace_error* error = nullptr;
  headrace_dataset* dataset = nullptr;
  headrace_dataset_open(paths, 1, JsonOf(asked).c_str(), &dataset, &error);
  if (!Succeeds(error)) return;
  std::vector<uint64_t> rows(headrace_dataset_size(dataset));
  std::iota(rows.begin(), rows.end(), uint64_t{0});
  ArrowArray array = {};
  ArrowSchema schema = {};
  headrace_dataset_take(dataset, rows.data(), rows.size(), &array, &schema,
                        &error);
  if (Succeeds(error)) PrintBatch(asked, &array, &schema);
  char* report = nullptr;
  headrace_dataset_report(dataset, &report, &error);
  if (Succeeds(error)) std::cout << report << "\n";
  headrace_text_free(report);
  headrace_dataset_close(dataset);
}

const std::map<std::string_view, std::function<void(const Asked&)>> kWays = {
    {"Reader", [](const Asked& asked) { Read(asked, 1); }},
    {"Reader, threads", [](const Asked& asked) { Read(asked, 3); }},
    {"Dataset", Take},
    {"Decoder", Decode},
    {"RecordReader", ReadRecords},
    {"headrace_open", ReadFromC},
    {"headrace_dataset_open", TakeFromC},
};

}  // namespace
}  // namespace headrace::testing

int main(int argc, char** argv) {
  namespace testing = headrace::testing;
  const auto way = argc == 5 || argc == 4 ? testing::kWays.find(argv[1])
                                          : testing::kWays.end();
  if (way == testing::kWays.end()) {
    std::cerr << "usage: surfaces WAY FILE SPEC MESSAGE\n"
                 "       surfaces WAY FILE OPTIONS\n";
    return 2;
  }
  if (argc == 4) {
    way->second({.file = argv[2], .options = argv[3]});
    return 0;
  }
  std::ifstream spec(argv[3]);
  way->second({.file = argv[2],
               .spec = {std::istreambuf_iterator<char>(spec), {}},
               .message = argv[4]});
  return 0;
}
