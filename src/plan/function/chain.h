// A Chain is the functions of a feature's `map`, compiled. It takes values of
// records and returns ids, integers or floats.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_CHAIN_H_
#define HEADRACE_SRC_PLAN_FUNCTION_CHAIN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "headrace/status.h"
#include "headrace/types.h"
#include "headrace/variant.h"
#include "src/plan/function/vocabulary.h"

namespace headrace::function {

// Fingerprint64 of bytes, or of an integer's decimal text, modulo `buckets`,
// which is in [1, 2^63).
struct Hash {
  uint64_t buckets = 0;
};

// The line of bytes or of an integer in a vocabulary. Exactly one of the other
// members says what a key becomes that is not there: its Hash, in buckets after
// all lines or before the first one, or `default_id`.
struct LookUp {
  std::shared_ptr<const Vocabulary> vocabulary = nullptr;
  uint64_t oov_buckets = 0;
  bool oov_first = false;  // lines begin at the number of buckets
  std::optional<int64_t> default_id = std::nullopt;
};

// The number of boundaries that are not above a number. They ascend.
struct Bucketize {
  std::vector<float> boundaries;
};

// A number, but at least `lo` and at most `hi`. Bounds of integers are int64_t;
// those of floats may be either.
struct Clip {
  using Bound = Variant<int64_t, float>;
  Bound lo;
  Bound hi;
};

// log(1 + x).
struct Log1p {};

// (x - mean) / std.
struct Scale {
  float mean = 0;
  float std = 1;
};

using Function = Variant<Hash, LookUp, Bucketize, Clip, Log1p, Scale>;

// Immutable, so any number of threads may apply it at a time. Copies share
// vocabularies.
class Chain {
 public:
  // `input` is kBytes, kFloat or kInt64. Fails with kBadSpec if there is no
  // function, if one does not take what the one before it returns (rule B10),
  // or if its parameters are wrong; the text names the function.
  static Result<Chain> Compile(DType input, std::vector<Function> functions);

  DType input() const { return input_; }
  DType output() const { return output_; }  // kInt64 or kFloat
  const std::vector<Function>& functions() const { return functions_; }

  // Fails with kBadSpec if `as` cannot hold all results. Floats that are too
  // large for 16 bits become infinite and are no failure. If `exact`, no
  // integer may be rounded.
  Status CheckFits(DType as, bool exact) const;

  // Fails with kBadSpec if the result of one of these values of type input()
  // does not fit `as`; a finite one must not become infinite.
  Status CheckDefaults(const void* values, size_t count, DType as,
                       bool exact) const;

  // Stores in `out` the results of `count` values of type input(): int64_t or
  // float by output(). The two must not overlap. Allocates nothing and never
  // fails; the same value always has the same result.
  void Apply(const void* values, size_t count, void* out) const;

 private:
  Chain(DType input, DType output, std::pair<int64_t, int64_t> range,
        std::vector<Function> functions)
      : input_(input),
        output_(output),
        range_(range),
        functions_(std::move(functions)) {}

  void ApplyToBlock(const void* values, size_t count, void* out) const;

  DType input_;
  DType output_;
  std::pair<int64_t, int64_t> range_;  // of kInt64: least and largest result
  std::vector<Function> functions_;
};

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_CHAIN_H_
