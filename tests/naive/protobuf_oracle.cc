#include "tests/naive/protobuf_oracle.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "google/protobuf/stubs/logging.h"
#include "src/base/memory/memory_marks.h"
#include "tests/naive/example.pb.h"

namespace headrace::testing {

namespace {

// libprotobuf is not instrumented: MemorySanitizer does not see that it writes
// the values of a message.
template <class Values>
Values Known(Values values) {
  MarkWritten(values.data(), values.size() * sizeof(values[0]));
  return values;
}

NaiveFeature ToNaive(const tf::train::Feature& feature) {
  NaiveFeature naive;
  switch (feature.kind_case()) {
    case tf::train::Feature::kBytesList:
      naive.kind = Kind::kBytes;
      for (const std::string& value : feature.bytes_list().value()) {
        naive.bytes.push_back(Known(value));
      }
      break;
    case tf::train::Feature::kFloatList:
      naive.kind = Kind::kFloat;
      for (float value : feature.float_list().value()) {
        naive.floats.push_back(std::bit_cast<uint32_t>(value));
      }
      break;
    case tf::train::Feature::kInt64List:
      naive.kind = Kind::kInt64;
      for (int64_t value : feature.int64_list().value()) {
        naive.int64s.push_back(value);
      }
      break;
    case tf::train::Feature::KIND_NOT_SET:
      break;
  }
  naive.floats = Known(std::move(naive.floats));
  naive.int64s = Known(std::move(naive.int64s));
  return naive;
}

void AddFeatures(const tf::train::Features& features, NaiveMessage* message) {
  for (const auto& [key, feature] : features.feature()) {
    message->features[Known(key)] = ToNaive(feature);
  }
}

// libprotobuf reports bad UTF-8 on stderr, once for each of our many.
template <class Message>
bool ParseQuietly(std::string_view bytes, Message* message) {
  google::protobuf::LogSilencer silence;
  return message->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

template <class Message>
std::string Written(Message message) {
  message.DiscardUnknownFields();
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return Known(std::move(out));
}

template <class Message>
std::optional<std::string> Canonical(std::string_view bytes) {
  Message message;
  if (!ParseQuietly(bytes, &message)) return std::nullopt;
  return Written(std::move(message));
}

}  // namespace

std::optional<NaiveMessage> ProtobufParse(std::string_view bytes,
                                          MessageType type) {
  NaiveMessage naive;
  if (type == MessageType::kExample) {
    tf::train::Example example;
    if (!ParseQuietly(bytes, &example)) return std::nullopt;
    AddFeatures(example.features(), &naive);
    return naive;
  }
  tf::train::SequenceExample example;
  if (!ParseQuietly(bytes, &example)) return std::nullopt;
  AddFeatures(example.context(), &naive);
  naive.has_feature_lists = example.has_feature_lists();
  for (const auto& [key, list] : example.feature_lists().feature_list()) {
    std::vector<NaiveFeature>& steps = naive.feature_lists[Known(key)];
    for (const auto& feature : list.feature()) {
      steps.push_back(ToNaive(feature));
    }
  }
  return naive;
}

bool Agree(const ProtobufList& a, const ProtobufList& b) {
  const auto same = [](const std::string& x, const std::string& y) {
    return ProtobufParse(x, MessageType::kExample) ==
           ProtobufParse(y, MessageType::kExample);
  };
  return same(a.context, b.context) &&
         std::equal(a.examples.begin(), a.examples.end(), b.examples.begin(),
                    b.examples.end(), same);
}

std::optional<ProtobufList> ProtobufParseList(std::string_view bytes) {
  tf::train::ExampleListWithContext list;
  if (!ParseQuietly(bytes, &list)) return std::nullopt;
  ProtobufList parsed{.context = Written(list.context())};
  for (const tf::train::Example& example : list.examples()) {
    parsed.examples.push_back(Written(example));
  }
  return parsed;
}

std::optional<std::string> ProtobufCanonical(std::string_view bytes,
                                             MessageType type) {
  if (type == MessageType::kExample)
    return Canonical<tf::train::Example>(bytes);
  return Canonical<tf::train::SequenceExample>(bytes);
}

}  // namespace headrace::testing
