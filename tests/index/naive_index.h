// The obvious slow way to make and read indexes: from docs/formats/index.md
// alone.

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

// Makes the head's digest right, and the checks of blocks whose lengths lie
// inside the file: whatever else is wrong is then looked at.
void SealIndex(std::string* index);

// The index's own answers for all records; one that it refuses has no place.
NaiveIndex PlacesOf(const Index& index);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_INDEX_NAIVE_INDEX_H_
