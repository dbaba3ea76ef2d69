// Random records that are right: every layout, order and spelling that the
// wire format allows, many of which no writer would choose.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_EXAMPLE_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_EXAMPLE_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"

namespace headrace::testing {

// The same numbers for the same seed on every machine: the standard's
// distributions do not promise that, its engines do.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  uint64_t Bits() { return engine_(); }
  // In [0, bound); bound > 0. The bias does not matter here.
  size_t Below(size_t bound) { return static_cast<size_t>(Bits() % bound); }
  bool OneIn(size_t n) { return Below(n) == 0; }
  // Integers of all widths alike.
  int64_t Int64();
  std::string Bytes(size_t size);
  template <class T>
  const T& Pick(const std::vector<T>& items) {
    return items[Below(items.size())];
  }

 private:
  std::mt19937_64 engine_;
};

struct RandomExampleOptions {
  // Writes as TensorFlow does: canonical spelling, one entry a key, packed
  // numbers. Off, everything allowed happens.
  bool plain = false;
  // Keep each key to one kind, so that records make columns.
  bool one_kind_a_key = true;
  size_t max_features = 6;
  size_t max_values = 12;
};

class RandomExample {
 public:
  RandomExample(uint64_t seed, const RandomExampleOptions& options)
      : random_(seed), options_(options) {}

  // A serialized Example.
  std::string Next();
  // A serialized SequenceExample: an Example's features as the context, and
  // feature lists of the same keys and kinds.
  std::string NextSequence();

  // Of all keys ever used, with their kinds when each has one.
  static const std::vector<std::string>& Keys();
  static Kind KindOfKey(size_t key);
  // All keys as columns of their kinds.
  static std::vector<ColumnField> Columns(bool in_sequence = false);

  // List contents of `count` values in a random layout.
  std::string List(Kind kind, size_t count);

 private:
  std::string Entry();
  // The feature_lists field, or several that merge; at times none.
  std::string FeatureLists();
  std::string FeatureListEntry();
  Kind RandomKind(size_t key);
  std::string Feature(Kind kind);
  std::string Int64List(size_t count);
  std::string FloatList(size_t count);
  // A field as LenField, but at times spelled longer than needed.
  std::string Len(uint32_t field, std::string_view payload);
  // Mostly nothing, at times an unknown field.
  std::string Noise();

  Random random_;
  RandomExampleOptions options_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_EXAMPLE_H_
