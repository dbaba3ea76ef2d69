#include "tests/random/record_shapes.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "headrace/record_writer.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {
namespace {

constexpr size_t kRecordOverhead = 16;

std::string Numbered(const char* prefix, size_t number) {
  return prefix + std::to_string(number);
}

std::vector<float> Floats(Random* random, size_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    value = static_cast<float>(random->Below(1 << 20)) / 1024.0f;
  }
  return values;
}

// Of one to three bytes each, mostly three.
std::vector<int64_t> Ids(Random* random, size_t count) {
  std::vector<int64_t> values(count);
  for (int64_t& value : values) {
    value = static_cast<int64_t>(random->Below(1'000'000) >> random->Below(12));
  }
  return values;
}

std::vector<std::string> Words(Random* random, size_t count) {
  std::vector<std::string> values(count);
  for (std::string& value : values) value.assign(random->Below(20), 'w');
  return values;
}

RecordShape FloatsShape() {
  return {"floats",
          {{"embedding", Kind::kFloat}, {"label", Kind::kInt64}},
          [](Random* random) {
            return ExampleBuilder()
                .Floats("embedding", Floats(random, 2048))
                .Int64s("label", Ids(random, 1))
                .Build();
          }};
}

RecordShape IdsShape() {
  RecordShape shape{"ids", {}, [](Random* random) {
                      ExampleBuilder builder;
                      for (size_t i = 0; i < 8; ++i) {
                        builder.Int64s(Numbered("ids_", i), Ids(random, 256));
                      }
                      return builder.Build();
                    }};
  for (size_t i = 0; i < 8; ++i) {
    shape.columns.push_back({Numbered("ids_", i), Kind::kInt64});
  }
  return shape;
}

RecordShape CriteoShape() {
  constexpr size_t kInts = 13, kStrings = 26, kFloats = 27;
  RecordShape shape{"criteo", {}, [](Random* random) {
                      ExampleBuilder builder;
                      for (size_t i = 0; i < kInts; ++i) {
                        if (random->OneIn(10)) continue;
                        builder.Int64s(Numbered("I", i), Ids(random, 1));
                      }
                      for (size_t i = 0; i < kStrings; ++i) {
                        builder.Bytes(Numbered("C", i), {random->Bytes(8)});
                      }
                      for (size_t i = 0; i < kFloats; ++i) {
                        builder.Floats(Numbered("F", i), Floats(random, 1));
                      }
                      return builder.Build();
                    }};
  for (size_t i = 0; i < kInts; ++i) {
    shape.columns.push_back({Numbered("I", i), Kind::kInt64});
  }
  for (size_t i = 0; i < kStrings; ++i) {
    shape.columns.push_back({Numbered("C", i), Kind::kBytes});
  }
  for (size_t i = 0; i < kFloats; ++i) {
    shape.columns.push_back({Numbered("F", i), Kind::kFloat});
  }
  return shape;
}

RecordShape RaggedShape() {
  return {"ragged",
          {{"ids", Kind::kInt64},
           {"weights", Kind::kFloat},
           {"words", Kind::kBytes},
           {"rare", Kind::kInt64}},
          [](Random* random) {
            ExampleBuilder builder;
            builder.Int64s("ids", Ids(random, random->Below(61)))
                .Floats("weights", Floats(random, random->Below(61)))
                .Bytes("words", Words(random, random->Below(61)));
            if (random->OneIn(8)) builder.Unset("rare");
            return builder.Build();
          }};
}

RecordShape SequenceShape() {
  return {
      "sequence",
      {{"id", Kind::kInt64},
       {"frames", Kind::kFloat, /*in_sequence=*/true},
       {"tokens", Kind::kInt64, /*in_sequence=*/true},
       {"words", Kind::kBytes, /*in_sequence=*/true}},
      [](Random* random) {
        std::vector<std::string> frames, tokens, words;
        for (size_t steps = 1 + random->Below(40); steps > 0; --steps) {
          frames.push_back(FloatFeature(Floats(random, 16)));
          tokens.push_back(Int64Feature(Ids(random, random->Below(6))));
          words.push_back(BytesFeature(Words(random, 1)));
        }
        return ExampleBuilder().Int64s("id", Ids(random, 1)).Build() +
               FeatureListsField(EntryField("frames", FeatureListOf(frames)) +
                                 EntryField("tokens", FeatureListOf(tokens)) +
                                 EntryField("words", FeatureListOf(words)));
      }};
}

RecordShape BlobsShape() {
  return {"blobs",
          {{"height", Kind::kInt64},
           {"image", Kind::kBytes},
           {"width", Kind::kInt64}},
          [](Random* random) {
            const size_t size =
                (90 + random->Below(20)) * 1024 + random->Below(1024);
            return ExampleBuilder()
                .Int64s("height", Ids(random, 1))
                .Bytes("image", {std::string(size, 'p')})
                .Int64s("width", Ids(random, 1))
                .Build();
          }};
}

void Check(const Status& status) {
  if (!status.ok()) throw std::runtime_error(status.ToString());
}

}  // namespace

const std::vector<RecordShape>& RecordShapes() {
  static const auto* const shapes = new std::vector<RecordShape>{
      FloatsShape(), IdsShape(),      CriteoShape(),
      RaggedShape(), SequenceShape(), BlobsShape()};
  return *shapes;
}

const RecordShape& ShapeNamed(std::string_view name) {
  for (const RecordShape& shape : RecordShapes()) {
    if (shape.name == name) return shape;
  }
  throw std::runtime_error("no shape " + std::string(name));
}

ShapedFile WriteShape(const RecordShape& shape, size_t num_records,
                      const std::string& path) {
  constexpr size_t kMaxRecords = 20 * 256;
  constexpr size_t kMaxBytes = size_t{64} << 20;
  Random random(/*seed=*/7);
  std::vector<std::string> distinct;
  size_t bytes = 0;
  while (distinct.size() < std::min(kMaxRecords, num_records) &&
         bytes < kMaxBytes) {
    distinct.push_back(shape.make(&random));
    bytes += distinct.back().size();
  }
  auto writer = RecordWriter::Open(path);
  Check(writer.status());
  ShapedFile file{.num_records = num_records};
  for (size_t i = 0; i < num_records; ++i) {
    const std::string& record = distinct[i % distinct.size()];
    Check(writer->Write(record));
    file.largest_record =
        std::max(file.largest_record, record.size() + kRecordOverhead);
  }
  Check(writer->Close());
  return file;
}

}  // namespace headrace::testing
