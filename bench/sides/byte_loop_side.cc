#include "bench/sides/byte_loop_side.h"

#include <cstring>

namespace headrace::bench {
namespace {

// The messages use these wire types.
enum WireType : uint32_t { kVarint = 0, kLength = 2, kFixed32 = 5 };

bool ReadVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned i = 0; i < 10 && i < bytes->size(); ++i) {
    const auto byte = static_cast<uint8_t>((*bytes)[i]);
    *value |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool Take(size_t size, std::string_view* from, std::string_view* taken) {
  if (size > from->size()) return false;
  *taken = from->substr(0, size);
  from->remove_prefix(size);
  return true;
}

struct Field {
  uint64_t number = 0;
  uint64_t type = 0;
  uint64_t value = 0;             // kVarint
  std::string_view content = {};  // other wire types
};

bool ReadField(std::string_view* message, Field* field) {
  uint64_t tag = 0;
  if (!ReadVarint(message, &tag)) return false;
  field->number = tag >> 3;
  field->type = tag & 7;
  if (field->type == kVarint) return ReadVarint(message, &field->value);
  uint64_t size = 4;
  if (field->type == kLength) {
    if (!ReadVarint(message, &size)) return false;
  } else if (field->type != kFixed32) {
    return false;
  }
  return Take(size, message, &field->content);
}

// False where the message is malformed, or `use` says so of a field.
template <class Use>
bool ForEachField(std::string_view message, Use use) {
  while (!message.empty()) {
    Field field;
    if (!ReadField(&message, &field) || !use(field)) return false;
  }
  return true;
}

bool AppendInt64s(const Field& field, std::vector<int64_t>* values) {
  if (field.type == kVarint) {
    values->push_back(static_cast<int64_t>(field.value));
    return true;
  }
  for (std::string_view packed = field.content; !packed.empty();) {
    uint64_t value = 0;
    if (!ReadVarint(&packed, &value)) return false;
    values->push_back(static_cast<int64_t>(value));
  }
  return true;
}

// Packed or not, the bytes are the same.
bool AppendFloats(std::string_view packed, std::vector<float>* values) {
  if (packed.size() % sizeof(float) != 0) return false;
  const size_t old_size = values->size();
  values->resize(old_size + packed.size() / sizeof(float));
  if (!packed.empty()) {
    std::memcpy(values->data() + old_size, packed.data(), packed.size());
  }
  return true;
}

// In a Feature the field's number is the kind of list, and the list's only
// field is its values.
bool AppendFeature(std::string_view feature, ListColumn* column, bool* valid) {
  return ForEachField(feature, [&](const Field& list) {
    *valid = true;
    return ForEachField(list.content, [&](const Field& field) {
      switch (list.number) {
        case 1:
          column->AddBytes(field.content);
          return true;
        case 2:
          return AppendFloats(field.content, &column->floats);
        case 3:
          return AppendInt64s(field, &column->int64s);
      }
      return false;
    });
  });
}

}  // namespace

ByteLoopSide::ByteLoopSide(std::span<const ColumnField> columns,
                           size_t batch_size)
    : columns_(columns, batch_size) {
  for (ListColumn& column : columns_.columns()) {
    slots_.emplace(column.key, Slot{&column});
  }
}

bool ByteLoopSide::FillEntry(std::string_view entry) {
  std::string_view key, feature;
  const bool well_formed = ForEachField(entry, [&](const Field& field) {
    (field.number == 1 ? key : feature) = field.content;
    return true;
  });
  if (!well_formed) return false;
  const auto found = slots_.find(key);
  if (found == slots_.end()) return true;
  Slot& slot = found->second;
  return AppendFeature(feature, slot.column, &slot.valid);
}

uint64_t ByteLoopSide::ParseAndFill(std::span<const std::string_view> payloads,
                                    std::vector<Fingerprint>* fingerprints) {
  columns_.Start(fingerprints);
  uint64_t accepted = 0;
  for (const std::string_view payload : payloads) {
    accepted += ForEachField(payload, [&](const Field& features) {
      return ForEachField(features.content, [&](const Field& entry) {
        return FillEntry(entry.content);
      });
    });
    for (auto& [key, slot] : slots_) {
      slot.column->EndRow(slot.valid);
      slot.valid = false;
    }
    columns_.EndRecord();
  }
  columns_.EndBatch();
  return accepted;
}

}  // namespace headrace::bench
