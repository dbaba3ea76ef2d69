#include "tests/reader/inputs/random_files.h"

#include "tests/random/mutator.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"
#include "tests/record/random_damage.h"
#include "tests/support/example_builder.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

std::vector<ColumnField> KeyColumns(MessageType message) {
  std::vector<ColumnField> columns;
  const auto& keys = RandomExample::Keys();
  for (const bool in_sequence : {false, true}) {
    if (in_sequence && message != MessageType::kSequence) break;
    for (size_t i = 0; i < keys.size(); ++i) {
      columns.push_back({keys[i], RandomExample::KindOfKey(i), in_sequence});
    }
  }
  return columns;
}

// What a plan of columns, of tensors and of payloads reads.
RandomFile FileFor(size_t sort, uint64_t seed,
                   std::vector<std::string>* records) {
  const size_t count = records->size();
  if (sort == 3) {
    RandomTensors random(seed);
    const auto message =
        seed % 2 == 0 ? MessageType::kExample : MessageType::kSequence;
    const FeatureSpec spec = random.NextSpec(message);
    for (size_t i = 0; i < count; ++i) (*records)[i] = random.NextRecord(spec);
    return {.name = "tensors",
            .bytes = {},
            .plan = *Plan::Compile(spec),
            .columns = {}};
  }
  if (sort == 4) {
    Random random(seed);
    for (auto& record : *records) record = random.Bytes(random.Below(200));
    return {.name = "raw", .bytes = {}, .plan = Plan::ForRaw(), .columns = {}};
  }
  const auto message =
      sort == 2 ? MessageType::kSequence : MessageType::kExample;
  RandomExample random(seed, {.plain = sort == 0});
  for (auto& record : *records) {
    record = sort == 2 ? random.NextSequence() : random.Next();
  }
  const auto columns = KeyColumns(message);
  return {.name = sort == 2   ? "sequences"
                  : sort == 1 ? "odd examples"
                              : "plain examples",
          .bytes = {},
          .plan = *Plan::ForColumns(columns, message, false),
          .columns = columns,
          .is_inferable = true};
}

}  // namespace

RandomFile RandomFileOf(uint64_t seed) {
  Random random(seed * 1000 + 1);
  std::vector<std::string> records(1 + random.Below(100));
  RandomFile file = FileFor(seed % 5, seed, &records);
  Mutator mutator(seed);
  for (std::string& record : records) {
    if (random.OneIn(40)) record = mutator.Mutate(record);
  }
  if (random.OneIn(6)) {
    for (size_t i = 0; i < 3; ++i) {
      records[random.Below(records.size())] +=
          ExampleBuilder()
              .Bytes("b", {random.Bytes(random.Below(200000))})
              .Build();
    }
  }
  DamagedFile damaged(records);
  if (random.OneIn(2)) DamageAtRandom(&random, &damaged);
  file.bytes = damaged.bytes();
  file.name += " " + std::to_string(seed);
  return file;
}

}  // namespace headrace::testing
