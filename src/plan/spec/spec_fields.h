// The fields that the JSON of a feature has (docs/formats/spec.md).

#ifndef HEADRACE_SRC_PLAN_SPEC_SPEC_FIELDS_H_
#define HEADRACE_SRC_PLAN_SPEC_SPEC_FIELDS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"

namespace headrace::spec {

std::span<const Layout> AllLayouts();

// Returns the bit of a layout in a set of layouts.
constexpr uint8_t Bit(Layout layout) {
  return static_cast<uint8_t>(1 << static_cast<int>(layout));
}
inline constexpr uint8_t kAnyLayout = 0x1f;

struct SpecField {
  std::string_view name;
  uint8_t layouts;   // layouts that have the field
  uint8_t required;  // layouts that need the field
};

// Returns the fields in the order of the page.
std::span<const SpecField> SpecFields();
// Returns null if there is no such field.
const SpecField* FindSpecField(std::string_view name);

// Returns the names of the fields that any of the layouts has.
std::vector<std::string_view> FieldNames(uint8_t layouts);

// Returns a text like "fixed_len and fixed_len_sequence".
std::string LayoutNames(uint8_t layouts);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_SPEC_FIELDS_H_
