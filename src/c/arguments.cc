#include "src/c/arguments.h"

#include <cstdlib>
#include <cstring>

#include "headrace/c.h"
#include "src/c/error.h"

namespace headrace::c {

Result<std::vector<std::string>> PathsFrom(const char* const* paths, size_t n) {
  if (paths == nullptr && n > 0) return IsNull("paths");
  std::vector<std::string> names;
  for (size_t i = 0; i < n; ++i) {
    if (paths[i] == nullptr) return IsNull("paths[" + std::to_string(i) + "]");
    names.emplace_back(paths[i]);
  }
  return names;
}

Status GiveText(std::string_view text, char** out) {
  auto* const memory = static_cast<char*>(std::malloc(text.size() + 1));
  if (memory == nullptr) return Status::OutOfMemory();
  std::memcpy(memory, text.data(), text.size());
  memory[text.size()] = '\0';
  *out = memory;
  return Status();
}

Status GiveBatch(const Batch& batch, const Plan& plan,
                 const ArrowOptions& options, ArrowArray* array,
                 ArrowSchema* schema) {
  Status status = ExportBatch(batch, options, array);
  if (!status.ok() || schema == nullptr) return status;
  status = ExportSchema(plan, options, schema);
  if (!status.ok()) array->release(array);
  return status;
}

void Empty(ArrowArray* array) {
  if (array != nullptr) *array = {};
}

void Empty(ArrowSchema* schema) {
  if (schema != nullptr) *schema = {};
}

}  // namespace headrace::c

void headrace_text_free(char* text) { std::free(text); }
