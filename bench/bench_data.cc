#include "bench/bench_data.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "headrace/message.h"
#include "headrace/record_reader.h"
#include "src/base/little_endian.h"
#include "src/base/record_header.h"
#include "src/input/crc32c/crc32c.h"
#include "src/plan/infer/census.h"
#include "src/plan/infer/infer.h"
#include "src/sample/shapes.h"

namespace headrace::bench {
namespace {

constexpr std::string_view kSixOfCriteo[] = {"C26", "C3", "F20",
                                             "F5",  "I1", "I7"};

constexpr Shape kShapes[] = {
    {.name = "floats", .sample = "floats"},
    {.name = "ids", .sample = "ids"},
    {.name = "hashes", .sample = "hashes"},
    {.name = "blobs", .sample = "blobs"},
    {.name = "criteo", .sample = "criteo"},
    {.name = "criteo-shuffled", .sample = "criteo", .shuffled = true},
    {.name = "criteo-hashed", .sample = "criteo", .hashed = true},
    {.name = "criteo-6", .sample = "criteo", .asked = kSixOfCriteo},
    {.name = "scalars", .sample = "scalars"},
    {.name = "scalars-lacking", .sample = "scalars", .lacking = 1},
    {.name = "scalars-lacking-2", .sample = "scalars", .lacking = 2},
    {.name = "ragged", .sample = "ragged"},
    {.name = "sequence", .sample = "sequence"},
    {.name = "elwc", .sample = "elwc", .lists = true},
    {.name = "gzip", .sample = "criteo", .gzip = true},
};

void AppendFixed32(uint32_t value, std::string* out) {
  uint8_t bytes[4];
  StoreLittle32(bytes, value);
  out->append(reinterpret_cast<const char*>(bytes), sizeof(bytes));
}

// Every reader without a plan has to find the columns in the data.
Status CountFeatures(std::span<const std::string_view> asked, bool lists,
                     Data* data) {
  const std::vector<std::string_view> payloads = Payloads(data->file);
  FeatureCensus census(lists                          ? MessageType::kElwc
                       : HasFeatureLists(payloads[0]) ? MessageType::kSequence
                                                      : MessageType::kExample);
  for (size_t i = 0; i < payloads.size(); ++i) {
    if (Status status = census.Add(payloads[i], i); !status.ok()) return status;
  }
  for (const auto* counts : {&census.features(), &census.feature_lists()}) {
    for (const auto& [key, count] : *counts) {
      data->num_features += count.present;
    }
  }
  data->columns = census.columns();
  if (lists) data->spec = infer::InferSpec(census);
  if (asked.empty()) return Status();
  std::erase_if(data->columns, [asked](const ColumnField& column) {
    return !std::binary_search(asked.begin(), asked.end(), column.name);
  });
  return Status();
}

}  // namespace

std::span<const Shape> Shapes() { return kShapes; }

void AppendRecord(std::string_view payload, std::string* file) {
  uint8_t length[8];
  StoreLittle64(length, payload.size());
  file->append(reinterpret_cast<const char*>(length), sizeof(length));
  AppendFixed32(MaskCrc32c(headrace::Crc32c(length, sizeof(length))), file);
  file->append(payload);
  AppendFixed32(MaskCrc32c(headrace::Crc32c(payload.data(), payload.size())),
                file);
}

Result<Data> MakeData(const Shape& shape, size_t bytes, uint64_t seed) {
  const auto samples = sample::Shapes();
  const auto sample =
      std::find_if(samples.begin(), samples.end(),
                   [&](const auto& s) { return shape.sample == s.name; });
  Data data;
  data.file.reserve(bytes + bytes / 8);
  sample::ExampleBuilder builder;
  while (data.file.size() < bytes) {
    sample::Random random(seed, data.num_records);
    sample->build(data.num_records, &random, &builder);
    if (shape.lacking > 0 && data.num_records % shape.lacking == 0) {
      sample::DropKey(&random, &builder);
    }
    if (shape.shuffled) sample::ShuffleKeys(&random, &builder);
    if (shape.hashed) sample::HashKeys(seed, &builder);
    AppendRecord(builder.Finish(), &data.file);
    ++data.num_records;
  }
  if (Status status = CountFeatures(shape.asked, shape.lists, &data);
      !status.ok()) {
    return status;
  }
  return data;
}

Data MakeRawData(size_t payload_size, size_t bytes) {
  Data data;
  data.file.reserve(bytes + payload_size + kRecordOverhead);
  while (data.file.size() < bytes) {
    AppendRecord(RandomBytes(payload_size, data.num_records), &data.file);
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

std::string RandomBytes(size_t size, uint64_t seed) {
  sample::Random random(seed, 0);
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t word = random.Next();
    std::memcpy(bytes.data() + i, &word, std::min(sizeof(word), size - i));
  }
  return bytes;
}

}  // namespace headrace::bench
