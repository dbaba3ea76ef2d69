// Reads and writes the seek table that ends the index of a compressed file.

#ifndef HEADRACE_SRC_INPUT_INDEX_POINTS_H_
#define HEADRACE_SRC_INPUT_INDEX_POINTS_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "headrace/types.h"
#include "src/input/deflate/seek_table.h"

namespace headrace::index {

// Whether the format has points of this compression.
bool HasPoints(Compression compression);

// Appends the points to the bytes of an index, in the form of
// docs/formats/index.md.
void AppendPoints(const compression::SeekTable& table,
                  std::vector<uint8_t>* image);

// Reads the points from the rest of an index, which begins at byte `begin`.
// `owner` keeps these bytes alive. Returns null if the rest is cut, damaged, or
// contradicts itself or the sizes; windows are checked when they are used.
std::shared_ptr<const compression::SeekTable> ReadPoints(
    std::span<const uint8_t> rest, uint64_t begin, uint64_t stored_size,
    uint64_t plain_size, std::shared_ptr<const void> owner);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_POINTS_H_
