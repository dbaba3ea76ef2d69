// Random specs of lists of Examples, and lists that mostly fit them, in every
// spelling that the wire format allows.

#ifndef HEADRACE_TESTS_RANDOM_RANDOM_LISTS_H_
#define HEADRACE_TESTS_RANDOM_RANDOM_LISTS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/types.h"
#include "tests/random/random_example.h"
#include "tests/random/random_tensors.h"

namespace headrace::testing {

class RandomLists {
 public:
  explicit RandomLists(uint64_t seed) : random_(seed), tensors_(seed + 1) {}

  // `message` is kElwc or kExampleInExample.
  FeatureSpec NextSpec(MessageType message);
  // A record for the spec.
  std::string NextRecord(const FeatureSpec& spec);
  // A list by kElwc of these messages, or by kExampleInExample.
  static std::string ListOf(const std::string& context,
                            const std::vector<std::string>& examples,
                            MessageType message);

 private:
  std::string InPieces(const std::string& context,
                       const std::vector<std::string>& examples);

  Random random_;
  RandomTensors tensors_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RANDOM_LISTS_H_
