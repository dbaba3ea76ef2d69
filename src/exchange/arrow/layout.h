// Single values of a column or tensor are nested in lists, from which the
// schema follows.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_LAYOUT_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/exchange/arrow/type.h"

namespace headrace::arrow {

// This struct column's children are the feature lists.
inline constexpr std::string_view kSequenceStruct = "##SEQUENCE##";
// This column is a list of structs: the Examples of a list.
inline constexpr std::string_view kExamplesList = "examples";

// These parts of a plan give the types. Tests make one by hand.
struct PlanFields {
  std::span<const ColumnField> columns = {};
  std::span<const TensorField> tensors = {};
  bool has_sequence_struct = false;
  // Raw records are values of the rows, not lists of them, and never null.
  bool is_raw = false;
  // Feature lists are features of the Examples of a list, and their struct is a
  // list of structs.
  bool is_list = false;
};

// They live as long as any copy of the plan.
PlanFields FieldsOf(const Plan& plan);

// Lists of this size are not all of one size.
inline constexpr int32_t kVariable = -1;

// The lists around the single values of a tensor are given outermost first, as
// their size or kVariable. For a sparse tensor they hold both values and
// indices.
std::vector<int32_t> ListSizes(const TensorField& field);
// A column has so many lists, all kVariable, around its values.
size_t ListDepth(Kind kind, bool in_sequence, bool is_raw);

// A plan bounds the number by 2^31.
int32_t NumElements(std::span<const int64_t> shape);

// The type has the name of the tensor.
Field TensorType(const TensorField& field, BytesAs bytes_as);

// Makes a struct whose children are the columns or tensors, and last, where the
// plan has it, the struct of the feature lists. Fails with kInvalidArgument for
// a name that is not UTF-8, which Arrow cannot carry.
Result<Field> MakeSchema(const PlanFields& fields, const ArrowOptions& options);

// Makes the child for one column or tensor. Fails with kInvalidArgument also
// for an index that none has.
Result<Field> MakeField(const PlanFields& fields, size_t index,
                        const ArrowOptions& options);

// Somebody asks for one of `count` columns or tensors.
Status CheckIndex(size_t index, size_t count);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_LAYOUT_H_
