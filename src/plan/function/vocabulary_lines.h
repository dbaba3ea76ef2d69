// The keys of a vocabulary, from a file's lines or from a list.

#ifndef HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_LINES_H_
#define HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_LINES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "headrace/status.h"
#include "headrace/types.h"
#include "src/base/memory/buffer.h"

namespace headrace::function {

// Maximum number of keys.
inline constexpr uint64_t kMaxKeys = uint64_t{1} << 31;

struct KeyList {
  DType type = DType::kBytes;  // or kInt64
  size_t count = 0;
  // The bytes of all keys, one key after another, or `count` int64_t.
  Buffer keys = {};
  // Of kBytes: count + 1 uint64_t. Key i is at [starts[i], starts[i + 1]).
  Buffer starts = {};
};

// Reads a regular file, which is opened without waiting; `size` is the number
// of lines to use, all by default. Fails with kBadSpec if a line is empty or,
// of kInt64, is not an integer; the text has the number of the line, from 1.
// Also if there is no line, or fewer than `size`, or if the file is compressed.
// Fails with the errors of source::FileStream::OpenRegular. Only errors of
// opening name the file.
Result<KeyList> ReadKeys(const std::string& path, DType type,
                         std::optional<uint64_t> size);

// Copies keys. Fails with kBadSpec if there are none, or if one is empty.
Result<KeyList> CopyKeys(std::span<const std::string_view> keys);
Result<KeyList> CopyKeys(std::span<const int64_t> keys);

}  // namespace headrace::function

#endif  // HEADRACE_SRC_PLAN_FUNCTION_VOCABULARY_LINES_H_
