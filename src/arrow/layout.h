// How values are nested: the lists around the single values of a column or a
// tensor, and the schema that follows from them.

#ifndef HEADRACE_SRC_ARROW_LAYOUT_H_
#define HEADRACE_SRC_ARROW_LAYOUT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/plan.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/arrow/type.h"

namespace headrace::arrow {

// The struct column whose children are the feature lists.
inline constexpr std::string_view kSequenceStruct = "##SEQUENCE##";

// What of a plan says the types. Tests make one by hand.
struct PlanFields {
  std::span<const ColumnField> columns = {};
  std::span<const TensorField> tensors = {};
  bool has_sequence_struct = false;
  // Raw records: values of the rows, not lists of them, and never null.
  bool is_raw = false;
};

// Lives as long as any copy of the plan.
PlanFields FieldsOf(const Plan& plan);

// The size of lists that are not all of one size.
inline constexpr int32_t kVariable = -1;

// The lists around the single values of a tensor, outermost first: their size,
// or kVariable. Of a sparse one those around its values and its indices alike.
std::vector<int32_t> ListSizes(const TensorField& field);
// Of a column, all kVariable: how many there are.
size_t ListDepth(Kind kind, bool in_sequence, bool is_raw);

// Values of a shape, which a plan bounds by 2^31.
int32_t NumElements(std::span<const int64_t> shape);

// The type of a tensor, under its name.
Field TensorType(const TensorField& field, BytesAs bytes_as);

// The struct whose children are the columns or tensors, and last, where the
// plan has it, the struct of the feature lists. kInvalidArgument for a name
// that is not UTF-8, which Arrow cannot carry.
Result<Field> MakeSchema(const PlanFields& fields, const ArrowOptions& options);

// The child that stands there for one column or tensor. kInvalidArgument also
// for an index that none has.
Result<Field> MakeField(const PlanFields& fields, size_t index,
                        const ArrowOptions& options);

// Of a request for column or tensor `index` of so many.
Status CheckIndex(size_t index, size_t count);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_ARROW_LAYOUT_H_
