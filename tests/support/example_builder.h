// These write tf.train.Example and SequenceExample by wire_writer.h, field by
// field and in any encoding, odd and broken ones included. So they share
// nothing with the ExampleBuilder of src/sample, which writes canonical records
// fast.

#ifndef HEADRACE_TESTS_SUPPORT_EXAMPLE_BUILDER_H_
#define HEADRACE_TESTS_SUPPORT_EXAMPLE_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/types.h"

namespace headrace::testing {

// Field numbers have names here.
inline constexpr uint32_t kExampleFeatures = 1;  // also SequenceExample.context
inline constexpr uint32_t kSequenceFeatureLists = 2;
inline constexpr uint32_t kMapEntry = 1;  // of Features and FeatureLists
inline constexpr uint32_t kEntryKey = 1;
inline constexpr uint32_t kEntryValue = 2;
inline constexpr uint32_t kListValue = 1;        // of the three lists
inline constexpr uint32_t kFeatureListStep = 1;  // of FeatureList
inline constexpr uint32_t kUnknownField = 15;    // no message here has it
inline constexpr uint32_t kUnknownLargeField = 1000;

// These are contents of a list message.
std::string BytesValues(const std::vector<std::string>& values);
std::string PackedFloats(const std::vector<float>& values);
std::string UnpackedFloats(const std::vector<float>& values);
std::string PackedInt64s(const std::vector<int64_t>& values);
std::string UnpackedInt64s(const std::vector<int64_t>& values);

// A Feature contains a list of the kind, given by its content. kNull is the
// empty Feature.
std::string FeatureOf(Kind kind, std::string_view list);

// These features are whole and canonical.
std::string BytesFeature(const std::vector<std::string>& values);
std::string FloatFeature(const std::vector<float>& values);
std::string Int64Feature(const std::vector<int64_t>& values);

// The map entry is a field of Features (or FeatureLists), tag and all.
std::string EntryField(std::string_view key, std::string_view value);

// Entry fields make an Example (or a SequenceExample with context alone).
std::string ExampleOf(std::string_view entry_fields);
// Entries make the feature_lists field of a SequenceExample.
std::string FeatureListsField(std::string_view entry_fields);
// Each step is the content of a Feature.
std::string FeatureListOf(const std::vector<std::string>& steps);

// This makes a plain record:
//   ExampleBuilder().Int64s("a", {1, 2}).Bytes("b", {"x"}).Build()
class ExampleBuilder {
 public:
  ExampleBuilder& Int64s(std::string_view key, std::vector<int64_t> values);
  ExampleBuilder& Floats(std::string_view key, std::vector<float> values);
  ExampleBuilder& Bytes(std::string_view key, std::vector<std::string> values);
  // The key is there, but no list is set.
  ExampleBuilder& Unset(std::string_view key);
  // The content is as the caller wrote it.
  ExampleBuilder& Feature(std::string_view key, std::string_view content);
  // The bytes stand among the map entries.
  ExampleBuilder& Raw(std::string_view bytes);

  std::string Build() const { return ExampleOf(entries_); }

 private:
  std::string entries_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_EXAMPLE_BUILDER_H_
