// Every faster way from records to tensors is compared with this obvious slow
// one.
//
// It is written from the rules of docs/semantics.md, one row after another, on
// top of the naive decoder's messages. It shares no code with the library; only
// the names of kinds, errors and spec fields.

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

// Tensors are in the order of the spec, or there is an error.
struct NaiveTensors {
  // Any of these classes may be reported, and for each any of these features
  // named; an empty set where nothing is known of the feature.
  NaiveErrors errors;
  uint64_t record = kUnknown;

  size_t num_rows = 0;
  std::vector<NaiveTensor> tensors;

  bool ok() const { return errors.empty(); }
  bool operator==(const NaiveTensors&) const = default;
};

// Gives the tensors of all records, or the errors of the lowest bad one.
// Plan::Compile must take the spec.
NaiveTensors NaiveDecodeTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec);

// The tensors are those of a schema's columns (rule I15): `spec` is that of its
// tensors, and every column has to be of its kind.
NaiveTensors NaiveSchemaTensors(std::span<const std::string_view> records,
                                const FeatureSpec& spec,
                                std::span<const ColumnField> columns);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_TENSORS_H_
