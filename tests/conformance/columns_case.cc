// columns-*.jsonl: records (and a schema) to columns.

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "headrace/reader.h"
#include "headrace/schema.h"
#include "src/plan/infer/census.h"
#include "tests/conformance/cases.h"
#include "tests/conformance/decoders.h"
#include "tests/golden/golden.h"
#include "tests/naive/batch_columns.h"
#include "tests/support/record_file.h"
#include "tests/support/temporary_file.h"

namespace headrace::conformance {

using nlohmann::json;
using testing::Difference;
using testing::NaiveResult;

namespace {

// What counting the features of all records gives.
struct Survey {
  std::vector<ColumnField> columns;
  NaiveResult first_error;
  Sorted sorted;  // bad are the malformed, and what contradicts others
  bool has_feature_lists = false;
};

Survey Count(const Records& records, MessageType message) {
  Survey survey;
  FeatureCensus census(message);
  for (size_t i = 0; i < records.size(); ++i) {
    const Status status = census.Add(records[i], i);
    if (status.ok()) {
      survey.sorted.good.push_back(records[i]);
      continue;
    }
    survey.sorted.bad.push_back(i);
    if (survey.first_error.ok()) {
      survey.first_error = testing::ToNaive(status);
      survey.first_error.record = i;  // the caller knows, the census need not
    }
  }
  survey.columns = census.columns();
  survey.has_feature_lists = census.has_feature_lists();
  return survey;
}

// Errors of the census have no columns to compare.
std::string CompareCensus(const NaiveResult& expected,
                          const NaiveResult& error) {
  if (expected.ok() && error.ok()) return {};
  return Labelled("census", Difference(expected, error));
}

// Appends the rows of one batch to those of the batches before.
void Append(const NaiveResult& batch, NaiveResult* all) {
  if (all->columns.empty()) all->columns.resize(batch.columns.size());
  for (size_t i = 0; i < batch.columns.size(); ++i) {
    testing::NaiveColumn& column = all->columns[i];
    column.name = batch.columns[i].name;
    column.kind = batch.columns[i].kind;
    column.in_sequence = batch.columns[i].in_sequence;
    column.rows.insert(column.rows.end(), batch.columns[i].rows.begin(),
                       batch.columns[i].rows.end());
    column.lists.insert(column.lists.end(), batch.columns[i].lists.begin(),
                        batch.columns[i].lists.end());
  }
  all->num_rows += batch.num_rows;
}

// Columns without rows, for a file of none.
NaiveResult NoRows(const Plan& plan) {
  NaiveResult result;
  result.has_sequence_struct = plan.has_sequence_struct();
  for (const ColumnField& field : plan.columns()) {
    result.columns.push_back({.name = field.name,
                              .kind = field.kind,
                              .in_sequence = field.in_sequence});
  }
  return result;
}

// Columns found from the data without a plan.
NaiveResult ReadAll(const std::string& path, const Plan* plan,
                    MessageType message, size_t batch_size) {
  const ReadOptions options = {.message = message,
                               .batch_size = batch_size,
                               .verify_unselected = true,
                               .sample = 0};  // all records
  auto reader = plan ? Reader::Open({path}, *plan, options)
                     : Reader::Open({path}, options);
  if (!reader.ok()) return testing::ToNaive(reader.status());
  NaiveResult all = NoRows(reader->plan());
  while (true) {
    const auto batch = reader->Next();
    if (!batch.ok()) return testing::ToNaive(batch.status());
    if (!batch) return all;
    const std::string broken = testing::BrokenPromise(*batch);
    if (!broken.empty()) throw std::runtime_error(broken);
    Append(testing::ToNaive(*batch), &all);
  }
}

// Of columns that were read; an error has none.
std::string CompareStruct(const NaiveResult& expected,
                          const NaiveResult& actual) {
  if (!expected.ok()) return {};
  if (expected.has_sequence_struct == actual.has_sequence_struct) return {};
  return actual.has_sequence_struct ? "a struct ##SEQUENCE## too many"
                                    : "no struct ##SEQUENCE##";
}

// The same records in a file.
std::string CompareReader(const NaiveResult& expected, const Plan* plan,
                          MessageType message,
                          const std::vector<std::string>& records) {
  const testing::TemporaryFile file(testing::RecordFile(records));
  for (size_t batch_size : {size_t{1000}, size_t{2}}) {
    const NaiveResult actual = ReadAll(file.path(), plan, message, batch_size);
    std::string difference = Difference(expected, actual);
    if (difference.empty()) difference = CompareStruct(expected, actual);
    if (!difference.empty()) return Labelled("reader", difference);
  }
  return {};
}

// What a plan makes of the records, in every way there is.
std::string CompareAll(const NaiveResult& expected, const Plan& plan,
                       const std::vector<std::string>& bytes,
                       const Sorted& sorted, bool plan_is_given,
                       const CaseContext& context) {
  const Records records(bytes.begin(), bytes.end());
  std::string difference =
      Labelled("plan", CompareStruct(expected, NoRows(plan)));
  if (difference.empty()) {
    difference = CompareReader(expected, plan_is_given ? &plan : nullptr,
                               plan.message(), bytes);
  }
  if (!difference.empty()) return difference;
  return DecoderCase<NaiveResult>(plan, records, sorted, &testing::ToNaive)
      .Compare(expected, context.threads);
}

// A bad record shows no columns (rule E5). A decoder that is given the column
// of its feature list, of whatever kind, finds the record bad, too.
std::vector<ColumnField> ColumnsAtFaultToo(const Survey& survey,
                                           MessageType message) {
  std::vector<ColumnField> columns = survey.columns;
  if (message != MessageType::kSequence ||
      survey.first_error.code != ErrorCode::kWrongKind) {
    return columns;
  }
  for (const std::string& name : survey.first_error.features) {
    const bool is_known =
        std::any_of(columns.begin(), columns.end(),
                    [&](const ColumnField& c) { return c.name == name; });
    if (!is_known) columns.push_back({name, Kind::kInt64, true});
  }
  return columns;
}

std::string RunWithoutSchema(const NaiveResult& expected, MessageType message,
                             const std::vector<std::string>& bytes,
                             const CaseContext& context) {
  const Survey survey = Count({bytes.begin(), bytes.end()}, message);
  std::string difference = CompareCensus(expected, survey.first_error);
  if (!difference.empty()) return difference;
  const auto plan = Plan::ForColumns(ColumnsAtFaultToo(survey, message),
                                     message, survey.has_feature_lists);
  if (!plan.ok()) return plan.status().ToString();
  return CompareAll(expected, *plan, bytes, survey.sorted,
                    /*plan_is_given=*/false, context);
}

std::string RunWithSchema(const NaiveResult& expected,
                          const std::string& schema_text, MessageType message,
                          const std::vector<std::string>& bytes,
                          const CaseContext& context) {
  const auto schema = Schema::Parse(schema_text);
  if (!schema.ok()) return schema.status().ToString();
  const auto plan = Plan::ForColumnsOf(*schema, message);
  if (!plan.ok()) {
    return Labelled("schema",
                    Difference(expected, testing::ToNaive(plan.status())));
  }
  return CompareAll(expected, *plan, bytes,
                    Sort(*plan, {bytes.begin(), bytes.end()}),
                    /*plan_is_given=*/true, context);
}

}  // namespace

std::string RunColumnsCase(const json& golden, const CaseContext& context) {
  const MessageType message = MessageOf(golden);
  const std::vector<std::string> bytes =
      testing::GoldenRecords(golden.at("records"));
  const NaiveResult expected =
      testing::GoldenColumns(golden.at("expect"), bytes.size());
  if (!golden.contains("schema_pbtxt")) {
    return RunWithoutSchema(expected, message, bytes, context);
  }
  return RunWithSchema(expected, golden["schema_pbtxt"].get<std::string>(),
                       message, bytes, context);
}

}  // namespace headrace::conformance
