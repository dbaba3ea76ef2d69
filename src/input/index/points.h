// The index of a compressed file ends with the file's seek table.

#ifndef HEADRACE_SRC_INPUT_INDEX_POINTS_H_
#define HEADRACE_SRC_INPUT_INDEX_POINTS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "src/input/deflate/seek_table.h"

namespace headrace::index {

// Appends the points to the bytes of an index, in the form of
// docs/formats/index.md.
void AppendPoints(const compression::SeekTable& table,
                  std::vector<uint8_t>* image);

// Reads the points, which take the rest of an index from byte `begin` on.
// `owner` keeps that rest. Null where it is cut, damaged or contradicts itself
// or the sizes; windows are looked at when they are used.
std::shared_ptr<const compression::SeekTable> ReadPoints(
    std::span<const uint8_t> rest, uint64_t begin, uint64_t stored_size,
    uint64_t plain_size, std::shared_ptr<const void> owner);

}  // namespace headrace::index

#endif  // HEADRACE_SRC_INPUT_INDEX_POINTS_H_
