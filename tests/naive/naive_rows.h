// The first half of the naive way to tensors finds what single records give a
// tensor of a spec, and what is wrong with them.

#ifndef HEADRACE_TESTS_NAIVE_NAIVE_ROWS_H_
#define HEADRACE_TESTS_NAIVE_NAIVE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "tests/naive/naive_decoder.h"
#include "tests/naive/naive_ragged.h"

namespace headrace::testing {

// Each class that was found has the features at fault.
using NaiveErrors = std::map<ErrorCode, std::set<std::string>>;

struct NaiveRow {
  // The context has one step.
  std::vector<NaiveFeature> steps = {};
  // sparse: these are those of steps[0], without the row itself.
  std::vector<int64_t> indices = {};
  // ragged: each step has the lengths of each dimension, outermost first.
  std::vector<std::vector<std::vector<int64_t>>> lengths = {};
};

Kind KindOf(DType dtype);
// Values of the feature's tensor are kept as this; naive_convert.h.
Kind TensorKindOf(const FeatureConfig& config);
int64_t Product(const std::vector<int64_t>& shape);
void Append(const NaiveFeature& from, NaiveFeature* to);
NaiveFeature Slice(const NaiveFeature& from, size_t begin, size_t end);
// FeatureConfig::default_values must be there.
NaiveFeature DefaultOf(const FeatureConfig& config);

// The rules are those of a spec of an Example, of one of a SequenceExample, or
// of the columns of a schema.
enum class RowRules { kExample, kSequence, kSchema };

class NaiveRows {
 public:
  NaiveRows(const NamedFeature& feature, bool in_sequence, RowRules rules);

  // A record's checks are in the order in which classes are reported. A later
  // one is only made if those before found nothing in any feature.
  void CheckKinds(const NaiveMessage& message, NaiveErrors* errors) const;
  void CheckCounts(const NaiveMessage& message, NaiveErrors* errors) const;
  void CheckMissing(const NaiveMessage& message, NaiveErrors* errors) const;
  // Features of a group are compared with the first one, if both have a length.
  void CheckGroup(const NaiveMessage& message, const NaiveRows& first,
                  NaiveErrors* errors) const;
  // Keeps the row if nothing is wrong.
  void TakeRow(const NaiveMessage& message, NaiveErrors* errors);

  const NamedFeature& feature() const { return feature_; }
  bool in_sequence() const { return in_sequence_; }
  const std::vector<NaiveRow>& rows() const { return rows_; }

 private:
  struct Cell;

  const FeatureConfig& config() const { return feature_.config; }
  bool HasDefault() const;
  Cell CellOf(const NaiveMessage& message, const std::string& key) const;
  void CheckKind(const NaiveMessage& message, const std::string& key, Kind kind,
                 NaiveErrors* errors) const;
  bool CountFits(const Cell& cell, const NaiveFeature& step) const;
  bool IsMissing(const Cell& cell) const;
  bool BytesFit(const NaiveFeature& step) const;
  void CheckTensorTypes(const NaiveFeature& step, NaiveErrors* errors) const;
  NaiveFeature TensorValues(const NaiveFeature& step) const;
  NaiveRagged CutStep(const NaiveMessage& message, size_t step) const;
  std::optional<int64_t> LengthOf(const NaiveMessage& message) const;
  bool TakeIndices(const NaiveMessage& message, NaiveRow* row) const;
  bool HasAllSteps(const NaiveMessage& message, const Cell& cell) const;
  bool TakePartitions(const NaiveMessage& message, NaiveRow* row) const;

  NamedFeature feature_;
  bool in_sequence_;
  RowRules rules_;
  Kind kind_;
  std::vector<NaiveRow> rows_;
};

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_NAIVE_NAIVE_ROWS_H_
