// The small vocabulary that the other headers share.

#ifndef HEADRACE_TYPES_H_
#define HEADRACE_TYPES_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace headrace {

// The kind of a tf.train.Feature. kNull: no list is set ("unset").
enum class Kind : uint8_t { kNull = 0, kBytes = 1, kFloat = 2, kInt64 = 3 };

// "null", "bytes", "float", "int64".
std::string_view KindName(Kind kind);
// The inverse; empty for other text.
std::optional<Kind> ParseKind(std::string_view name);

// What the payload of a record is. kAuto looks at the first records: a feature
// list makes it kSequence, anything else kExample.
enum class MessageType : uint8_t { kAuto, kExample, kSequence, kRaw };

// Around a whole file. kSnappy is TensorFlow's framing: a u32 big-endian size,
// then one raw snappy block, repeated.
enum class Compression : uint8_t { kAuto, kNone, kGzip, kZlib, kSnappy, kZstd };

// "auto", "none", "gzip", "zlib", "snappy", "zstd".
std::string_view CompressionName(Compression compression);

// What happens when bytes of a file are damaged; docs/formats/tfrecord.md.
enum class OnCorrupt : uint8_t { kFail, kSkip, kRescan };

// What happens to a record that does not fit the plan.
enum class OnRowError : uint8_t { kFail, kSkip };

}  // namespace headrace

#endif  // HEADRACE_TYPES_H_
