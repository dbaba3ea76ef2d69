// Serializes and parses statistics as docs/formats/stats.md describes.

#include <xxhash.h>

#include <string>
#include <string_view>

#include "src/stats/count/dataset_counter.h"
#include "src/stats/sketch/state_bytes.h"

namespace headrace::stats {
namespace {

void AppendTexts(const std::vector<std::string>& texts, std::string* out) {
  AppendNumber(texts.size(), out);
  for (const std::string& text : texts) AppendText(text, out);
}

bool TakeTexts(std::string_view* bytes, std::vector<std::string>* texts) {
  uint64_t size = 0;
  if (!TakeNumber(bytes, &size)) return false;
  for (; size > 0; --size) {
    if (!TakeText(bytes, &texts->emplace_back())) return false;
  }
  return true;
}

}  // namespace

std::string DatasetCounter::Serialize() const {
  std::string out(kStateMagic);
  AppendNumber<uint8_t>(options_.message == MessageType::kSequence, &out);
  AppendNumber<uint8_t>(options_.pictures, &out);
  AppendNumber(options_.max_distinct, &out);
  AppendText(options_.by, &out);
  AppendTexts({selected_.begin(), selected_.end()}, &out);
  AppendTexts({categorical_.begin(), categorical_.end()}, &out);
  for (const uint64_t count : {num_records_, num_bytes_, bad_records_, regions_,
                               num_lists_left_out_}) {
    AppendNumber(count, &out);
  }
  AppendNumber<uint8_t>(has_field_, &out);
  AppendNumber<uint8_t>(by_has_floats_, &out);
  AppendNumber(files_.size(), &out);
  for (const auto& [name, file] : files_) {
    AppendText(name, &out);
    AppendNumber(file.records, &out);
    AppendNumber(file.bytes, &out);
    AppendNumber<uint8_t>(static_cast<uint8_t>(file.compression), &out);
  }
  AppendNumber(class_indexes_.size(), &out);
  for (const auto& [value, index] : class_indexes_) {
    AppendText(value, &out);
    AppendNumber<uint32_t>(index, &out);
    AppendNumber(class_counts_[index], &out);
  }
  AppendNumber(features_.size(), &out);
  for (const auto& [key, known] : features_) {
    AppendText(key.second, &out);
    AppendNumber<uint8_t>(key.first, &out);
    if (known.counter) known.counter->Append(&out);
  }
  AppendNumber(XXH3_64bits(out.data(), out.size()), &out);
  return out;
}

bool DatasetCounter::Parse(std::string_view bytes) {
  if (bytes.size() < kStateMagic.size() + sizeof(uint64_t) ||
      !bytes.starts_with(kStateMagic)) {
    return false;
  }
  std::string_view rest = bytes.substr(bytes.size() - sizeof(uint64_t));
  bytes.remove_suffix(sizeof(uint64_t));
  uint64_t checksum = 0;
  if (!TakeNumber(&rest, &checksum) ||
      checksum != XXH3_64bits(bytes.data(), bytes.size())) {
    return false;
  }
  bytes.remove_prefix(kStateMagic.size());
  return ParseOptions(&bytes) && ParseDataset(&bytes) &&
         ParseFeatures(&bytes) && bytes.empty();
}

bool DatasetCounter::ParseOptions(std::string_view* bytes) {
  bool is_sequence = false;
  uint64_t max_distinct = 0;
  if (!TakeFlag(bytes, &is_sequence) || !TakeFlag(bytes, &options_.pictures) ||
      !TakeNumber(bytes, &max_distinct) || !TakeText(bytes, &options_.by) ||
      !TakeTexts(bytes, &options_.features) ||
      !TakeTexts(bytes, &options_.categorical) || max_distinct < kMinDistinct ||
      max_distinct > kMaxDistinct) {
    return false;
  }
  options_.message =
      is_sequence ? MessageType::kSequence : MessageType::kExample;
  options_.max_distinct = static_cast<size_t>(max_distinct);
  selected_.insert(options_.features.begin(), options_.features.end());
  categorical_.insert(options_.categorical.begin(), options_.categorical.end());
  return true;
}

bool DatasetCounter::ParseDataset(std::string_view* bytes) {
  for (uint64_t* const count : {&num_records_, &num_bytes_, &bad_records_,
                                &regions_, &num_lists_left_out_}) {
    if (!TakeNumber(bytes, count)) return false;
  }
  uint64_t num_files = 0;
  if (!TakeFlag(bytes, &has_field_) || !TakeFlag(bytes, &by_has_floats_) ||
      !TakeNumber(bytes, &num_files)) {
    return false;
  }
  for (; num_files > 0; --num_files) {
    FileSummary file;
    uint8_t compression = 0;
    if (!TakeText(bytes, &file.name) || !TakeNumber(bytes, &file.records) ||
        !TakeNumber(bytes, &file.bytes) || !TakeNumber(bytes, &compression) ||
        compression > static_cast<uint8_t>(Compression::kZstd)) {
      return false;
    }
    file.compression = static_cast<Compression>(compression);
    if (!files_.emplace(file.name, file).second) return false;
  }
  uint64_t num_classes = 0;
  if (!TakeNumber(bytes, &num_classes) || num_classes > kMaxClasses + 1) {
    return false;
  }
  class_counts_.resize(static_cast<size_t>(num_classes));
  for (; num_classes > 0; --num_classes) {
    std::string value;
    uint32_t index = 0;
    uint64_t count = 0;
    if (!TakeText(bytes, &value) || !TakeNumber(bytes, &index) ||
        !TakeNumber(bytes, &count) || index >= class_counts_.size() ||
        count == 0 || class_counts_[index] != 0 ||
        !class_indexes_.emplace(value, index).second) {
      return false;
    }
    class_counts_[index] = count;
  }
  return true;
}

bool DatasetCounter::ParseFeatures(std::string_view* bytes) {
  uint64_t num_features = 0;
  if (!TakeNumber(bytes, &num_features)) return false;
  for (; num_features > 0; --num_features) {
    std::string name;
    bool in_sequence = false;
    if (!TakeText(bytes, &name) || !TakeFlag(bytes, &in_sequence) ||
        !IsUtf8(name) || features_.contains(Key(in_sequence, name))) {
      return false;
    }
    Known* const known = Find(name, in_sequence);
    if (known == nullptr) return false;
    if (!known->counter) continue;
    if (!known->counter->Parse(bytes, num_records_, class_counts_.size())) {
      return false;
    }
    NoteKind(known, known->counter->kind());
    if (known->counter->has_bytes()) NoteBytes();
  }
  // Each counter has the capacity for the features before it only.
  for (auto& [key, known] : features_) {
    if (known.counter) known.counter->SetCapacity(Capacity());
  }
  return true;
}

}  // namespace headrace::stats
