#include "tests/naive/naive_lists.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/naive/naive_decoder.h"
#include "tests/naive/protobuf_oracle.h"

namespace headrace::testing {

namespace {

FeatureSpec SpecOf(const std::vector<NamedFeature>& features) {
  FeatureSpec spec;
  for (const auto& [name, config] : features) spec.Add(name, config);
  return spec;
}

NaiveErrors One(ErrorCode code, const std::string& feature = {}) {
  NaiveErrors errors;
  errors[code];
  if (!feature.empty()) errors[code] = {feature};
  return errors;
}

// The bytes of an Example that hold a list.
std::optional<ProtobufList> Unwrap(std::string_view record,
                                   NaiveErrors* errors) {
  const auto message = ProtobufParse(record, MessageType::kExample);
  if (!message) {
    *errors = One(ErrorCode::kMalformed);
    return std::nullopt;
  }
  const FeatureSpec spec =
      FeatureSpec()
          .Add("serialized_context", FixedLen(DType::kBytes))
          .Add("serialized_examples", VarLen(DType::kBytes));
  const NaiveTensors parts = NaiveDecodeTensors({&record, 1}, spec);
  *errors = parts.errors;
  if (!parts.ok()) return std::nullopt;
  const auto canonical = [](const std::string& bytes) {
    return ProtobufCanonical(bytes, MessageType::kExample);
  };
  ProtobufList list;
  std::optional<std::string> part = canonical(parts.tensors[0].values.bytes[0]);
  if (part) list.context = *part;
  for (const std::string& bytes : parts.tensors[1].values.bytes) {
    if (part) part = canonical(bytes);
    if (part) list.examples.push_back(*part);
  }
  if (part) return list;
  *errors = One(ErrorCode::kMalformed);
  return std::nullopt;
}

std::optional<ProtobufList> Split(std::string_view record, MessageType message,
                                  NaiveErrors* errors) {
  if (message == MessageType::kExampleInExample) return Unwrap(record, errors);
  auto list = ProtobufParseList(record);
  if (!list) *errors = One(ErrorCode::kMalformed);
  return list;
}

std::vector<std::string_view> Views(const std::vector<std::string>& bytes) {
  return {bytes.begin(), bytes.end()};
}

// The first `places` Examples; for short lists then Examples without features.
std::vector<std::string> Padded(const ProtobufList& list, size_t places) {
  std::vector<std::string> padded = list.examples;
  padded.resize(places);
  return padded;
}

void Merge(const NaiveErrors& more, NaiveErrors* errors) {
  for (const auto& [code, features] : more) {
    (*errors)[code].insert(features.begin(), features.end());
  }
}

NaiveErrors ErrorsOf(const std::vector<std::string>& messages,
                     const FeatureSpec& spec) {
  NaiveErrors errors;
  for (const std::string& message : messages) {
    const std::string_view view = message;
    Merge(NaiveDecodeTensors({&view, 1}, spec).errors, &errors);
  }
  return errors;
}

void TakeApart(size_t lists, size_t places, NaiveTensor* tensor) {
  tensor->in_sequence = true;
  const auto n = static_cast<int64_t>(places);
  if (tensor->kind == TensorKind::kRagged) {
    std::vector<int64_t> splits;
    for (size_t i = 0; i <= lists; ++i) {
      splits.push_back(static_cast<int64_t>(i) * n);
    }
    tensor->row_splits.insert(tensor->row_splits.begin(), std::move(splits));
    return;
  }
  if (tensor->kind == TensorKind::kSparse) {
    std::vector<int64_t> indices;
    for (size_t i = 0; i < tensor->indices.size(); ++i) {
      const int64_t index = tensor->indices[i];
      if (i % tensor->shape.size() == 0) indices.push_back(index / n);
      indices.push_back(i % tensor->shape.size() == 0 ? index % n : index);
    }
    tensor->indices = std::move(indices);
  }
  tensor->shape[0] = n;
  tensor->shape.insert(tensor->shape.begin(), static_cast<int64_t>(lists));
}

void AddSizesAndMask(const std::vector<ProtobufList>& lists, size_t places,
                     const ListOptions& options, NaiveTensors* result) {
  const auto rows = static_cast<int64_t>(lists.size());
  NaiveTensor sizes{.name = options.size_feature_name.value_or(""),
                    .shape = {rows}};
  NaiveTensor mask{.name = options.mask_feature_name.value_or(""),
                   .shape = {rows, static_cast<int64_t>(places)}};
  sizes.values.kind = mask.values.kind = Kind::kInt64;
  for (const ProtobufList& list : lists) {
    sizes.values.int64s.push_back(static_cast<int64_t>(list.examples.size()));
    for (size_t i = 0; i < places; ++i) {
      mask.values.int64s.push_back(i < list.examples.size());
    }
  }
  if (options.size_feature_name) result->tensors.push_back(sizes);
  if (options.mask_feature_name) result->tensors.push_back(mask);
}

}  // namespace

NaiveTensors NaiveDecodeLists(std::span<const std::string_view> records,
                              const FeatureSpec& spec) {
  const FeatureSpec context_spec = SpecOf(spec.features());
  const FeatureSpec example_spec = SpecOf(spec.example_features());
  const auto list_size =
      static_cast<size_t>(std::max<int64_t>(spec.lists().list_size, 0));
  NaiveTensors result;
  std::vector<ProtobufList> lists;
  std::vector<std::string> contexts, examples;
  size_t longest = 1;
  for (const std::string_view record : records) {
    result.record = lists.size();
    const auto list = Split(record, spec.message(), &result.errors);
    if (!list) return result;
    longest = std::max(longest, list->examples.size());
    Merge(ErrorsOf({list->context}, context_spec), &result.errors);
    // Even a list without Examples has a place.
    const size_t least =
        list_size > 0 ? list_size : std::max<size_t>(list->examples.size(), 1);
    Merge(ErrorsOf(Padded(*list, least), example_spec), &result.errors);
    if (!result.ok()) return result;
    lists.push_back(*list);
    contexts.push_back(list->context);
  }
  result.record = kUnknown;
  const size_t places = list_size > 0 ? list_size : longest;
  std::vector<int64_t> lengths;
  for (const ProtobufList& list : lists) {
    const std::vector<std::string> padded = Padded(list, places);
    examples.insert(examples.end(), padded.begin(), padded.end());
    lengths.push_back(
        static_cast<int64_t>(std::min(list.examples.size(), places)));
  }
  result = NaiveDecodeTensors(Views(contexts), context_spec);
  NaiveTensors of_examples = NaiveDecodeTensors(Views(examples), example_spec);
  if (!of_examples.ok()) {
    of_examples.record = kUnknown;
    return of_examples;
  }
  for (NaiveTensor& tensor : of_examples.tensors) {
    TakeApart(lists.size(), places, &tensor);
    tensor.lengths = lengths;
    result.tensors.push_back(std::move(tensor));
  }
  AddSizesAndMask(lists, places, spec.lists(), &result);
  return result;
}

}  // namespace headrace::testing
