// Plan: what to decode, compiled once and applied to every record. Make one
// from a spec, a schema or names of columns, for Reader::Open or a Decoder.
//
// A plan never changes, is cheap to copy, and may be used by any number of
// threads.

#ifndef HEADRACE_PLAN_H_
#define HEADRACE_PLAN_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/export.h"
#include "headrace/feature_spec.h"
#include "headrace/schema.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace {

class PlanAccess;

// One column: the key on the wire, which is also the column's name, and the
// kind that it has in every record. kNull is for a key without known values:
// all rows are null.
struct ColumnField {
  std::string name = {};
  Kind kind = Kind::kNull;
  // True for a feature list: list<list<T>>, a child of the struct column
  // ##SEQUENCE##. If the message is kElwc, true for a feature of the Examples
  // of a list.
  bool in_sequence = false;

  bool operator==(const ColumnField&) const = default;
};

// One tensor of a spec. Tensors are in the order of the features of the spec.
struct TensorField {
  NamedFeature feature = {};
  // True for a feature list, and for a feature of the Examples of a list.
  bool in_sequence = false;
  bool in_examples = false;  // true only for a feature of the Examples

  bool operator==(const TensorField&) const = default;
};

// A file of a spec's `vocabulary`, as it was when the plan was compiled.
struct VocabularyFile {
  std::string path = {};
  // An XXH3 of the keys that are used and of their order.
  uint64_t digest = 0;

  bool operator==(const VocabularyFile&) const = default;
};

class HEADRACE_EXPORT Plan {
 public:
  // A plan of Examples without columns: records are checked and counted.
  Plan();
  // There is no move: a moved-from plan would have nothing to decode.
  Plan(const Plan&) = default;
  Plan& operator=(const Plan&) = default;

  // Makes the tensors of a spec: first those of its features, then those of its
  // feature lists. kBadSpec, with the feature and the rule of
  // docs/semantics.md, for a spec that is wrong whatever the records contain.
  static Result<Plan> Compile(const FeatureSpec& spec);

  // Makes one list column per feature, in the order given. A row is null if the
  // record does not have the feature or it is unset, and empty if the list is
  // empty. A record in which the feature has another kind is kWrongKind, a row
  // error.
  //
  // Feature lists come last and make the message kSequence. A row is null if
  // the record does not have the list. An unset step is null; a step with an
  // empty list is empty.
  //
  // kBadSpec for a name given twice, or one that is not UTF-8, which no record
  // can have. The list of columns may be empty: rows are still counted.
  static Result<Plan> ForColumns(std::vector<ColumnField> columns);
  // Does the same for the message given, which may be kElwc. With
  // `sequence_struct` there is a struct column ##SEQUENCE## even if it has no
  // children.
  static Result<Plan> ForColumns(std::vector<ColumnField> columns,
                                 MessageType message, bool sequence_struct);

  // Makes one column per feature of the schema, in its order, as tfx_bsl's
  // decoders do. In a SequenceExample the children of ##SEQUENCE## are feature
  // lists and all other features are context. kAuto is kSequence for a schema
  // with a STRUCT ##SEQUENCE##, otherwise kExample. kBadSpec for a feature
  // without a type, or with one that the message does not have.
  static Result<Plan> ForColumnsOf(const Schema& schema,
                                   MessageType message = MessageType::kAuto);

  // Makes one column `payload` of kind bytes for records of message kRaw, with
  // one value per row, never null. Payloads are not parsed, so any bytes are
  // fine. In Arrow the column is plain `binary`, without a list around it.
  static Plan ForRaw();

  // Makes the tensors that tfx_bsl's TensorAdapter makes of the columns of
  // ForColumnsOf, by Schema::Representations: first those of features, then
  // those of feature lists. Every row is checked on its own. All features of
  // the schema are decoded, even those that no tensor uses; use Schema::Project
  // to keep only those that are needed. kBadSpec as for a spec.
  static Result<Plan> Compile(const Schema& schema,
                              const SchemaOptions& options = {},
                              MessageType message = MessageType::kAuto);

  // Returns the plan of only the named columns, in the order given, feature
  // lists last. A name that a feature and a feature list share selects both.
  // This plan does not change; the new one does not report late keys.
  //
  // kInvalidArgument, with the name and a similar one, for a name that no
  // column has; in a plan of tensors or of raw records, for any name. kBadSpec
  // for a name given twice.
  Result<Plan> Select(std::span<const std::string> names) const;

  // columns() is empty in plans of tensors, tensors() in all other plans.
  const std::vector<ColumnField>& columns() const HEADRACE_LIFETIME_BOUND;
  const std::vector<TensorField>& tensors() const HEADRACE_LIFETIME_BOUND;
  // Returns whether there is a struct column ##SEQUENCE##; for kElwc, whether
  // there is the column `examples`.
  bool has_sequence_struct() const;
  MessageType message() const;
  // Returns the files of vocabularies in the order of the spec. If the spec is
  // compiled again, perhaps on another machine, the plan returns the same
  // values if and only if these are the same.
  std::vector<VocabularyFile> vocabulary_files() const;

  // For people: one line per column or tensor. Plans of other vocabularies have
  // other texts.
  std::string ToString() const;

 private:
  friend class PlanAccess;
  explicit Plan(std::shared_ptr<const void> program)
      : program_(std::move(program)) {}

  // Untyped, because the names of the library's inner namespaces would collide
  // with names in programs that write `using namespace headrace`.
  std::shared_ptr<const void> program_;
};

}  // namespace headrace

#endif  // HEADRACE_PLAN_H_
