#include "fuzz/decode_check.h"

#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/decoder.h"
#include "headrace/plan.h"
#include "tests/agreement/census_agreement.h"
#include "tests/agreement/decode_agreement.h"
#include "tests/arrow/c_data_checker.h"
#include "tests/random/random_tensors.h"
#include "tests/support/exported.h"

namespace headrace::fuzzing {
namespace {

using testing::RandomExample;
using testing::RandomTensors;

// Rows that come again are decoded, those that are new walked.
void CheckCensus(const RowsInput& input, MessageType message) {
  std::vector<std::string> rows;
  while (!input.rows.empty() && rows.size() < 100) {
    rows.insert(rows.end(), input.rows.begin(), input.rows.end());
  }
  const size_t sizes[] = {input.rows.size() + 1, 30, 100};
  Require(testing::CensusDifference(rows, message, sizes));
}

}  // namespace

void CheckArrow(const Plan& plan, const std::vector<std::string>& rows) {
  DecodeOptions options;
  options.on_row_error = OnRowError::kSkip;
  Decoder decoder(plan, options);
  const std::vector<std::string_view> records(rows.begin(), rows.end());
  const Result<Batch> batch = decoder.Decode(records);
  // Lists that are good one by one may not make a batch.
  const bool has_lists = IsListOfExamples(plan.message());
  if (has_lists && !batch.ok()) return;
  Require(batch.ok(), batch.status().ToString());
  for (const BytesAs bytes_as : testing::kAllBytesAs) {
    testing::Exported exported;
    ArrowOptions arrow;
    arrow.bytes_as = bytes_as;
    Require(ExportSchema(plan, arrow, &exported.schema).ok(), "no schema");
    const Status status = ExportBatch(*batch, arrow, &exported.array);
    if (status.ok()) {
      Require(testing::Violation(exported.schema, exported.array));
    } else {
      // Places of lists may have rows that Arrow cannot hold.
      Require(bytes_as == BytesAs::kString ||
                  (has_lists && status.code() == ErrorCode::kInvalidArgument),
              status.ToString());
    }
  }
}

std::vector<ColumnField> RandomColumns(MessageType message, uint64_t seed) {
  Random random(seed);
  std::vector<ColumnField> columns;
  const std::vector<std::string>& keys = RandomExample::Keys();
  for (const bool in_sequence : {false, true}) {
    if (in_sequence && message == MessageType::kExample) break;
    for (size_t i = 0; i < keys.size(); ++i) {
      if (random.OneIn(4)) continue;
      const Kind kind = random.OneIn(8) ? static_cast<Kind>(random.Below(4))
                                        : RandomExample::KindOfKey(i);
      columns.push_back({keys[i], kind, in_sequence});
    }
  }
  return columns;
}

void CheckDecode(const RowsInput& input, MessageType message) {
  const uint64_t seed = input.plan_seed();
  CheckCensus(input, message);
  const testing::DecodeAgreement::Batches batches = {input.rows};
  if (seed % 2 == 0) {
    const auto columns = RandomColumns(message, seed);
    testing::DecodeAgreement().Check(columns, batches);
    const auto plan = Plan::ForColumns(columns, message, false);
    Require(plan.ok(), plan.status().ToString());
    CheckArrow(*plan, input.rows);
  } else {
    CheckSpec(RandomTensors(seed).NextSpec(message), input.rows);
  }
}

void CheckSpec(const FeatureSpec& spec, const std::vector<std::string>& rows) {
  testing::DecodeAgreement().Check(spec, {rows});
  CheckArrow(*Plan::Compile(spec), rows);
}

std::string NewRows(MessageType message, Random* random) {
  RowsInput input;
  input.choices = random->Bytes(RowsInput::kChoices);
  const uint64_t seed = input.plan_seed();
  const bool sequence = message == MessageType::kSequence;
  RandomExample examples(random->Bits(),
                         {.plain = random->OneIn(2), .one_kind_a_key = true});
  const FeatureSpec spec = RandomTensors(seed).NextSpec(message);
  RandomTensors tensors(random->Bits());
  for (size_t rows = 1 + random->Below(4); rows > 0; --rows) {
    if (seed % 2 == 1) {
      input.rows.push_back(tensors.NextRecord(spec));
    } else {
      input.rows.push_back(sequence ? examples.NextSequence()
                                    : examples.Next());
    }
  }
  return input.Write();
}

}  // namespace headrace::fuzzing
