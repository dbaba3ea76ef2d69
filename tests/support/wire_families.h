// The families of protobuf's own conformance suite are generated for Example
// and SequenceExample: bytes that must be rejected and bytes that must be
// accepted, at every level of nesting.

#ifndef HEADRACE_TESTS_SUPPORT_WIRE_FAMILIES_H_
#define HEADRACE_TESTS_SUPPORT_WIRE_FAMILIES_H_

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/types.h"

namespace headrace::testing {

struct Specimen {
  std::string name;
  std::string bytes;
  // It is a part of that suite, or of what tf.train adds to it.
  std::string family = {};
};

// Specimens that have a family keep it.
void SetFamily(std::string_view family, std::vector<Specimen>* specimens);
// Counts the specimens of each family.
std::map<std::string, size_t> CountFamilies(
    const std::vector<Specimen>& specimens);

// Odd bytes can be put into this message inside a record.
struct Level {
  std::string name;
  // This message reads the record down to this level.
  MessageType type = MessageType::kExample;
  // So many messages are around the content, the record not counted.
  int depth = 0;
  // These fields are right here, and may stand before and after odd ones.
  std::string sibling;
  // The record's message at this level has exactly these bytes.
  std::string (*wrap)(std::string_view content) = nullptr;
};

// The levels are record, features, entry, feature, each list; then the same
// under a feature list of a SequenceExample.
std::vector<Level> Levels();

// No message of any type has these fields.
std::vector<Specimen> RejectedFields();
// Every message here finds these fields unknown, perhaps because of their wire
// type. They have every allowed spelling and never change what a record says,
// except that a varint 1 is a value of an int64 list and a fixed32 1 one of a
// float list.
std::vector<Specimen> AcceptedFields();

// RejectedFields stand alone, after and before a right field.
std::vector<Specimen> RejectedAt(const Level& level);
std::vector<Specimen> AcceptedAt(const Level& level);

// These records mean something: merges, duplicates, orders, extremes.
std::vector<Specimen> RejectedRecords();
std::vector<Specimen> AcceptedRecords();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_WIRE_FAMILIES_H_
