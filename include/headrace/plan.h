// Plan: what to decode, compiled once and applied to every record.
//
// Immutable and cheap to copy; may be used from any number of threads at once.

#ifndef HEADRACE_PLAN_H_
#define HEADRACE_PLAN_H_

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

namespace plan {
class Program;
}

// One column: the key on the wire, which is also the column's name, and the
// kind that every record must have there. Kind::kNull is a column of which no
// value is known to exist: all its rows are null.
struct ColumnField {
  std::string name = {};
  Kind kind = Kind::kNull;
  // A feature list: list<list<T>>, a child of the struct column ##SEQUENCE##.
  bool in_sequence = false;

  bool operator==(const ColumnField&) const = default;
};

// One tensor of a spec, in the order of its features.
struct TensorField {
  NamedFeature feature = {};
  bool in_sequence = false;  // made of a feature list

  bool operator==(const TensorField&) const = default;
};

class Plan {
 public:
  // No columns of Examples: records are checked and their rows counted.
  Plan();
  // There is no move: a plan is never without what it decodes.
  Plan(const Plan&) = default;
  Plan& operator=(const Plan&) = default;

  // The tensors of a spec: of its features, then of its feature lists.
  //
  // kBadSpec, with the feature and the rule of docs/semantics.md, for
  // everything that can be known to be wrong before the first record.
  static Result<Plan> Compile(const FeatureSpec& spec);

  // One list column a feature, in the order given: null where a record does
  // not have the feature or it is unset, empty where its list is empty. A
  // record that holds another kind there is an error of class kWrongKind.
  //
  // Feature lists come last: null where the record does not have the list; a
  // step that is unset is null, one whose list is empty is empty. They make
  // the message kSequence.
  //
  // kBadSpec for a name given twice or one that is not UTF-8 (no record can
  // have such a key). No column at all is fine: rows are still counted.
  static Result<Plan> ForColumns(std::vector<ColumnField> columns);
  // As above for the message given; with `sequence_struct` there is a struct
  // column ##SEQUENCE## even if it has no children.
  static Result<Plan> ForColumns(std::vector<ColumnField> columns,
                                 MessageType message, bool sequence_struct);

  // One column a feature of the schema, in its order, as tfx_bsl's decoders
  // make them: of a SequenceExample the children of ##SEQUENCE## are feature
  // lists, all other features are context. kBadSpec for a feature without a
  // type, or with one that the message does not have.
  //
  // kAuto is kSequence for a schema with a STRUCT ##SEQUENCE##, otherwise
  // kExample.
  static Result<Plan> ForColumnsOf(const Schema& schema,
                                   MessageType message = MessageType::kAuto);

  // Records as they are, of message kRaw: one column "payload" of kind bytes,
  // one value a row, never null. Payloads are not looked into, so any bytes
  // do. In Arrow the column is plain `binary`, without a list around it.
  static Plan ForRaw();

  // The tensors that tfx_bsl's TensorAdapter makes of these columns: those of
  // Schema::Representations; first the ones of features, then the ones of
  // feature lists. Every row is checked on its own. All features of the schema
  // are decoded, also those of no tensor; Schema::Project leaves some out.
  static Result<Plan> Compile(const Schema& schema,
                              const SchemaOptions& options = {},
                              MessageType message = MessageType::kAuto);

  // The plan of the columns of these names alone, in the order given, feature
  // lists last. A name that a feature and a feature list share stands for both.
  // This plan stays as it is, and what it was to report of other keys is not
  // reported by the new one.
  //
  // kInvalidArgument, with the name and a similar one, for a name that no
  // column has, so for any name where this plan is one of tensors, or of raw
  // records, whose payload is whole. kBadSpec for a name given twice.
  Result<Plan> Select(std::span<const std::string> names) const;

  // Empty for a plan of tensors.
  const std::vector<ColumnField>& columns() const;
  // Empty for a plan of columns.
  const std::vector<TensorField>& tensors() const;
  // Whether there is a struct column ##SEQUENCE##.
  bool has_sequence_struct() const;
  MessageType message() const;

  // For people: one line a column or tensor.
  std::string ToString() const;

 private:
  friend class plan::Program;
  explicit Plan(std::shared_ptr<const plan::Program> program)
      : program_(std::move(program)) {}

  std::shared_ptr<const plan::Program> program_;
};

}  // namespace headrace

#endif  // HEADRACE_PLAN_H_
