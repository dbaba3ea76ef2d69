// These names are hard to tell apart: in a plan, in the records read with it,
// and among the keys that a plan does not have.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <utility>

#include "bench/attacks/attack.h"
#include "bench/bench_data.h"
#include "bench/sides/headrace_side.h"
#include "headrace/feature_spec.h"
#include "headrace/reader.h"
#include "headrace/types.h"
#include "tests/random/crowding_keys.h"
#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::bench {
namespace {

using testing::EntryField;
using testing::ExampleOf;
using testing::KeyOf;

using Keys = std::vector<std::string>;

// A key of a plan takes 64 bytes of the input's size, so that 4 MiB are 65,536
// keys.
constexpr size_t kKeyBytes = 64;

Keys ManyKeys(size_t count, std::string_view before, std::string_view after) {
  Keys keys;
  for (size_t i = 0; i < count; ++i) {
    keys.push_back(std::string(before) + KeyOf(i, after));
  }
  return keys;
}

Keys ShortKeys(size_t count) { return ManyKeys(count, "", ""); }
// They are as long as keys of one prefix, and share nothing.
Keys LongKeys(size_t count) {
  std::mt19937_64 random(1);
  Keys keys(count, std::string(kKeyBytes, ' '));
  for (std::string& key : keys) {
    for (char& letter : key) letter = static_cast<char>('a' + random() % 26);
  }
  return keys;
}
Keys KeysOfOnePrefix(size_t count) {
  return ManyKeys(count, std::string(kKeyBytes - 8, 'p'), "");
}
Keys KeysOfOneSuffix(size_t count) {
  return ManyKeys(count, "", std::string(kKeyBytes - 8, 's'));
}

Keys CollidingKeys(size_t count, uint64_t mask) {
  return testing::CrowdingKeys(count, mask, 1, testing::kLevelEnd);
}

// Tables have eight entries per key; these keys lie in a 256th of them.
Keys CrowdedKeys(size_t count) { return CollidingKeys(count, 0x1FE00); }

std::vector<ColumnField> ColumnsOf(const Keys& keys) {
  std::vector<ColumnField> columns;
  for (const std::string& key : keys) columns.push_back({key, Kind::kInt64});
  return columns;
}

template <Keys (*kMakeKeys)(size_t)>
Work CompilingColumns(size_t bytes) {
  const auto columns = ColumnsOf(kMakeKeys(bytes / kKeyBytes));
  return {bytes, [columns] { return Plan::ForColumns(columns).status(); }};
}

template <Keys (*kMakeKeys)(size_t)>
Work CompilingSpec(size_t bytes) {
  FeatureSpec spec;
  for (const std::string& key : kMakeKeys(bytes / kKeyBytes)) {
    spec.Add(key, VarLen(DType::kInt64));
  }
  return {bytes, [spec] { return Plan::Compile(spec).status(); }};
}

// Records have all keys of a plan, in orders that nobody guesses.
Work DecodingKeys(Keys keys) {
  auto columns = ColumnsOf(keys);
  std::mt19937_64 random(1);
  std::string file;
  for (int i = 0; i < 4; ++i) {
    std::shuffle(keys.begin(), keys.end(), random);
    std::string entries;
    for (const std::string& key : keys) {
      entries += EntryField(key, testing::Int64Feature({1}));
    }
    AppendRecord(ExampleOf(entries), &file);
  }
  return Decoding(std::move(columns), std::move(file));
}

template <Keys (*kMakeKeys)(size_t)>
Work DecodingAllKeys(size_t bytes) {
  return DecodingKeys(kMakeKeys(bytes / kKeyBytes));
}

// Records repeat keys that the plan does not have.
Work DecodingUnasked(const Keys& keys, size_t bytes) {
  std::string entries;
  for (const std::string& key : keys) {
    entries += EntryField(key, testing::Int64Feature({1}));
  }
  return Decoding({{"a", Kind::kInt64}},
                  FileOf(ExampleOf(Repeated(entries, bytes))));
}

// So many are never learnt (decode/entry_order.h).
constexpr size_t kUnaskedKeys = 2000;

Work UnaskedKeys(size_t bytes) {
  return DecodingUnasked(ManyKeys(kUnaskedKeys, "", "xx"), bytes);
}

Work CollidingUnaskedKeys(size_t bytes) {
  return DecodingUnasked(CollidingKeys(kUnaskedKeys, 0x7FF), bytes);
}

// The reader has no plan, and its sample is the first record.
Work ReadingWithoutPlan(std::string file) {
  const size_t bytes = file.size();
  auto stored = std::make_shared<AnonymousFile>(file);
  return {bytes, [stored]() -> Status {
            ReadOptions options;
            options.sample = 1;
            auto reader = Reader::Open({stored->path()}, options);
            if (!reader.ok()) return reader.status();
            while (reader->Next()) continue;
            return reader->status();
          }};
}

std::string SmallRecord(size_t first_key) {
  std::string entries;
  for (size_t i = 0; i < 10; ++i) {
    entries += EntryField(KeyOf(first_key + i), testing::Int64Feature({1}));
  }
  return ExampleOf(entries);
}

Work SameKeysWithoutPlan(size_t bytes) {
  std::string file;
  while (file.size() < bytes) AppendRecord(SmallRecord(0), &file);
  return ReadingWithoutPlan(std::move(file));
}

Work NewKeysWithoutPlan(size_t bytes) {
  std::string file;
  for (size_t i = 0; file.size() < bytes; i += 10) {
    AppendRecord(SmallRecord(i), &file);
  }
  return ReadingWithoutPlan(std::move(file));
}

constexpr Attack kAttacks[] = {
    {"plan of columns, keys of one prefix", "plan of short keys",
     CompilingColumns<KeysOfOnePrefix>, CompilingColumns<ShortKeys>},
    {"plan of columns, keys of one suffix", "plan of short keys",
     CompilingColumns<KeysOfOneSuffix>, CompilingColumns<ShortKeys>},
    {"plan of columns, crowded hashes", "plan of short keys",
     CompilingColumns<CrowdedKeys>, CompilingColumns<ShortKeys>},
    {"plan of a spec, keys of one prefix", "plan of such a spec",
     CompilingSpec<KeysOfOnePrefix>, CompilingSpec<ShortKeys>},
    {"plan of a spec, crowded hashes", "plan of such a spec",
     CompilingSpec<CrowdedKeys>, CompilingSpec<ShortKeys>},
    {"records of keys of one prefix", "records of long keys",
     DecodingAllKeys<KeysOfOnePrefix>, DecodingAllKeys<LongKeys>},
    {"records of crowded hashes", "records of short keys",
     DecodingAllKeys<CrowdedKeys>, DecodingAllKeys<ShortKeys>},
    {"keys not asked for, crowded hashes", "keys not asked for",
     CollidingUnaskedKeys, UnaskedKeys},
    {"ever new keys, no plan", "the same keys, no plan", NewKeysWithoutPlan,
     SameKeysWithoutPlan},
};

}  // namespace

std::span<const Attack> KeyAttacks() { return kAttacks; }

}  // namespace headrace::bench
