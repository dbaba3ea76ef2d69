// LineText is a text that grows, written through a pointer to its end.

#ifndef HEADRACE_SRC_EXCHANGE_JSON_LINE_TEXT_H_
#define HEADRACE_SRC_EXCHANGE_JSON_LINE_TEXT_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <vector>

namespace headrace::json {

class LineText {
 public:
  // The number of bytes that may be read and written after the text.
  static constexpr size_t kSlack = 64;
  // The number of bytes that are copied for any short text: a fixed number is
  // quicker.
  static constexpr size_t kShort = 16;

  const char* data() const { return bytes_.data(); }
  size_t size() const { return size_; }
  void Cut(size_t size) { size_ = size; }

  // Returns the end, after which `size` bytes and the slack may be written;
  // SetEnd then sets the new end.
  char* Room(size_t size) {
    if (bytes_.size() - size_ < size + kSlack) Grow(size);
    return bytes_.data() + size_;
  }
  void SetEnd(const char* end) {
    size_ = static_cast<size_t>(end - bytes_.data());
  }

  void Push(char c) {
    *Room(1) = c;
    ++size_;
  }
  void Append(std::string_view text) {
    std::memcpy(Room(text.size()), text.data(), text.size());
    size_ += text.size();
  }
  // Appends `size` bytes. At least kShort bytes at `data` must be readable,
  // even if `size` is smaller.
  void AppendShort(const char* data, size_t size) {
    CopyShort(data, size, Room(size));
    size_ += size;
  }
  static void CopyShort(const void* data, size_t size, char* out) {
    if (size <= kShort) {
      std::memcpy(out, data, kShort);
    } else {
      std::memcpy(out, data, size);
    }
  }
  void Insert(size_t at, std::string_view text) {
    Room(text.size());
    char* const place = bytes_.data() + at;
    std::memmove(place + text.size(), place, size_ - at);
    std::memcpy(place, text.data(), text.size());
    size_ += text.size();
  }
  // Closes a list, whose elements are each followed by a comma.
  void EndList() {
    if (bytes_[size_ - 1] == ',') --size_;
    Push(']');
  }

 private:
  void Grow(size_t size) {
    bytes_.resize(std::max(2 * bytes_.size(), size_ + size + kSlack));
  }

  std::vector<char> bytes_;
  size_t size_ = 0;
};

}  // namespace headrace::json

#endif  // HEADRACE_SRC_EXCHANGE_JSON_LINE_TEXT_H_
