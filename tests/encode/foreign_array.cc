#include "tests/encode/foreign_array.h"

#include <cstring>

namespace headrace::testing {
namespace {

std::vector<uint8_t> Packed(const std::vector<bool>& bits) {
  std::vector<uint8_t> bytes((bits.size() + 7) / 8);
  for (size_t i = 0; i < bits.size(); ++i) {
    if (bits[i]) bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | 1 << i % 8);
  }
  return bytes;
}

// The encoder may only read: nobody calls these.
void ReleaseSchema(ArrowSchema* schema) { schema->release = nullptr; }
void ReleaseArray(ArrowArray* array) { array->release = nullptr; }

}  // namespace

Foreign MakeForeign(std::string format, int64_t length,
                    std::vector<NamedForeign> children) {
  auto made = std::make_shared<ForeignArray>();
  made->format = std::move(format);
  for (NamedForeign& child : children) {
    child.second->name = child.first;
    child.second->schema.name = child.second->name.c_str();
    made->child_schemas.push_back(&child.second->schema);
    made->child_arrays.push_back(&child.second->array);
    made->children.push_back(std::move(child.second));
  }
  const auto count = static_cast<int64_t>(made->children.size());
  made->schema.format = made->format.c_str();
  made->schema.flags = ARROW_FLAG_NULLABLE;
  made->schema.n_children = count;
  made->schema.children = made->child_schemas.data();
  made->schema.release = &ReleaseSchema;
  made->array.length = length;
  made->array.n_children = count;
  made->array.children = made->child_arrays.data();
  made->array.release = &ReleaseArray;
  return made;
}

void AddBuffer(const Foreign& foreign, const void* data) {
  foreign->buffers.push_back(data);
  foreign->array.buffers = foreign->buffers.data();
  foreign->array.n_buffers = static_cast<int64_t>(foreign->buffers.size());
}

Foreign Bools(const std::vector<bool>& values) {
  Foreign made = MakeForeign("b", static_cast<int64_t>(values.size()));
  AddBuffer(made, nullptr);
  AddBufferOf(made, Packed(values));
  return made;
}

Foreign Views(std::string format, const std::vector<std::string>& values) {
  Foreign made =
      MakeForeign(std::move(format), static_cast<int64_t>(values.size()));
  std::vector<char> views(16 * values.size());
  std::vector<int64_t> sizes;
  std::vector<std::vector<char>> variadic;
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string& value = values[i];
    char* const view = &views[16 * i];
    const auto size = static_cast<int32_t>(value.size());
    std::memcpy(view, &size, 4);
    if (size <= 12) {
      std::memcpy(view + 4, value.data(), value.size());
      continue;
    }
    const auto buffer = static_cast<int32_t>(variadic.size());
    const int32_t offset = buffer;  // some bytes before the value
    std::memcpy(view + 4, value.data(), 4);
    std::memcpy(view + 8, &buffer, 4);
    std::memcpy(view + 12, &offset, 4);
    std::vector<char> bytes(static_cast<size_t>(offset), '-');
    bytes.insert(bytes.end(), value.begin(), value.end());
    sizes.push_back(static_cast<int64_t>(bytes.size()));
    variadic.push_back(std::move(bytes));
  }
  AddBuffer(made, nullptr);
  AddBufferOf(made, views);
  for (const std::vector<char>& bytes : variadic) AddBufferOf(made, bytes);
  AddBufferOf(made, sizes);
  return made;
}

Foreign FixedSizeLists(int64_t size, int64_t length, Foreign items) {
  Foreign made = MakeForeign("+w:" + std::to_string(size), length,
                             {{"item", std::move(items)}});
  AddBuffer(made, nullptr);
  return made;
}

Foreign Struct(int64_t length, std::vector<NamedForeign> children) {
  Foreign made = MakeForeign("+s", length, std::move(children));
  AddBuffer(made, nullptr);
  return made;
}

Foreign BatchOf(const Foreign& column) {
  return Struct(column->array.length, {{"x", column}});
}

Foreign WithNulls(Foreign made, const std::vector<bool>& valid) {
  auto kept = std::make_shared<std::vector<uint8_t>>(Packed(valid));
  made->buffers[0] = kept->data();
  made->memory.push_back(std::move(kept));
  made->array.null_count = -1;
  return made;
}

Foreign Sliced(Foreign made, int64_t offset, int64_t length) {
  made->array.offset = offset;
  made->array.length = length;
  return made;
}

}  // namespace headrace::testing
