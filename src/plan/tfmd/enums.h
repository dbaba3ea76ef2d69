// The enums that the tables of message_table.cc use.

#ifndef HEADRACE_SRC_PLAN_TFMD_ENUMS_H_
#define HEADRACE_SRC_PLAN_TFMD_ENUMS_H_

#include <cstdint>

namespace headrace::tfmd_forms {

// Values of Field::of.
enum EnumId : uint8_t {
  kFeatureTypeEnum,
  kLifecycleStage,
  kRowPartitionDType,
  kCategorical,
  kTimeFormat,
  kTimeOfDayFormat,
  kHistogramType,
  kSequentialStatus,
  kSliceValueType,
};

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_ENUMS_H_
