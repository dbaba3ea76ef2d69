// Arrays as other libraries might give them, right or wrong on purpose: after
// an array is made, tests change any member of its two structures.

#ifndef HEADRACE_TESTS_ENCODE_FOREIGN_ARRAY_H_
#define HEADRACE_TESTS_ENCODE_FOREIGN_ARRAY_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/arrow.h"

namespace headrace::testing {

struct ForeignArray {
  ArrowSchema schema = {};
  ArrowArray array = {};

  // What the two point to.
  std::string format = {};
  std::string name = {};
  std::vector<const void*> buffers = {};
  std::vector<std::shared_ptr<void>> memory = {};
  std::vector<std::shared_ptr<ForeignArray>> children = {};
  std::vector<ArrowSchema*> child_schemas = {};
  std::vector<ArrowArray*> child_arrays = {};
};
using Foreign = std::shared_ptr<ForeignArray>;
using NamedForeign = std::pair<std::string, Foreign>;

// Without buffers.
Foreign MakeForeign(std::string format, int64_t length,
                    std::vector<NamedForeign> children = {});
void AddBuffer(const Foreign& foreign, const void* data);

// Copies the items; null for none.
template <class T>
void AddBufferOf(const Foreign& foreign, const std::vector<T>& items) {
  auto kept = std::make_shared<std::vector<T>>(items);
  AddBuffer(foreign, kept->data());
  foreign->memory.push_back(std::move(kept));
}

// Each without nulls.

template <class T>
Foreign Numbers(std::string format, const std::vector<T>& values) {
  Foreign made =
      MakeForeign(std::move(format), static_cast<int64_t>(values.size()));
  AddBuffer(made, nullptr);
  AddBufferOf(made, values);
  return made;
}
// Bits, least significant first.
Foreign Bools(const std::vector<bool>& values);

template <class Offset>
Foreign ByteArrays(std::string format, const std::vector<std::string>& values) {
  Foreign made =
      MakeForeign(std::move(format), static_cast<int64_t>(values.size()));
  std::vector<Offset> offsets = {0};
  std::vector<char> bytes;
  for (const std::string& value : values) {
    bytes.insert(bytes.end(), value.begin(), value.end());
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  AddBuffer(made, nullptr);
  AddBufferOf(made, offsets);
  AddBufferOf(made, bytes);
  return made;
}
// A buffer for each value that is too long to be inside of its view.
Foreign Views(std::string format, const std::vector<std::string>& values);

template <class Offset>
Foreign Lists(std::string format, const std::vector<Offset>& offsets,
              Foreign items) {
  Foreign made =
      MakeForeign(std::move(format), static_cast<int64_t>(offsets.size()) - 1,
                  {{"item", std::move(items)}});
  AddBuffer(made, nullptr);
  AddBufferOf(made, offsets);
  return made;
}
Foreign FixedSizeLists(int64_t size, int64_t length, Foreign items);
Foreign Struct(int64_t length, std::vector<NamedForeign> children);
// A batch of one column, "x".
Foreign BatchOf(const Foreign& column);

// Sets its validity; one for each item.
Foreign WithNulls(Foreign made, const std::vector<bool>& valid);
Foreign Sliced(Foreign made, int64_t offset, int64_t length);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_ENCODE_FOREIGN_ARRAY_H_
