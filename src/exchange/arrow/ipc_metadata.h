// Makes the metadata of Arrow IPC: flatbuffers that describe a schema, and
// where the buffers of a record batch are.

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

// Alignment of buffers in the body, in bytes. As the metadata is padded, too,
// buffers are aligned in the file as well, so readers that map the file get
// aligned memory. IPC requires 8 and recommends 64.
inline constexpr uint64_t kIpcAlignment = 64;

// IPC stores these structs in native byte order.
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

// A record batch as flat lists: the lists of the metadata, and the buffers in
// the order of the body.
struct BodyLayout {
  int64_t num_rows = 0;
  int64_t size = 0;  // a multiple of kIpcAlignment
  std::vector<FieldNode> nodes;
  std::vector<BufferPlace> places;
  std::vector<const Buffer*> buffers;  // one per place
  std::vector<int64_t> variadic_counts;
};

// Replaces `layout` with the layout of the struct `root`, into which it then
// points.
void LayOut(const Array& root, BodyLayout* layout);

// SchemaMessage and RecordBatchMessage make a Message without prefix and
// padding. They return kLimit for more fields, or longer names, than one
// flatbuffer can hold.
Result<flatbuffers::DetachedBuffer> SchemaMessage(const Field& root);
Result<flatbuffers::DetachedBuffer> RecordBatchMessage(
    const BodyLayout& layout);

// Makes the footer of a file; returns the same errors.
Result<flatbuffers::DetachedBuffer> Footer(const Field& root,
                                           std::span<const FileBlock> blocks);

}  // namespace headrace::arrow

#endif  // HEADRACE_SRC_EXCHANGE_ARROW_IPC_METADATA_H_
