// ExampleBuilder makes the bytes of an Example, a SequenceExample or a list of
// Examples, feature by feature, in the order given. SerializeMessage sorts;
// sample data also needs records whose keys come in any order, and many of
// them.

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
  // Each adds one feature; the key must be new.
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

  // What was added so far is one of the Examples of a list, whose context is
  // added after them.
  void EndExample();

  // So many features were given.
  size_t num_features() const { return entries_.size(); }
  // The feature must have a key of less than 128 bytes.
  std::string_view key(size_t i) const;
  void Swap(size_t a, size_t b) { entries_[a].swap(entries_[b]); }
  void Drop(size_t i) {
    entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(i));
  }

  // The builder is empty afterwards.
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
