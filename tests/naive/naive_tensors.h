// The obvious slow way from records to tensors: what every faster one is
// compared with.
//
// Written from the rules of docs/semantics.md, one row after another, on top of
// the naive decoder's messages. Shares no code with the library; only the names
// of kinds, errors and spec fields.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_TENSORS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_TENSORS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/batch.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "tests/naive/naive_decoder.h"
#include "tests/naive/naive_rows.h"

namespace headrace::testing {

struct NaiveTensor {
  std::string name = {};
  bool in_sequence = false;
  TensorKind kind = TensorKind::kDense;
  std::vector<int64_t> shape = {};  // as Tensor::shape
  NaiveFeature values = {};         // flat; its kind is the dtype
  std::vector<int64_t> indices = {};
  std::vector<std::vector<int64_t>> row_splits = {};
  bool int64_splits = false;
  std::vector<int64_t> lengths = {};

  bool operator==(const NaiveTensor&) const = default;
};

// An error, or tensors in the order of the spec.
struct NaiveTensors {
  // Which classes may be reported, and for each which features may be named; an
  // empty set where nothing is known of the feature.
  NaiveErrors errors;
  uint64_t record = kUnknown;

  size_t num_rows = 0;
  std::vector<NaiveTensor> tensors;

  bool ok() const { return errors.empty(); }
  bool operator==(const NaiveTensors&) const = default;
};

// The tensors of all records, or the errors of the lowest bad one. The spec
// must be one that Plan::Compile takes. FeatureConfig::as is not understood:
// throws std::runtime_error.
NaiveTensors NaiveDecodeTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec);

// As above for tensors of the columns of a schema (rule I15): `spec` is that of
// its tensors, and every column has to be of its kind.
NaiveTensors NaiveSchemaTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec,
                                std::span<const ColumnField> columns);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_TENSORS_H_
