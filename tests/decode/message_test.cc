// Single messages as plain values: what is written is what protobuf writes.

#include "headrace/message.h"

#include <string>

#include "google/protobuf/io/coded_stream.h"
#include "google/protobuf/io/zero_copy_stream_impl_lite.h"
#include "tests/naive/example.pb.h"
#include "tests/random/random_example.h"
#include "tests/support/example_builder.h"
#include "tests/support/matchers.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {
namespace {

// A Message does not say that features without any were there.
void DropEmpty(tf::train::Example* example) {
  if (example->features().feature().empty()) example->clear_features();
}
void DropEmpty(tf::train::SequenceExample* example) {
  if (example->context().feature().empty()) example->clear_context();
}

// With the keys of its maps in order.
template <class Proto>
std::string WrittenByProtobuf(const std::string& record) {
  Proto message;
  EXPECT_TRUE(message.ParseFromString(record));
  DropEmpty(&message);
  std::string out;
  google::protobuf::io::StringOutputStream stream(&out);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  EXPECT_TRUE(message.SerializeToCodedStream(&coded));
  coded.Trim();
  return out;
}

template <class Proto>
void ExpectWrittenAsByProtobuf(const std::string& record, MessageType type) {
  const auto message = OrThrow(ParseMessage(record, type));
  EXPECT_EQ(message.type, type);
  const auto written = OrThrow(SerializeMessage(message));
  EXPECT_EQ(written, WrittenByProtobuf<Proto>(record));
}

TEST(Message, IsWrittenAsByProtobuf) {
  RandomExample random(91, {.plain = true});
  for (int i = 0; i < 200; ++i) {
    ExpectWrittenAsByProtobuf<tf::train::Example>(random.Next(),
                                                  MessageType::kExample);
    ExpectWrittenAsByProtobuf<tf::train::SequenceExample>(
        random.NextSequence(), MessageType::kSequence);
  }
}

TEST(Message, FeatureListsMayBeEmpty) {
  const std::string record = FeatureListsField("");
  const auto message = OrThrow(ParseMessage(record, MessageType::kSequence));
  EXPECT_TRUE(message.has_feature_lists);
  EXPECT_EQ(*SerializeMessage(message), record);
  EXPECT_EQ(*SerializeMessage({.type = MessageType::kSequence}), "");
  EXPECT_EQ(*SerializeMessage({.has_feature_lists = true}), "");
}

TEST(Message, ListsOfAnExampleAreNotWritten) {
  const Message message{.feature_lists = {{"a", {Feature()}}}};
  EXPECT_EQ(*SerializeMessage(message), "");
}

TEST(Message, KeysAreText) {
  const Message features{.features = {{"\xFF", Feature()}}};
  EXPECT_EQ(SerializeMessage(features).status().code(),
            ErrorCode::kInvalidArgument);
  const Message lists{.type = MessageType::kSequence,
                      .feature_lists = {{"\xFF", {}}}};
  EXPECT_EQ(SerializeMessage(lists).status().code(),
            ErrorCode::kInvalidArgument);
}

// Only an entry of a whole SequenceExample counts.
TEST(Message, HasFeatureLists) {
  const std::string entry = FeatureListsField(EntryField("", ""));
  const std::string example = ExampleBuilder().Int64s("a", {1}).Build();
  EXPECT_FALSE(HasFeatureLists(""));
  EXPECT_FALSE(HasFeatureLists(example));
  EXPECT_FALSE(HasFeatureLists(FeatureListsField("")));
  EXPECT_TRUE(HasFeatureLists(entry));
  EXPECT_TRUE(HasFeatureLists(example + entry + VarintField(2, 1)));
  EXPECT_FALSE(HasFeatureLists(VarintField(2, 1)));
  EXPECT_FALSE(HasFeatureLists(entry + "\x80"));
  EXPECT_FALSE(HasFeatureLists(entry + LenField(2, "song.mid")));
  EXPECT_FALSE(HasFeatureLists(LenField(1, "/id/file0") + entry));
  EXPECT_FALSE(HasFeatureLists(LenField(2, Fixed64Field(3, 0))));
}

}  // namespace
}  // namespace headrace::testing
