#include "bench/bench_data.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "bench/example_writer.h"
#include "bench/random.h"
#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"

namespace headrace::bench {
namespace {

// Appends the features of one record.
using Fill = std::function<void(Random*, ExampleWriter*)>;

float RandomFloat(Random* random) {
  return static_cast<float>(2 * random->Unit() - 1);
}

std::string Numbered(std::string_view prefix, size_t number) {
  std::string key(prefix);
  key += std::to_string(number);
  return key;
}

void FillRandomly(Random* random, std::string* bytes) {
  size_t i = 0;
  for (; i + 8 <= bytes->size(); i += 8) {
    const uint64_t word = random->Next();
    std::memcpy(bytes->data() + i, &word, sizeof(word));
  }
  for (; i < bytes->size(); ++i) {
    (*bytes)[i] = static_cast<char>(random->Next());
  }
}

struct Recipe {
  std::vector<ColumnField> columns;
  Fill fill;
};

// ------------------------------------------------------------------ Lists

Recipe Floats() {
  return {{{"embedding", Kind::kFloat}, {"label", Kind::kInt64}},
          [values = std::vector<float>(2048)](Random* random,
                                              ExampleWriter* writer) mutable {
            for (float& value : values) value = RandomFloat(random);
            writer->AddFloats("embedding", values);
            const int64_t label = static_cast<int64_t>(random->Below(1000));
            writer->AddInt64s("label", {&label, 1});
          }};
}

// Lists of one length, each value made by `draw`.
Recipe Int64Lists(const std::string& prefix, size_t num_features, size_t length,
                  std::function<int64_t(Random*)> draw) {
  Recipe recipe;
  std::vector<std::string> keys;
  for (size_t i = 0; i < num_features; ++i) {
    keys.push_back(Numbered(prefix, i));
    recipe.columns.push_back({keys.back(), Kind::kInt64});
  }
  recipe.fill = [keys, draw = std::move(draw),
                 values = std::vector<int64_t>(length)](
                    Random* random, ExampleWriter* writer) mutable {
    for (const std::string& key : keys) {
      for (int64_t& value : values) value = draw(random);
      writer->AddInt64s(key, values);
    }
  };
  return recipe;
}

Recipe Blobs() {
  return {
      {{"height", Kind::kInt64},
       {"image", Kind::kBytes},
       {"width", Kind::kInt64}},
      [blob = std::string()](Random* random, ExampleWriter* writer) mutable {
        const auto height = static_cast<int64_t>(64 + random->Below(1984));
        const auto width = static_cast<int64_t>(64 + random->Below(1984));
        blob.resize(90 * 1024 + random->Below(20 * 1024));
        FillRandomly(random, &blob);
        writer->AddInt64s("height", {&height, 1});
        writer->AddBytes("image", blob);
        writer->AddInt64s("width", {&width, 1});
      }};
}

// ------------------------------------------------------------------ Scalars

// One key of the Criteo-like records.
struct ScalarFeature {
  std::string key;
  Kind kind;
  int64_t bound = 0;            // of int64: values are 1 to bound
  std::vector<uint32_t> table;  // of bytes: the categories
};

std::vector<ScalarFeature> CriteoFeatures(Random* random) {
  std::vector<ScalarFeature> features;
  const auto power_of_ten = [](uint64_t exponent) {
    int64_t power = 1;
    for (; exponent > 0; --exponent) power *= 10;
    return power;
  };
  for (size_t i = 1; i <= 13; ++i) {
    features.push_back({Numbered("I", i),
                        Kind::kInt64,
                        power_of_ten(2 + random->Below(6)),
                        {}});
  }
  for (size_t i = 1; i <= 26; ++i) {
    std::vector<uint32_t> table(
        static_cast<size_t>(power_of_ten(1 + random->Below(5))));
    for (uint32_t& category : table) {
      category = static_cast<uint32_t>(random->Next());
    }
    features.push_back({Numbered("C", i), Kind::kBytes, 0, std::move(table)});
  }
  for (size_t i = 1; i <= 27; ++i) {
    features.push_back({Numbered("F", i), Kind::kFloat, 0, {}});
  }
  std::sort(features.begin(), features.end(),
            [](const auto& a, const auto& b) { return a.key < b.key; });
  return features;
}

void AddScalar(const ScalarFeature& feature, Random* random,
               ExampleWriter* writer) {
  if (feature.kind == Kind::kInt64) {
    const int64_t value = random->LogUniform(feature.bound);
    if (random->Below(10) != 0) writer->AddInt64s(feature.key, {&value, 1});
  } else if (feature.kind == Kind::kFloat) {
    const float value = RandomFloat(random);
    writer->AddFloats(feature.key, {&value, 1});
  } else {
    const int64_t rank =
        random->LogUniform(static_cast<int64_t>(feature.table.size()));
    const uint32_t category = feature.table[static_cast<size_t>(rank - 1)];
    char digits[8];
    for (int i = 0; i < 8; ++i) {
      digits[i] = "0123456789abcdef"[category >> (28 - 4 * i) & 15];
    }
    writer->AddBytes(feature.key, {digits, sizeof(digits)});
  }
}

Recipe Criteo(Random* random, bool shuffled) {
  Recipe recipe;
  const std::vector<ScalarFeature> features = CriteoFeatures(random);
  for (const ScalarFeature& feature : features) {
    recipe.columns.push_back({feature.key, feature.kind});
  }
  recipe.fill = [features, shuffled](Random* numbers, ExampleWriter* writer) {
    for (const ScalarFeature& feature : features) {
      AddScalar(feature, numbers, writer);
    }
    if (shuffled) writer->Shuffle(numbers);
  };
  return recipe;
}

Recipe CriteoSix(Random* random) {
  Recipe recipe = Criteo(random, false);
  std::erase_if(recipe.columns, [](const ColumnField& field) {
    static constexpr std::string_view kAsked[] = {"C26", "C3", "F20",
                                                  "F5",  "I1", "I7"};
    return std::find(std::begin(kAsked), std::end(kAsked), field.name) ==
           std::end(kAsked);
  });
  return recipe;
}

Recipe Scalars() {
  Recipe recipe;
  for (size_t i = 0; i < 100; ++i) {
    recipe.columns.push_back(
        {Numbered(i < 10 ? "f00" : "f0", i), Kind::kFloat});
  }
  recipe.fill = [columns = recipe.columns](Random* random,
                                           ExampleWriter* writer) {
    for (const ColumnField& column : columns) {
      const float value = RandomFloat(random);
      writer->AddFloats(column.name, {&value, 1});
    }
  };
  return recipe;
}

Recipe MakeRecipe(Shape shape, Random* random) {
  switch (shape) {
    case Shape::kFloats:
      return Floats();
    case Shape::kIds:
      return Int64Lists("ids_", 8, 256, [](Random* numbers) {
        return numbers->LogUniform(999999);
      });
    case Shape::kHashes:
      return Int64Lists("hash_", 2, 128, [](Random* numbers) {
        return static_cast<int64_t>(numbers->Next());
      });
    case Shape::kBlobs:
      return Blobs();
    case Shape::kCriteo:
      return Criteo(random, false);
    case Shape::kCriteoShuffled:
      return Criteo(random, true);
    case Shape::kCriteoSix:
      return CriteoSix(random);
    case Shape::kScalars:
      return Scalars();
  }
  return {};
}

}  // namespace

std::string_view ShapeName(Shape shape) {
  switch (shape) {
    case Shape::kFloats:
      return "floats";
    case Shape::kIds:
      return "ids";
    case Shape::kHashes:
      return "hashes";
    case Shape::kBlobs:
      return "blobs";
    case Shape::kCriteo:
      return "criteo";
    case Shape::kCriteoShuffled:
      return "criteo-shuffled";
    case Shape::kCriteoSix:
      return "criteo-6";
    case Shape::kScalars:
      return "scalars";
  }
  return {};
}

Data MakeData(Shape shape, size_t bytes, uint64_t seed) {
  Random random(seed);
  Data data;
  Recipe recipe = MakeRecipe(shape, &random);
  data.columns = std::move(recipe.columns);
  data.file.reserve(bytes + bytes / 8);
  ExampleWriter writer;
  while (data.file.size() < bytes) {
    recipe.fill(&random, &writer);
    data.num_features += writer.num_entries();
    AppendRecord(writer.Finish(), &data.file);
    ++data.num_records;
  }
  return data;
}

Data MakeRawData(size_t payload_size, size_t bytes, uint64_t seed) {
  Random random(seed);
  Data data;
  data.file.reserve(bytes + payload_size + kRecordOverhead);
  std::string payload(payload_size, '\0');
  while (data.file.size() < bytes) {
    FillRandomly(&random, &payload);
    AppendRecord(payload, &data.file);
    ++data.num_records;
  }
  return data;
}

std::vector<std::string_view> Payloads(std::string_view file) {
  std::vector<std::string_view> payloads;
  while (file.size() >= kRecordOverhead) {
    const auto size = static_cast<size_t>(
        LoadLittle64(reinterpret_cast<const uint8_t*>(file.data())));
    payloads.push_back(file.substr(kRecordHeaderBytes, size));
    file.remove_prefix(kRecordOverhead + size);
  }
  return payloads;
}

}  // namespace headrace::bench
