// ValueCounter counts how often each value of a feature occurs, and makes
// vocabularies of the most frequent ones.

#ifndef HEADRACE_SRC_EXCHANGE_VOCABULARY_VALUE_COUNTER_H_
#define HEADRACE_SRC_EXCHANGE_VOCABULARY_VALUE_COUNTER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "headrace/batch.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

// Default memory of a ValueCounter, in bytes.
inline constexpr uint64_t kVocabularyMemory = uint64_t{1} << 30;

// Returns the index of the column whose values make the vocabulary of `name`:
// that of the feature or, if there is none, of the feature list of this name.
// "##SEQUENCE##.x" is the feature list "x" even if there is a feature "x".
// kInvalidArgument if there is none, with similar names. kWrongKind if the
// values are neither bytes nor int64, or the kind is not known.
Result<size_t> VocabularyColumn(const Plan& plan, const std::string& name);
// Returns the name that Plan::Select takes for such a name.
std::string NameOfVocabularyFeature(const std::string& name);

struct VocabularyKey {
  std::string_view bytes = {};  // of kBytes; the counter has the bytes
  int64_t int64 = 0;            // of kInt64
  uint64_t count = 0;           // number of values that are this key
};

// Distinct values that are frequent enough, but that no vocabulary can have.
struct LeftOutKeys {
  // "empty", "line_feed" (has one), "carriage_return" (ends with one), or
  // "compressed" (as the first line, it would make the file begin like gzip or
  // zstd).
  std::string_view reason;
  uint64_t keys = 0;
  uint64_t values = 0;  // the sum of their counts
};

struct VocabularyKeys {
  Kind kind = Kind::kBytes;
  std::vector<VocabularyKey> keys = {};  // in the order of the lines
  std::vector<LeftOutKeys> left_out = {};

  uint64_t num_values() const;  // the sum of the counts of all keys
};

// Returns a sentence without a period about what was left out of the
// vocabulary, and why; empty if nothing was.
std::string LeftOutText(const VocabularyKeys& keys);

// One thread at a time may use a ValueCounter.
class ValueCounter {
 public:
  // `kind` is kBytes or kInt64. `memory` bounds the bytes of memory of the
  // distinct values and of the list that Keys returns, estimated from their
  // number and their lengths.
  ValueCounter(Kind kind, uint64_t memory);

  // Counts all values of a column of this kind, those of all steps of a feature
  // list. kLimit if the distinct values need more memory. Errors are final.
  Status Add(const Column& column);

  // Returns the values that occur at least `min_count` times, most frequent
  // first, those of equal counts in ascending order (bytes as unsigned bytes),
  // and of these at most `size`. Values that cannot be lines of a vocabulary
  // file take no place. The keys are valid until the next call of Add.
  // kInvalidArgument if there are no such values.
  Result<VocabularyKeys> Keys(uint64_t min_count, uint64_t size) const&;
  Result<VocabularyKeys> Keys(uint64_t min_count, uint64_t size) && = delete;

  Kind kind() const { return kind_; }
  uint64_t num_values() const { return num_values_; }
  uint64_t num_distinct() const { return bytes_.size() + int64s_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view value) const {
      return std::hash<std::string_view>()(value);
    }
  };

  template <class Map, class Value>
  Status AddAll(std::span<const Value> values, Map* counts);
  Status Reserve(uint64_t bytes);

  Kind kind_;
  uint64_t memory_;
  uint64_t used_ = 0;
  uint64_t num_values_ = 0;
  std::unordered_map<std::string, uint64_t, Hash, std::equal_to<>> bytes_;
  std::unordered_map<int64_t, uint64_t> int64s_;
  Status status_;
};

// Returns a key as the text of its line, without the line feed.
std::string VocabularyLine(Kind kind, const VocabularyKey& key);

}  // namespace headrace

#endif  // HEADRACE_SRC_EXCHANGE_VOCABULARY_VALUE_COUNTER_H_
