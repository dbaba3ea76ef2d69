// Copies of batches, and what LoadBatch makes of saved ones.

#include "src/read/batch/batch_copy.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "headrace/decoder.h"
#include "tests/naive/batch_columns.h"
#include "tests/naive/batch_tensors.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"

namespace headrace::testing {
namespace {

std::string TextOf(const Batch& batch) {
  return batch.columns().empty() ? ToText(TensorsOf(batch))
                                 : ToText(ToNaive(batch));
}

std::string Broken(const Batch& batch) {
  return batch.columns().empty() ? BrokenTensors(batch) : BrokenPromise(batch);
}

std::vector<size_t> AllOf(const Batch& batch) {
  std::vector<size_t> fields;
  for (size_t i = 0; i < batch.columns().size() + batch.tensors().size(); ++i) {
    fields.push_back(i);
  }
  return fields;
}

// A batch whose decoder, records and original are gone must be as it was.
void ExpectEqualCopies(const Plan& plan, std::vector<std::string> records) {
  std::optional<Batch> copy, all, loaded;
  std::string expected, saved;
  {
    Decoder decoder(plan, {.on_row_error = OnRowError::kSkip});
    const std::vector<std::string_view> views(records.begin(), records.end());
    const Batch batch = *decoder.Decode(views);
    expected = TextOf(batch);
    copy = *CopyBatch(batch);
    all = *CopyBatch(batch, AllOf(batch));
    saved = *SaveBatch(batch, AllOf(batch));
    EXPECT_EQ(PlanOf(*copy)->ToString(), plan.ToString());
  }
  records.clear();
  loaded = *LoadBatch(saved);
  for (const Batch& batch : {*copy, *all, *loaded}) {
    EXPECT_EQ(TextOf(batch), expected);
    EXPECT_EQ(Broken(batch), "");
  }
}

TEST(BatchCopy, Columns) {
  RandomExample random(/*seed=*/91, {.plain = false});
  std::vector<ColumnField> columns = RandomExample::Columns();
  std::vector<std::string> examples, sequences;
  for (int i = 0; i < 100; ++i) {
    examples.push_back(random.Next());
    sequences.push_back(random.NextSequence());
  }
  ExpectEqualCopies(*Plan::ForColumns(columns), examples);
  for (size_t i = RandomExample::Keys().size(); i-- > 0;) {
    columns.push_back({RandomExample::Keys()[i], RandomExample::KindOfKey(i),
                       /*in_sequence=*/true});
  }
  ExpectEqualCopies(*Plan::ForColumns(columns), sequences);
  ExpectEqualCopies(Plan::ForRaw(), examples);
}

TEST(BatchCopy, Tensors) {
  RandomTensors random(/*seed=*/92);
  for (int i = 0; i < 60; ++i) {
    const FeatureSpec spec = random.NextSpec(
        i % 2 == 0 ? MessageType::kExample : MessageType::kSequence);
    std::vector<std::string> records;
    for (int j = 0; j < 20; ++j) records.push_back(random.NextRecord(spec));
    ExpectEqualCopies(*Plan::Compile(spec), records);
  }
}

TEST(BatchCopy, OfNothing) {
  EXPECT_EQ(CopyBatch(Batch())->num_rows(), 0u);
  EXPECT_EQ(PlanOf(Batch()), nullptr);
  Decoder decoder(Plan::ForRaw());
  const Batch batch = *decoder.Decode({});
  EXPECT_EQ(CopyBatch(batch)->num_rows(), 0u);
  const size_t outside[] = {1};
  EXPECT_EQ(CopyBatch(batch, outside).status().code(),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(SaveBatch(batch, outside).status().code(),
            ErrorCode::kInvalidArgument);
}

// Every cut and every changed byte is an error.
TEST(BatchCopy, DamagedBytesAreRefused) {
  Decoder decoder(Plan::ForRaw());
  const std::string_view records[] = {"abc", "", "defg"};
  const size_t fields[] = {0};
  const std::string saved = *SaveBatch(*decoder.Decode(records), fields);
  ASSERT_TRUE(LoadBatch(saved).ok());
  for (size_t i = 0; i < saved.size(); ++i) {
    std::string changed = saved;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    for (const std::string& wrong : {saved.substr(0, i), changed}) {
      EXPECT_EQ(LoadBatch(wrong).status().code(), ErrorCode::kInvalidArgument);
    }
  }
}

}  // namespace
}  // namespace headrace::testing
