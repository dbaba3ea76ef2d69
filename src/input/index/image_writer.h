// ImageWriter writes the bytes of an index, in the format HRI1.

#ifndef HEADRACE_SRC_INPUT_INDEX_IMAGE_WRITER_H_
#define HEADRACE_SRC_INPUT_INDEX_IMAGE_WRITER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/input/deflate/seek_table.h"
#include "src/input/index/file_identity.h"
#include "src/input/index/image_format.h"

namespace headrace::index {

class ImageWriter {
 public:
  ImageWriter();

  // Adds a record with a payload of `length` bytes, which begins where the last
  // one ended. All records together have at most kMaxStreamBytes.
  void Add(uint64_t length);

  uint64_t num_records() const { return num_records_; }
  uint64_t stream_bytes() const { return end_; }
  // The offset of the last record; there must be one.
  uint64_t last_offset() const {
    return end_ - kRecordOverhead -
           lengths_[static_cast<size_t>((num_records_ - 1) % kBlockRecords)];
  }

  // Returns the index. Call it once, and last. `table` is the seek table of a
  // compressed file, or null.
  std::vector<uint8_t> Finish(const FileIdentity& identity,
                              const compression::SeekTable* table = nullptr);

 private:
  void CloseBlock();

  std::vector<uint8_t> image_;      // the head, then the lengths of all blocks
  std::vector<uint8_t> directory_;  // follows the lengths
  std::array<uint64_t, kBlockRecords> lengths_;  // of the open block
  uint64_t block_offset_ = 0;
  uint64_t num_records_ = 0;
  uint64_t end_ = 0;
};

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_IMAGE_WRITER_H_
