// Records here are ordinary one by one, but no shape, order or group that is
// learnt of some of them holds for the next ones (decode/entry_shape.h).

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/attacks/attack.h"
#include "bench/bench_data.h"
#include "headrace/types.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::bench {
namespace {

using testing::EntryField;
using testing::ExampleOf;

constexpr size_t kFeatures = 100;

// Record after record asks for some entries; each is a key and a value.
using Record = std::vector<std::pair<size_t, int64_t>>;
using MakeRecord = Record (*)(size_t number);

std::string NameOf(size_t feature) {
  return "feature " + std::to_string(100 + feature);
}

template <MakeRecord kMake>
Work DecodingRecords(size_t bytes) {
  std::vector<ColumnField> columns;
  for (size_t i = 0; i < kFeatures; ++i) {
    columns.push_back({NameOf(i), Kind::kInt64});
  }
  std::string file;
  for (size_t number = 0; file.size() < bytes; ++number) {
    std::string entries;
    for (const auto& [feature, value] : kMake(number)) {
      entries += EntryField(NameOf(feature), testing::Int64Feature({value}));
    }
    AppendRecord(ExampleOf(entries), &file);
  }
  return Decoding(std::move(columns), std::move(file));
}

Record OneShape(size_t) {
  Record record;
  for (size_t i = 0; i < kFeatures; ++i) record.emplace_back(i, 1);
  return record;
}

// A group of columns ends wherever one of its cells is missing.
Record EachLacksAnother(size_t number) {
  Record record = OneShape(number);
  record.erase(record.begin() + static_cast<int64_t>(number % kFeatures));
  return record;
}

Record EveryTenthIsLacking(size_t number) {
  Record record = OneShape(number);
  std::erase_if(record, [number](const auto& entry) {
    return (entry.first + number) % 10 == 0;
  });
  return record;
}

// Varints of one byte and of two, at random: a run ends every other entry.
Record SizesVary(size_t number) {
  std::mt19937_64 random(number);
  Record record = OneShape(number);
  for (auto& [feature, value] : record) value = random() % 2 == 0 ? 1 : 1000;
  return record;
}

// Just as many records have an order as a shape needs to be made, and to be
// looked at again.
Record OrdersTakeTurns(size_t number) {
  Record record = OneShape(number);
  if (number / 72 % 2 != 0) std::reverse(record.begin(), record.end());
  return record;
}

// Every other record is another writer's: it lacks some features and has larger
// numbers in others.
Record WritersTakeTurns(size_t number) {
  Record record = OneShape(number);
  if (number % 2 == 0) return record;
  record.erase(record.begin() + 40, record.begin() + 60);
  for (size_t i = 0; i < 10; ++i) record[i].second = 1000;
  return record;
}

Record EveryRecordHasAnotherOrder(size_t number) {
  Record record = OneShape(number);
  std::rotate(record.begin(),
              record.begin() + static_cast<int64_t>(number % kFeatures),
              record.end());
  return record;
}

// Cells that a group has just counted are entered again.
Record KeysComeTwice(size_t number) {
  Record record = OneShape(number);
  for (size_t i = number % 16; i < kFeatures; i += 16) {
    record.emplace_back(i, 2);
  }
  return record;
}

constexpr Attack kAttacks[] = {
    {"each record lacks another feature", "records of one shape",
     DecodingRecords<EachLacksAnother>, DecodingRecords<OneShape>},
    {"each lacks ten others", "records of one shape",
     DecodingRecords<EveryTenthIsLacking>, DecodingRecords<OneShape>},
    {"sizes of values vary everywhere", "records of one shape",
     DecodingRecords<SizesVary>, DecodingRecords<OneShape>},
    {"two orders take turns", "records of one shape",
     DecodingRecords<OrdersTakeTurns>, DecodingRecords<OneShape>},
    {"two writers take turns", "records of one shape",
     DecodingRecords<WritersTakeTurns>, DecodingRecords<OneShape>},
    {"each record begins with another key", "records of one shape",
     DecodingRecords<EveryRecordHasAnotherOrder>, DecodingRecords<OneShape>},
    {"seven keys of each record come again", "records of one shape",
     DecodingRecords<KeysComeTwice>, DecodingRecords<OneShape>},
};

}  // namespace

std::span<const Attack> ShapeAttacks() { return kAttacks; }

}  // namespace headrace::bench
