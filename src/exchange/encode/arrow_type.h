// The Arrow types of which messages can be made.

#ifndef HEADRACE_SRC_EXCHANGE_ENCODE_ARROW_TYPE_H_
#define HEADRACE_SRC_EXCHANGE_ENCODE_ARROW_TYPE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "headrace/types.h"

namespace headrace::encode {

enum class ArrowType : uint8_t {
  kNull,
  kBool,
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kUint64,
  kFloat16,
  kFloat32,
  kFloat64,
  kBinary,  // also utf8: offsets of 32 bits
  kLargeBinary,
  kBinaryView,
  kList,
  kLargeList,
  kFixedSizeList,
  kStruct,
};

struct TypeFacts {
  ArrowType type = ArrowType::kNull;
  Kind kind = Kind::kNull;  // of a feature of such values
  int64_t num_buffers = 0;  // at least, for kBinaryView
  int64_t num_children = 0;
  int64_t list_size = 0;  // kFixedSizeList

  bool is_list() const {
    return type == ArrowType::kList || type == ArrowType::kLargeList ||
           type == ArrowType::kFixedSizeList;
  }
};

// Parses a format string of the C data interface. Returns nullopt for a type
// that no feature holds. A struct has any number of children: -1.
std::optional<TypeFacts> ParseFormat(std::string_view format);

}  // namespace headrace::encode

#endif  // HEADRACE_SRC_EXCHANGE_ENCODE_ARROW_TYPE_H_
