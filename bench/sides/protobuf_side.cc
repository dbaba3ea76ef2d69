#include "bench/sides/protobuf_side.h"

#include <algorithm>
#include <string>

#include "bench/example.pb.h"
#include "google/protobuf/arena.h"

namespace headrace::bench {
namespace {

using google::protobuf::Arena;
using tf::train::Example;
using tf::train::Feature;
using tf::train::Features;
using tf::train::SequenceExample;

google::protobuf::ArenaOptions OptionsFor(std::vector<char>* block) {
  google::protobuf::ArenaOptions options;
  options.initial_block = block->data();
  options.initial_block_size = block->size();
  return options;
}

bool Append(const Feature& feature, ListColumn* column) {
  switch (feature.kind_case()) {
    case Feature::kBytesList:
      for (const std::string& value : feature.bytes_list().value()) {
        column->AddBytes(value);
      }
      return true;
    case Feature::kFloatList: {
      const auto& list = feature.float_list().value();
      column->floats.insert(column->floats.end(), list.begin(), list.end());
      return true;
    }
    case Feature::kInt64List: {
      const auto& list = feature.int64_list().value();
      column->int64s.insert(column->int64s.end(), list.begin(), list.end());
      return true;
    }
    case Feature::KIND_NOT_SET:
      return false;
  }
  return false;
}

void FillRow(const Features& features, ListColumn* column) {
  const auto found = features.feature().find(column->key);
  column->EndRow(found != features.feature().end() &&
                 Append(found->second, column));
}

void FillRow(const Example& example, ListColumn* column) {
  FillRow(example.features(), column);
}

void FillRow(const SequenceExample& example, ListColumn* column) {
  if (!column->in_sequence) return FillRow(example.context(), column);
  const auto& lists = example.feature_lists().feature_list();
  const auto found = lists.find(column->key);
  if (found != lists.end()) {
    for (const Feature& step : found->second.feature()) {
      column->EndStep(Append(step, column));
    }
  }
  column->EndRow(found != lists.end());
}

}  // namespace

class ProtobufSide::Impl {
 public:
  Impl(std::span<const ColumnField> columns, size_t batch_size)
      : is_sequence_(std::any_of(
            columns.begin(), columns.end(),
            [](const ColumnField& column) { return column.in_sequence; })),
        columns_(columns, batch_size),
        // The block holds any message here, so that the arena never asks for
        // more.
        block_(size_t{1} << 20),
        arena_(OptionsFor(&block_)) {}

  template <class Use>
  uint64_t Parse(std::span<const std::string_view> payloads, Use use) {
    return is_sequence_ ? ParseAs<SequenceExample>(payloads, use)
                        : ParseAs<Example>(payloads, use);
  }

  ListColumns& columns() { return columns_; }

 private:
  template <class Message, class Use>
  uint64_t ParseAs(std::span<const std::string_view> payloads, Use use) {
    uint64_t accepted = 0;
    for (const std::string_view payload : payloads) {
      auto* message = Arena::CreateMessage<Message>(&arena_);
      if (message->ParseFromArray(payload.data(),
                                  static_cast<int>(payload.size()))) {
        use(*message);
        ++accepted;
      }
      arena_.Reset();
    }
    return accepted;
  }

  const bool is_sequence_;
  ListColumns columns_;
  std::vector<char> block_;
  Arena arena_;
};

ProtobufSide::ProtobufSide(std::span<const ColumnField> columns,
                           size_t batch_size)
    : impl_(std::make_unique<Impl>(columns, batch_size)) {}

ProtobufSide::~ProtobufSide() = default;

uint64_t ProtobufSide::Parse(std::span<const std::string_view> payloads) {
  return impl_->Parse(payloads, [](const auto&) {});
}

uint64_t ProtobufSide::ParseAndFill(std::span<const std::string_view> payloads,
                                    std::vector<Fingerprint>* fingerprints) {
  ListColumns& columns = impl_->columns();
  columns.Start(fingerprints);
  const uint64_t accepted = impl_->Parse(payloads, [&](const auto& message) {
    for (ListColumn& column : columns.columns()) FillRow(message, &column);
    columns.EndRecord();
  });
  columns.EndBatch();
  return accepted;
}

uint64_t ParseLists(std::span<const std::string_view> payloads,
                    std::vector<char>* block) {
  uint64_t accepted = 0;
  for (const std::string_view payload : payloads) {
    Arena arena(OptionsFor(block));
    auto* const list =
        Arena::CreateMessage<tf::train::ExampleListWithContext>(&arena);
    accepted +=
        list->ParseFromArray(payload.data(), static_cast<int>(payload.size()));
  }
  return accepted;
}

}  // namespace headrace::bench
