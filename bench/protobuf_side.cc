#include "bench/protobuf_side.h"

#include <algorithm>
#include <string>

#include "bench/example.pb.h"
#include "google/protobuf/arena.h"

namespace headrace::bench {
namespace {

using google::protobuf::Arena;
using tf::train::Example;

// A list column, as a careful user of libprotobuf would build it.
struct ListColumn {
  std::string key;
  std::vector<int64_t> int64s;
  std::vector<float> floats;
  std::string bytes;               // values of kind bytes, back to back
  std::vector<size_t> value_ends;  // of these values
  std::vector<uint32_t> row_ends;  // in values
  std::vector<uint8_t> row_valid;

  size_t num_values() const {
    return int64s.size() + floats.size() + value_ends.size();
  }

  void Append(const tf::train::Feature& feature) {
    switch (feature.kind_case()) {
      case tf::train::Feature::kBytesList:
        for (const std::string& value : feature.bytes_list().value()) {
          bytes.append(value);
          value_ends.push_back(bytes.size());
        }
        break;
      case tf::train::Feature::kFloatList: {
        const auto& list = feature.float_list().value();
        floats.insert(floats.end(), list.begin(), list.end());
        break;
      }
      case tf::train::Feature::kInt64List: {
        const auto& list = feature.int64_list().value();
        int64s.insert(int64s.end(), list.begin(), list.end());
        break;
      }
      case tf::train::Feature::KIND_NOT_SET:
        break;
    }
  }

  void EndRow(bool valid) {
    row_ends.push_back(static_cast<uint32_t>(num_values()));
    row_valid.push_back(valid);
  }

  void AddTo(Fingerprint* fingerprint) const {
    fingerprint->rows += row_valid.size();
    for (uint8_t valid : row_valid) fingerprint->nulls += valid == 0;
    for (int64_t value : int64s) fingerprint->Add(value);
    for (float value : floats) fingerprint->Add(value);
    size_t begin = 0;
    for (size_t end : value_ends) {
      fingerprint->Add(std::string_view(bytes).substr(begin, end - begin));
      begin = end;
    }
  }

  void Clear() {
    int64s.clear();
    floats.clear();
    bytes.clear();
    value_ends.clear();
    row_ends.clear();
    row_valid.clear();
  }
};

google::protobuf::ArenaOptions OptionsFor(std::vector<char>* block) {
  google::protobuf::ArenaOptions options;
  options.initial_block = block->data();
  options.initial_block_size = block->size();
  return options;
}

}  // namespace

class ProtobufSide::Impl {
 public:
  Impl(std::span<const ColumnField> columns, size_t batch_size)
      : batch_size_(batch_size),
        // Holds any message here, so that the arena never asks for more.
        block_(size_t{1} << 20),
        arena_(OptionsFor(&block_)) {
    for (const ColumnField& column : columns) {
      columns_.emplace_back().key = column.name;
    }
  }

  // Null when libprotobuf does not accept the bytes.
  const Example* ParseOne(std::string_view payload) {
    auto* example = Arena::CreateMessage<Example>(&arena_);
    const bool accepted = example->ParseFromArray(
        payload.data(), static_cast<int>(payload.size()));
    return accepted ? example : nullptr;
  }

  void Reset() { arena_.Reset(); }

  void FillRow(const Example& example) {
    const auto& features = example.features().feature();
    for (ListColumn& column : columns_) {
      const auto found = features.find(column.key);
      const bool valid =
          found != features.end() &&
          found->second.kind_case() != tf::train::Feature::KIND_NOT_SET;
      if (valid) column.Append(found->second);
      column.EndRow(valid);
    }
  }

  void EndBatch(std::vector<Fingerprint>* fingerprints) {
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (fingerprints != nullptr) columns_[i].AddTo(&(*fingerprints)[i]);
      // The columns must seem to be used.
      asm volatile("" : : "r"(&columns_[i]) : "memory");
      columns_[i].Clear();
    }
  }

  size_t batch_size() const { return batch_size_; }
  size_t num_columns() const { return columns_.size(); }

 private:
  const size_t batch_size_;
  std::vector<ListColumn> columns_;
  std::vector<char> block_;
  Arena arena_;
};

ProtobufSide::ProtobufSide(std::span<const ColumnField> columns,
                           size_t batch_size)
    : impl_(std::make_unique<Impl>(columns, batch_size)) {}

ProtobufSide::~ProtobufSide() = default;

uint64_t ProtobufSide::Parse(std::span<const std::string_view> payloads) {
  uint64_t accepted = 0;
  for (const std::string_view payload : payloads) {
    accepted += impl_->ParseOne(payload) != nullptr;
    impl_->Reset();
  }
  return accepted;
}

uint64_t ProtobufSide::ParseAndFill(std::span<const std::string_view> payloads,
                                    std::vector<Fingerprint>* fingerprints) {
  if (fingerprints != nullptr) {
    fingerprints->assign(impl_->num_columns(), Fingerprint());
  }
  uint64_t accepted = 0;
  size_t rows = 0;
  for (const std::string_view payload : payloads) {
    if (const Example* example = impl_->ParseOne(payload)) {
      impl_->FillRow(*example);
      ++accepted;
      if (++rows == impl_->batch_size()) {
        impl_->EndBatch(fingerprints);
        rows = 0;
      }
    }
    impl_->Reset();
  }
  impl_->EndBatch(fingerprints);
  return accepted;
}

}  // namespace headrace::bench
