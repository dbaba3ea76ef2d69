#include "src/read/batch/batch_arrays.h"

#include <cassert>

namespace headrace::reader {

void ArrayCopier::Copy(const void** data, size_t size, bool is_text) {
  if (*data == nullptr) return;
  const auto [found, is_new] = copied_.try_emplace({*data, size}, *data);
  if (is_new) {
    const auto* const strings = static_cast<const std::string_view*>(*data);
    const size_t count = is_text ? size / sizeof(std::string_view) : 0;
    Append(&found->second, size);
    if (memory_ == nullptr) {
      for (size_t i = 0; i < count; ++i) {
        const bool again = i > 0 &&
                           strings[i].data() == strings[i - 1].data() &&
                           strings[i].size() == strings[i - 1].size();
        if (!again) text_bytes_ += strings[i].size();
      }
    } else if (count > 0) {
      auto* const copies =
          static_cast<std::string_view*>(const_cast<void*>(found->second));
      CopyText({copies, count});
    }
  }
  *data = found->second;
}

void ArrayCopier::Append(const void** data, size_t size) {
  if (memory_ != nullptr) {
    uint8_t* const copy = memory_ + array_bytes_;
    if (size > 0) std::memcpy(copy, *data, size);
    *data = copy;
  }
  array_bytes_ += (size + kAlignment - 1) / kAlignment * kAlignment;
}

// Copies strings back to back. Consecutive strings at the same address, such as
// defaults, share a copy.
void ArrayCopier::CopyText(std::span<std::string_view> strings) {
  std::string_view before;
  for (size_t i = 0; i < strings.size(); ++i) {
    const std::string_view string = strings[i];
    if (i > 0 && string.data() == before.data() &&
        string.size() == before.size()) {
      strings[i] = strings[i - 1];
    } else {
      uint8_t* const copy = text_ + text_bytes_;
      if (!string.empty()) std::memcpy(copy, string.data(), string.size());
      strings[i] = {reinterpret_cast<const char*>(copy), string.size()};
      text_bytes_ += string.size();
    }
    before = string;
  }
}

void ArrayWriter::Text(std::string_view text) {
  uint64_t size = text.size();
  Number(&size);
  Append(text.data(), text.size());
}

void ArrayWriter::Bytes(const void** data, size_t size) {
  uint64_t is_there = *data != nullptr;
  Number(&is_there);
  if (is_there) Append(*data, size);
}

void ArrayWriter::Strings(const void** data, size_t count) {
  uint64_t is_there = *data != nullptr;
  Number(&is_there);
  if (!is_there) return;
  const auto* const strings = static_cast<const std::string_view*>(*data);
  for (size_t i = 0; i < count; ++i) Text(strings[i]);
}

bool ArrayReader::Take(uint64_t size, const char** data) {
  if (size > rest_.size()) {
    failed_ = true;
    rest_ = {};
    return false;
  }
  *data = rest_.data();
  rest_.remove_prefix(static_cast<size_t>(size));
  return true;
}

void ArrayReader::Number(uint64_t* number) {
  const char* data;
  *number = 0;
  if (Take(sizeof(*number), &data)) std::memcpy(number, data, sizeof(*number));
}

std::string ArrayReader::Text() {
  uint64_t size;
  Number(&size);
  const char* data;
  return Take(size, &data) ? std::string(data, static_cast<size_t>(size))
                           : std::string();
}

void ArrayReader::Keep(const void** data, const void* from, size_t size) {
  // Even an empty array must have an address.
  std::vector<uint64_t>& kept = kept_.emplace_back(size / 8 + 1);
  if (size > 0) std::memcpy(kept.data(), from, size);
  *data = kept.data();
}

void ArrayReader::Bytes(const void** data, size_t size) {
  uint64_t is_there;
  Number(&is_there);
  *data = nullptr;
  const char* bytes;
  if (is_there && Take(size, &bytes)) Keep(data, bytes, size);
}

void ArrayReader::Strings(const void** data, size_t count) {
  uint64_t is_there;
  Number(&is_there);
  *data = nullptr;
  // The size of each string precedes it, so the rest cannot hold more strings
  // than sizes.
  if (!is_there || count > rest_.size() / sizeof(uint64_t)) {
    failed_ |= is_there != 0;
    return;
  }
  std::vector<std::string_view> strings(count);
  for (std::string_view& string : strings) {
    uint64_t size;
    Number(&size);
    const char* bytes;
    if (Take(size, &bytes)) string = {bytes, static_cast<size_t>(size)};
  }
  Keep(data, strings.data(), count * sizeof(std::string_view));
}

}  // namespace headrace::reader
