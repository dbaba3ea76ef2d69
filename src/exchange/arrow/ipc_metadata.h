// The metadata of Arrow IPC is flatbuffers that say what a schema is and where
// the buffers of a record batch lie.

#ifndef HEADRACE_SRC_EXCHANGE_ARROW_IPC_METADATA_H_
#define HEADRACE_SRC_EXCHANGE_ARROW_IPC_METADATA_H_

#include <cstdint>
#include <span>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "headrace/status.h"
#include "src/exchange/arrow/array.h"
#include "src/exchange/arrow/type.h"

namespace headrace::arrow {

// Buffers begin at multiples of this in the body and, as the metadata is
// padded, too, in the file, so readers that map it get aligned memory. IPC asks
// for 8 and recommends 64.
inline constexpr uint64_t kIpcAlignment = 64;

// IPC has these in native byte order.
struct FieldNode {
  int64_t length;
  int64_t null_count;
};
struct BufferPlace {
  int64_t offset;
  int64_t length;
};
struct FileBlock {
  int64_t offset;           // where the message begins in the file
  int32_t metadata_length;  // with the message's prefix and padding
  int32_t padding;
  int64_t body_length;
};

// A record batch is laid flat here: what the metadata lists, and the buffers in
// the order of the body.
struct BodyLayout {
  int64_t num_rows = 0;
  int64_t size = 0;  // a multiple of kIpcAlignment
  std::vector<FieldNode> nodes;
  std::vector<BufferPlace> places;
  std::vector<const Buffer*> buffers;  // one per place
  std::vector<int64_t> variadic_counts;
};

// `layout` then points into `root`, a struct; what it held is replaced.
void LayOut(const Array& root, BodyLayout* layout);

// Makes a Message without prefix and padding. Fails with kLimit for more
// fields, or longer names, than one flatbuffer can carry.
Result<flatbuffers::DetachedBuffer> SchemaMessage(const Field& root);
Result<flatbuffers::DetachedBuffer> RecordBatchMessage(
    const BodyLayout& layout);

// A file ends with this.
Result<flatbuffers::DetachedBuffer> Footer(const Field& root,
                                           std::span<const FileBlock> blocks);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_IPC_METADATA_H_
