// Nests the values of columns and tensors in lists, and makes schemas.

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

// The struct column whose children are the feature lists.
inline constexpr std::string_view kSequenceStruct = "##SEQUENCE##";
// The column that is a list of structs: the Examples of a list.
inline constexpr std::string_view kExamplesList = "examples";

// The parts of a plan that determine the types. Tests make one by hand.
struct PlanFields {
  std::span<const ColumnField> columns = {};
  std::span<const TensorField> tensors = {};
  bool has_sequence_struct = false;
  // A row is one value, a raw record, not a list of values, and is never null.
  bool is_raw = false;
  // Feature lists are features of the Examples of a list, and their struct is a
  // list of structs.
  bool is_list = false;
};

// Returns the fields of a plan; they live as long as any copy of the plan.
PlanFields FieldsOf(const Plan& plan);

// The size of lists that differ in size.
inline constexpr int32_t kVariable = -1;

// Returns the sizes of the lists around the single values of a tensor,
// outermost first; kVariable for lists that differ. The lists of a sparse
// tensor hold both values and indices.
std::vector<int32_t> ListSizes(const TensorField& field);
// Returns the number of lists, all kVariable, around the values of a column.
size_t ListDepth(Kind kind, bool in_sequence, bool is_raw);

// Returns the number of elements, which a plan limits to less than 2^31.
int32_t NumElements(std::span<const int64_t> shape);

// Returns the type of a tensor, with its name.
Field TensorType(const TensorField& field, BytesAs bytes_as);

// Makes a struct whose children are the columns or tensors, and last, if the
// plan has it, the struct of the feature lists. Returns kInvalidArgument for a
// name that is not UTF-8, which Arrow cannot hold.
Result<Field> MakeSchema(const PlanFields& fields, const ArrowOptions& options);

// Makes the child for one column or tensor. Also returns kInvalidArgument for
// an index that is out of range.
Result<Field> MakeField(const PlanFields& fields, size_t index,
                        const ArrowOptions& options);

// Returns kInvalidArgument if `index` is not below `count`.
Status CheckIndex(size_t index, size_t count);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_LAYOUT_H_
