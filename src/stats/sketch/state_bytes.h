// Serialized statistics are numbers and arrays one after another, little-endian
// (docs/formats/stats.md). These functions append them, and take them from the
// front of untrusted bytes.

#ifndef HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_
#define HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "src/base/little_endian.h"

namespace headrace::stats {

template <class T>
void AppendNumber(std::type_identity_t<T> value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}
inline void AppendNumber(uint64_t value, std::string* out) {
  AppendNumber<uint64_t>(value, out);
}

// Returns false, and takes nothing, if the bytes end before the number does.
template <class T>
[[nodiscard]] bool TakeNumber(std::string_view* bytes, T* value) {
  if (bytes->size() < sizeof(T)) return false;
  std::memcpy(value, bytes->data(), sizeof(T));
  bytes->remove_prefix(sizeof(T));
  return true;
}

// Takes a byte that must be 0 or 1.
[[nodiscard]] inline bool TakeFlag(std::string_view* bytes, bool* flag) {
  uint8_t value = 0;
  if (!TakeNumber(bytes, &value) || value > 1) return false;
  *flag = value != 0;
  return true;
}

template <class T>
void AppendArray(std::span<const T> values, std::string* out) {
  AppendNumber(values.size(), out);
  out->append(reinterpret_cast<const char*>(values.data()),
              values.size_bytes());
}

// Allocates only for values that are there, whatever the size in front of them.
template <class T>
[[nodiscard]] bool TakeArray(std::string_view* bytes, std::vector<T>* values) {
  uint64_t size = 0;
  if (!TakeNumber(bytes, &size) || size > bytes->size() / sizeof(T)) {
    return false;
  }
  values->resize(static_cast<size_t>(size));
  const size_t taken = values->size() * sizeof(T);
  if (taken > 0) std::memcpy(values->data(), bytes->data(), taken);
  bytes->remove_prefix(taken);
  return true;
}

inline void AppendText(std::string_view text, std::string* out) {
  AppendNumber(text.size(), out);
  out->append(text);
}

[[nodiscard]] inline bool TakeText(std::string_view* bytes, std::string* text) {
  uint64_t size = 0;
  if (!TakeNumber(bytes, &size) || size > bytes->size()) return false;
  text->assign(bytes->substr(0, static_cast<size_t>(size)));
  bytes->remove_prefix(text->size());
  return true;
}

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_STATE_BYTES_H_
