#include "tests/naive/naive_decoder.h"

#include <algorithm>
#include <cstddef>
#include <functional>

namespace headrace::testing {

namespace {

// So many messages and groups may lie inside the outermost message.
constexpr int kMaxDepth = 100;

struct Field {
  uint32_t number = 0;
  int wire_type = 0;
  uint64_t value = 0;             // wire types 0, 1, 5
  std::string_view payload = {};  // wire type 2
};

// An Input reads from the front; every Take fails at the end of the bytes.
class Input {
 public:
  explicit Input(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }

  std::optional<std::string_view> Take(uint64_t size) {
    if (size > rest_.size()) return std::nullopt;
    const std::string_view taken = rest_.substr(0, static_cast<size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::optional<uint64_t> TakeLittleEndian(size_t size) {
    const auto bytes = Take(size);
    if (!bytes) return std::nullopt;
    uint64_t value = 0;
    for (size_t i = 0; i < size; ++i) {
      value |= uint64_t{static_cast<uint8_t>((*bytes)[i])} << (8 * i);
    }
    return value;
  }

  // There are at most `max_bytes` bytes; bits beyond the 64th are dropped.
  std::optional<uint64_t> TakeVarint(size_t max_bytes) {
    uint64_t value = 0;
    for (size_t i = 0; i < max_bytes; ++i) {
      const auto byte = TakeLittleEndian(1);
      if (!byte) return std::nullopt;
      value |= (*byte & 0x7f) << (7 * i);
      if (*byte < 0x80) return value;
    }
    return std::nullopt;
  }

  // There are at most five bytes; bits beyond the 32nd are dropped.
  std::optional<uint32_t> TakeTag() {
    const auto tag = TakeVarint(5);
    if (!tag) return std::nullopt;
    return static_cast<uint32_t>(*tag);
  }

  std::optional<std::string_view> TakeDelimited() {
    const auto length = TakeVarint(5);
    if (!length || *length >= uint64_t{1} << 31) return std::nullopt;
    return Take(*length);
  }

 private:
  std::string_view rest_;
};

bool SkipGroup(Input& in, uint32_t number, int depth);

// A tag has been read. End-group tags are not fields and fail here.
bool TakeField(Input& in, uint32_t tag, int depth, Field* field) {
  *field = {.number = tag >> 3, .wire_type = static_cast<int>(tag & 7)};
  if (field->number == 0) return false;
  std::optional<uint64_t> value;
  switch (field->wire_type) {
    case 0:
      value = in.TakeVarint(10);
      break;
    case 1:
      value = in.TakeLittleEndian(8);
      break;
    case 2:
      if (const auto payload = in.TakeDelimited()) {
        field->payload = *payload;
        return true;
      }
      return false;
    case 3:
      return SkipGroup(in, field->number, depth - 1);
    case 5:
      value = in.TakeLittleEndian(4);
      break;
    default:
      return false;
  }
  if (value) field->value = *value;
  return value.has_value();
}

bool SkipGroup(Input& in, uint32_t number, int depth) {
  if (depth < 0) return false;
  while (true) {
    const auto tag = in.TakeTag();
    if (!tag) return false;
    if ((*tag & 7) == 4) return *tag >> 3 == number;
    Field ignored;
    if (!TakeField(in, *tag, depth, &ignored)) return false;
  }
}

// The message may contain `depth` more levels; empty when it is no message or
// too deep itself.
std::optional<std::vector<Field>> Split(std::string_view bytes, int depth) {
  if (depth < 0) return std::nullopt;
  std::vector<Field> fields;
  Input in(bytes);
  while (!in.empty()) {
    const auto tag = in.TakeTag();
    Field field;
    if (!tag || !TakeField(in, *tag, depth, &field)) return std::nullopt;
    fields.push_back(field);
  }
  return fields;
}

bool Is(const Field& field, uint32_t number, int wire_type) {
  return field.number == number && field.wire_type == wire_type;
}

bool AppendBytes(const Field& field, NaiveFeature* feature) {
  if (Is(field, 1, 2)) feature->bytes.emplace_back(field.payload);
  return true;
}

bool AppendFloats(const Field& field, NaiveFeature* feature) {
  if (Is(field, 1, 5)) {
    feature->floats.push_back(static_cast<uint32_t>(field.value));
  }
  if (!Is(field, 1, 2)) return true;
  Input packed(field.payload);
  while (!packed.empty()) {
    const auto value = packed.TakeLittleEndian(4);
    if (!value) return false;
    feature->floats.push_back(static_cast<uint32_t>(*value));
  }
  return true;
}

bool AppendInt64s(const Field& field, NaiveFeature* feature) {
  if (Is(field, 1, 0)) {
    feature->int64s.push_back(static_cast<int64_t>(field.value));
  }
  if (!Is(field, 1, 2)) return true;
  Input packed(field.payload);
  while (!packed.empty()) {
    const auto value = packed.TakeVarint(10);
    if (!value) return false;
    feature->int64s.push_back(static_cast<int64_t>(*value));
  }
  return true;
}

// The list has the kind of `feature`.
bool MergeList(std::string_view bytes, int depth, NaiveFeature* feature) {
  const auto fields = Split(bytes, depth);
  if (!fields) return false;
  return std::all_of(fields->begin(), fields->end(), [&](const Field& field) {
    switch (feature->kind) {
      case Kind::kBytes:
        return AppendBytes(field, feature);
      case Kind::kFloat:
        return AppendFloats(field, feature);
      default:
        return AppendInt64s(field, feature);
    }
  });
}

// In a oneof another kind throws away what was there, the same kind adds to it.
bool MergeFeature(std::string_view bytes, int depth, NaiveFeature* feature) {
  const auto fields = Split(bytes, depth);
  if (!fields) return false;
  for (const Field& field : *fields) {
    if (field.wire_type != 2 || field.number > 3) continue;
    const auto kind = static_cast<Kind>(field.number);
    if (feature->kind != kind) *feature = {.kind = kind};
    if (!MergeList(field.payload, depth - 1, feature)) return false;
  }
  return true;
}

bool MergeFeatureList(std::string_view bytes, int depth,
                      std::vector<NaiveFeature>* list) {
  const auto fields = Split(bytes, depth);
  if (!fields) return false;
  for (const Field& field : *fields) {
    if (!Is(field, 1, 2)) continue;
    if (!MergeFeature(field.payload, depth - 1, &list->emplace_back())) {
      return false;
    }
  }
  return true;
}

template <class Value>
using MergeValue = bool (*)(std::string_view, int, Value*);

// An entry replaces the value that an earlier one gave to its key.
template <class Value>
bool AddEntry(std::string_view bytes, int depth, MergeValue<Value> merge,
              const std::set<std::string>* selected,
              std::map<std::string, Value>* map) {
  const auto fields = Split(bytes, depth);
  if (!fields) return false;
  std::string key;
  for (const Field& field : *fields) {
    if (!Is(field, 1, 2)) continue;
    key = field.payload;
    if (!NaiveIsUtf8(key)) return false;
  }
  Value value;
  for (const Field& field : *fields) {
    if (!Is(field, 2, 2)) continue;
    if (selected && !selected->contains(key)) continue;
    if (!merge(field.payload, depth - 1, &value)) return false;
  }
  (*map)[key] = value;
  return true;
}

// Features and FeatureLists are messages with one map, in field 1.
template <class Value>
bool MergeMap(std::string_view bytes, int depth, MergeValue<Value> merge,
              const std::set<std::string>* selected,
              std::map<std::string, Value>* map) {
  const auto fields = Split(bytes, depth);
  if (!fields) return false;
  return std::all_of(fields->begin(), fields->end(), [&](const Field& field) {
    return !Is(field, 1, 2) ||
           AddEntry(field.payload, depth - 1, merge, selected, map);
  });
}

std::optional<NaiveMessage> Parse(std::string_view bytes, MessageType type,
                                  const NaiveSelection* selected) {
  const auto fields = Split(bytes, kMaxDepth);
  if (!fields) return std::nullopt;
  NaiveMessage message;
  for (const Field& field : *fields) {
    bool ok = true;
    if (Is(field, 1, 2)) {
      ok =
          MergeMap(field.payload, kMaxDepth - 1, &MergeFeature,
                   selected ? &selected->features : nullptr, &message.features);
    } else if (Is(field, 2, 2) && type == MessageType::kSequence) {
      message.has_feature_lists = true;
      ok = MergeMap(field.payload, kMaxDepth - 1, &MergeFeatureList,
                    selected ? &selected->feature_lists : nullptr,
                    &message.feature_lists);
    }
    if (!ok) return std::nullopt;
  }
  return message;
}

// The character begins with `lead`; 0 when none does.
size_t CharacterSize(uint8_t lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC0 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  if (lead >= 0xF0 && lead < 0xF8) return 4;
  return 0;
}

}  // namespace

std::optional<NaiveMessage> NaiveParse(std::string_view bytes,
                                       MessageType type) {
  return Parse(bytes, type, nullptr);
}

std::optional<NaiveMessage> NaiveParseSelected(std::string_view bytes,
                                               MessageType type,
                                               const NaiveSelection& selected) {
  return Parse(bytes, type, &selected);
}

bool NaiveIsMessage(std::string_view bytes) {
  return Split(bytes, kMaxDepth).has_value();
}

std::optional<std::vector<int64_t>> NaiveInt64s(std::string_view run) {
  NaiveFeature feature;
  const Field field{.number = 1, .wire_type = 2, .payload = run};
  if (!AppendInt64s(field, &feature)) return std::nullopt;
  return feature.int64s;
}

bool NaiveIsUtf8(std::string_view text) {
  while (!text.empty()) {
    const auto lead = static_cast<uint8_t>(text[0]);
    const size_t size = CharacterSize(lead);
    if (size == 0 || size > text.size()) return false;
    uint32_t character = size == 1 ? lead : lead & (0x7Fu >> size);
    for (char c : text.substr(1, size - 1)) {
      const auto byte = static_cast<uint8_t>(c);
      if ((byte & 0xC0) != 0x80) return false;
      character = character << 6 | (byte & 0x3F);
    }
    constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
    if (character < kSmallest[size] || character > 0x10FFFF) return false;
    if (character >= 0xD800 && character <= 0xDFFF) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace headrace::testing
