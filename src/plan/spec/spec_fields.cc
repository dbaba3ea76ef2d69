#include "src/plan/spec/spec_fields.h"

namespace headrace::spec {
namespace {

constexpr Layout kLayouts[] = {Layout::kFixedLen, Layout::kFixedLenSequence,
                               Layout::kVarLen, Layout::kSparse,
                               Layout::kRagged};

constexpr uint8_t kFixedLen = Bit(Layout::kFixedLen);
constexpr uint8_t kSequence = Bit(Layout::kFixedLenSequence);
constexpr uint8_t kVarLen = Bit(Layout::kVarLen);
constexpr uint8_t kSparse = Bit(Layout::kSparse);
constexpr uint8_t kRagged = Bit(Layout::kRagged);

constexpr SpecField kFields[] = {
    {"name", kAnyLayout, kAnyLayout},
    {"kind", kAnyLayout, kAnyLayout},
    {"dtype", kAnyLayout, kAnyLayout},
    {"shape", kFixedLen | kSequence | kRagged, kFixedLen | kSequence},
    {"default", kFixedLen | kSequence, 0},
    {"allow_missing", kSequence, 0},
    {"pad_to", kVarLen, 0},
    {"truncate", kVarLen, 0},
    {"index_keys", kSparse, kSparse},
    {"value_key", kSparse | kRagged, kSparse},
    {"size", kSparse, kSparse},
    {"already_sorted", kSparse, 0},
    {"check_indices", kSparse, 0},
    {"partitions", kRagged, 0},
    {"row_splits_dtype", kRagged, 0},
    {"column", kAnyLayout, 0},
    {"as", kAnyLayout, 0},
    {"as_bits", kAnyLayout, 0},
    {"encoding", kFixedLen | kRagged, 0},
    {"item_shape", kRagged, 0},
    {"item_shape_key", kRagged, 0},
    {"group", kRagged, 0},
};

}  // namespace

std::span<const Layout> AllLayouts() { return kLayouts; }

std::span<const SpecField> SpecFields() { return kFields; }

std::vector<std::string_view> FieldNames(uint8_t layouts) {
  std::vector<std::string_view> names;
  for (const SpecField& field : kFields) {
    if ((field.layouts & layouts) != 0) names.push_back(field.name);
  }
  return names;
}

const SpecField* FindSpecField(std::string_view name) {
  for (const SpecField& field : kFields) {
    if (field.name == name) return &field;
  }
  return nullptr;
}

std::string LayoutNames(uint8_t layouts) {
  std::string text;
  for (const Layout layout : kLayouts) {
    if ((layouts & Bit(layout)) == 0) continue;
    if (!text.empty()) text += " and ";
    text += LayoutName(layout);
  }
  return text;
}

}  // namespace headrace::spec
