// The obvious slow way to make and read indexes: from docs/formats/index.md
// alone. Version 1 is of plain files, version 2 of compressed ones.

#ifndef HEADRACE_TESTS_INDEX_NAIVE_INDEX_H_
#define HEADRACE_TESTS_INDEX_NAIVE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/index.h"

namespace headrace {

inline void PrintTo(const RecordPlace& place, std::ostream* out) {
  *out << place.offset << " " << place.length;
}

}  // namespace headrace

namespace headrace::testing {

// Of an intact file of records.
std::vector<RecordPlace> NaivePlaces(std::string_view file);

// Of an index file in the form HRI1. Nothing if its head or size is wrong; a
// record has no place if its block is wrong.
using NaiveIndex = std::vector<std::optional<RecordPlace>>;
std::optional<NaiveIndex> ReadNaively(std::string_view index);

// Makes the head's digest right, and the checks of the points and of blocks
// whose lengths lie inside the file: whatever else is wrong is then looked at.
void SealIndex(std::string* index);

// Where the entries of points lie in an index of version 2, each of 48 bytes;
// none where it is cut.
std::vector<size_t> PointEntries(std::string_view index);

// A number of so many bytes in an index, the lowest first.
uint64_t NumberIn(std::string_view index, size_t at, size_t width);
void SetNumberIn(std::string* index, size_t at, size_t width, uint64_t number);

// The index's own answers for all records; one that it refuses has no place.
NaiveIndex PlacesOf(const Index& index);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_INDEX_NAIVE_INDEX_H_
