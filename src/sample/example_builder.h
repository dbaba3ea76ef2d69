// ExampleBuilder makes the bytes of an Example, a SequenceExample or a list of
// Examples, feature by feature, in the order of the calls. Sample data needs
// many records, with keys in any order, while SerializeMessage sorts the keys.

#ifndef HEADRACE_SRC_SAMPLE_EXAMPLE_BUILDER_H_
#define HEADRACE_SRC_SAMPLE_EXAMPLE_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headrace::sample {

class ExampleBuilder {
 public:
  // Each of these adds one feature; the key must be new.
  void Int64s(std::string_view key, std::span<const int64_t> values);
  void Int64(std::string_view key, int64_t value) { Int64s(key, {&value, 1}); }
  void Floats(std::string_view key, std::span<const float> values);
  void Float(std::string_view key, float value) { Floats(key, {&value, 1}); }
  void Bytes(std::string_view key, std::span<const std::string> values);
  void Bytes(std::string_view key, std::string_view value);
  void Unset(std::string_view key);

  // Between BeginSteps and EndSteps each call above, with an empty key, adds a
  // step to the feature list.
  void BeginSteps(std::string_view key);
  void EndSteps();

  // Makes what was added so far the next Example of a list. The context of the
  // list is added after its Examples.
  void EndExample();

  // Counts the features of the current message.
  size_t num_features() const { return entries_.size(); }
  // Returns the key of feature `i`, which must have fewer than 128 bytes.
  std::string_view key(size_t i) const;
  void Swap(size_t a, size_t b) { entries_[a].swap(entries_[b]); }
  void Drop(size_t i) {
    entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
  }

  // Returns the message and empties the builder.
  std::string Finish();

 private:
  void Add(std::string_view key, std::string_view feature);

  std::vector<std::string> entries_;  // of the map of features
  std::string lists_;                 // entries of the map of feature lists
  std::string list_key_;
  std::string steps_;
  bool in_steps_ = false;
  bool has_lists_ = false;
  std::string examples_;  // of a list
};

}  // namespace headrace::sample

#endif  // HEADRACE_SRC_SAMPLE_EXAMPLE_BUILDER_H_
