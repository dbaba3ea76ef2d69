// Serialized statistics are fields one after another, little-endian
// (docs/formats/stats.md). AppendFields appends them, and TakeFields takes them
// from the front of untrusted bytes.
//
// A flag and an enumerator take a byte. A text and a list begin with their
// size, and an optional field with a flag; an array has neither. Other types
// have functions Append and Parse, like those of QuantileSketch.

#ifndef HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_
#define HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "headrace/types.h"
#include "src/base/little_endian.h"

namespace headrace::stats {

template <class T>
inline constexpr bool kIsByte = std::is_same_v<T, bool> || std::is_enum_v<T>;

template <class T>
concept FixedArray = requires {
  std::tuple_size<T>::value;
};

template <class T>
concept OptionalField = requires(T field) {
  field.has_value();
};

template <class... Fields>
void AppendFields(std::string* out, const Fields&... fields);

template <class T>
void AppendField(const T& field, std::string* out) {
  if constexpr (requires { field.Append(out); }) {
    field.Append(out);
  } else if constexpr (kIsByte<T>) {
    out->push_back(static_cast<char>(field));
  } else if constexpr (std::is_arithmetic_v<T>) {
    out->append(reinterpret_cast<const char*>(&field), sizeof(field));
  } else if constexpr (FixedArray<T>) {
    for (const auto& item : field) AppendField(item, out);
  } else if constexpr (OptionalField<T>) {
    AppendField(field.has_value(), out);
    if (field) AppendField(*field, out);
  } else {
    AppendField(uint64_t{field.size()}, out);
    using Item = typename T::value_type;
    if constexpr (std::is_arithmetic_v<Item>) {
      out->append(reinterpret_cast<const char*>(field.data()),
                  field.size() * sizeof(Item));
    } else {
      for (const Item& item : field) AppendField(item, out);
    }
  }
}

template <class... Fields>
void AppendFields(std::string* out, const Fields&... fields) {
  (AppendField(fields, out), ...);
}

// Returns false if the bytes end before the field does, or are not a value of
// its type. Allocates only for values that are there, whatever size precedes
// them.
template <class T>
[[nodiscard]] bool TakeField(std::string_view* bytes, T* field) {
  if constexpr (requires { field->Parse(bytes); }) {
    return field->Parse(bytes);
  } else if constexpr (kIsByte<T>) {
    uint8_t byte = 0;
    if (!TakeField(bytes, &byte)) return false;
    *field = static_cast<T>(byte);
    if constexpr (std::is_same_v<T, bool>) {
      return byte <= 1;
    } else {
      const auto is_field = [field](const EnumName<T>& known) {
        return known.value == *field;
      };
      return std::ranges::any_of(EnumNames<T>(), is_field);
    }
  } else if constexpr (std::is_arithmetic_v<T>) {
    if (bytes->size() < sizeof(T)) return false;
    std::memcpy(field, bytes->data(), sizeof(T));
    bytes->remove_prefix(sizeof(T));
    return true;
  } else if constexpr (FixedArray<T>) {
    return std::ranges::all_of(
        *field, [bytes](auto& item) { return TakeField(bytes, &item); });
  } else if constexpr (OptionalField<T>) {
    bool has_value = false;
    return TakeField(bytes, &has_value) &&
           (!has_value || TakeField(bytes, &field->emplace()));
  } else {
    using Item = typename T::value_type;
    uint64_t size = 0;
    if (!TakeField(bytes, &size)) return false;
    if constexpr (std::is_arithmetic_v<Item>) {
      if (size > bytes->size() / sizeof(Item)) return false;
      field->resize(static_cast<size_t>(size));
      const size_t taken = field->size() * sizeof(Item);
      if (taken > 0) std::memcpy(field->data(), bytes->data(), taken);
      bytes->remove_prefix(taken);
    } else {
      for (; size > 0; --size) {
        if (!TakeField(bytes, &field->emplace_back())) return false;
      }
    }
    return true;
  }
}

// Takes the fields in order; returns false at the first that cannot be taken.
template <class... Fields>
[[nodiscard]] bool TakeFields(std::string_view* bytes, Fields*... fields) {
  return (TakeField(bytes, fields) && ...);
}

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_
