// docs/formats/spec.md says which fields the JSON of a feature has.

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

// Sets of layouts are bits.
constexpr uint8_t Bit(Layout layout) {
  return static_cast<uint8_t>(1 << static_cast<int>(layout));
}
inline constexpr uint8_t kAnyLayout = 0x1f;

struct SpecField {
  std::string_view name;
  uint8_t layouts;   // these have the field
  uint8_t required;  // these need the field
};

// They are in the order of the page.
std::span<const SpecField> SpecFields();
// Null where there is none.
const SpecField* FindSpecField(std::string_view name);

// Names the fields that any of the layouts has.
std::vector<std::string_view> FieldNames(uint8_t layouts);

// The text is like "fixed_len and fixed_len_sequence".
std::string LayoutNames(uint8_t layouts);

}  // namespace headrace::spec

#endif  // HEADRACE_SRC_PLAN_SPEC_SPEC_FIELDS_H_
