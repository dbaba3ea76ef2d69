// HeaderWalk goes from header to header of a file and reads little else.

#ifndef HEADRACE_SRC_INPUT_RECORD_HEADER_WALK_H_
#define HEADRACE_SRC_INPUT_RECORD_HEADER_WALK_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "headrace/status.h"
#include "src/input/source/source.h"

namespace headrace::record {

class HeaderWalk {
 public:
  // The source must outlive the walk. It is a plain file of `size` bytes that
  // can be read at any offset, and a record begins at `begin`. A payload of
  // more than `max_payload` bytes, which is below 2^32, stops the walk.
  HeaderWalk(source::Source* source, uint64_t begin, uint64_t size,
             uint64_t max_payload);

  // Returns the lengths of the next payloads, at most `most`; they are valid
  // until the next call. Returns none at the end of the file and before
  // anything odd, which a Scanner can report.
  Result<std::span<const uint32_t>> Next(size_t most);

  // The offset where the next record begins.
  uint64_t at() const { return at_; }

 private:
  Result<std::span<const uint8_t>> Read();
  void StepOver(std::span<const uint8_t> rest);
  void Take(uint32_t length);

  source::Source* const source_;
  const uint64_t size_;
  const uint64_t max_payload_;
  uint64_t at_;
  std::vector<uint8_t> buffer_;
  std::vector<uint32_t> lengths_;
  // The bytes [piece_begin_, piece_end_) of the file are in buffer_.
  uint64_t piece_begin_ = 0;
  uint64_t piece_end_ = 0;
  size_t wanted_;
};

}  // namespace headrace::record

#endif  // HEADRACE_SRC_INPUT_RECORD_HEADER_WALK_H_
