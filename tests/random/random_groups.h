// Random specs with matrix and jagged groups, and records that mostly fit them.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_GROUPS_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_GROUPS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/types.h"
#include "tests/random/mutator.h"
#include "tests/random/random_example.h"

namespace headrace::testing {

// Vocabularies of these files are used, too: of words, and of numbers.
struct VocabularyFiles {
  std::string words = {};
  std::string numbers = {};

  // What the files have to contain; the second line of each ends with CR LF.
  static std::string_view WordLines();
  static std::string_view NumberLines();
};

// Specs that Plan::Compile takes, except for a few whose functions or defaults
// do not suit their group (NaiveGroupsFit).
class RandomGroupSpecs {
 public:
  explicit RandomGroupSpecs(uint64_t seed, VocabularyFiles files = {})
      : random_(seed), files_(std::move(files)) {}

  FeatureSpec Next();

 private:
  FeatureConfig Group();
  NamedFeature Member(const FeatureConfig& group, size_t number,
                      bool must_weigh);
  FeatureConfig MatrixMember(const FeatureConfig& group, std::string* key);
  FeatureConfig JaggedMember(const FeatureConfig& group, bool must_weigh,
                             std::string* key);
  FeatureConfig Fixed(DType dtype, const std::string& key);
  void AddPlain(FeatureSpec* spec);
  void SetKey(const std::string& key, NamedFeature* member);
  DType RandomType(const FeatureConfig& group);
  std::string KeyOf(DType dtype);
  int64_t WidthOf(const std::string& key);
  DefaultValues Default(DType dtype, int64_t count);
  std::vector<ValueFunction> Chain(DType dtype);
  ValueFunction Function(DType type);
  Vocabulary RandomVocabulary(DType dtype);

  Random random_;
  VocabularyFiles files_;
  MessageType message_ = MessageType::kExample;
  std::map<std::string, int64_t> widths_;
  // How features without `column` read a key, of the context and of feature
  // lists (S9).
  std::map<std::pair<bool, std::string>, Layout> ways_;
  std::set<std::string> names_;
  size_t num_arrays_ = 0;
};

// Records for a spec with groups, in many spellings. The calm ones all fit, and
// are written alike; of the others a third is missing something, has too much
// of it, or is damaged.
class RandomGroupRecords {
 public:
  RandomGroupRecords(const FeatureSpec& spec, uint64_t seed);

  std::string Next(bool calm);

 private:
  // What features expect of a key.
  struct Use {
    DType dtype = DType::kInt64;
    std::optional<int64_t> width = {};
    std::vector<std::string> words = {};
    std::vector<int64_t> numbers = {};
    std::vector<float> floats = {};
    FeatureConfig array = {};  // the feature whose values hold arrays
    std::string weights = {};  // the key of the weights of this one's values
    bool is_weight = false;
  };
  using Uses = std::map<std::string, Use>;

  void AddUse(const NamedFeature& feature, bool in_sequence);
  void AddFunction(const ValueFunction& function, Use* use);
  size_t CountFor(const Use& use, bool calm);
  std::string Value(const Use& use, size_t count, bool calm);
  std::string Context(bool calm);
  std::string Lists(bool calm);
  std::string Joined(std::vector<std::string> entries, bool calm);
  int64_t Int(const Use& use, bool calm);
  float Float(const Use& use, bool calm);
  std::string Bytes(const Use& use);
  std::string Array(const FeatureConfig& config);

  Random random_;
  Mutator mutator_;
  RandomExample spellings_;
  MessageType message_;
  Uses context_;
  Uses lists_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_GROUPS_H_
