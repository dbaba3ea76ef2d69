// Random feature specs, and records that mostly fit them: values drawn blindly
// would hardly ever make a valid partition.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_TENSORS_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_TENSORS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/types.h"
#include "tests/random/random_example.h"

namespace headrace::testing {

class RandomTensors {
 public:
  explicit RandomTensors(uint64_t seed)
      : random_(seed), values_(seed + 1, {.max_values = 6}) {}

  // A spec that Plan::Compile takes, over the keys of RandomExample and some
  // more of kind int64. `message` is kExample or kSequence.
  FeatureSpec NextSpec(MessageType message);

  // A record for the spec. About two thirds fit it in everything.
  std::string NextRecord(const FeatureSpec& spec);

 private:
  // Unused keys of each kind.
  using Pool = std::array<std::vector<std::string>, 4>;
  // Feature contents by key: of the context, or of one step.
  using Step = std::map<std::string, std::string>;

  void AddFeatures(bool in_sequence, FeatureSpec* spec);
  void Add(std::string name, FeatureConfig config, bool in_sequence,
           FeatureSpec* spec);
  FeatureConfig RandomConfig(Layout layout, Kind kind, bool in_sequence,
                             MessageType message, Pool* pool);
  FeatureConfig RandomFixedLen(DType dtype, MessageType message);
  FeatureConfig RandomSequence(DType dtype, bool in_sequence);
  FeatureConfig RandomVarLen(DType dtype, bool in_sequence);
  FeatureConfig RandomSparse(DType dtype, Pool* pool);
  FeatureConfig RandomRagged(DType dtype, Pool* pool);
  FeatureConfig RandomArrays(DType dtype, Pool* pool);
  void RandomShape(FeatureConfig* config);
  void RandomCast(DType dtype, FeatureConfig* config);
  void RandomMap(DType dtype, FeatureConfig* config);
  Layout RandomLayout(bool in_sequence, MessageType message);
  DefaultValues RandomDefault(DType dtype, size_t count);
  Pool AllKeys() const;
  // A key of the pool, which is then used; a new one where it has none.
  std::string Take(Kind kind, Pool* pool);

  void FillStep(const NamedFeature& feature, bool in_sequence, Step* step);
  void FillRagged(const NamedFeature& feature, Step* step);
  void FillArrays(const FeatureConfig& config, const std::string& key,
                  size_t count, Step* step);
  // The bytes of an array of the tensor's type.
  std::string Array(const FeatureConfig& config,
                    const std::vector<int64_t>& shape);
  Encoding RandomEncoding();
  std::string FeatureLists(const FeatureSpec& spec);
  std::string Values(Kind kind, size_t count);
  std::string Int64s(std::vector<int64_t> values);
  std::vector<int64_t> PartitionList(PartitionType type,
                                     const std::vector<int64_t>& lengths);
  // Changes one feature so that it may no longer fit.
  void Spoil(Step* step);
  std::string Entries(const Step& step);

  Random random_;
  RandomExample values_;
  size_t spares_ = 0;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_TENSORS_H_
