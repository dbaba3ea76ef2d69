// The families of protobuf's own conformance suite, generated for Example and
// SequenceExample: bytes that must be rejected and bytes that must be accepted,
// at every level of nesting.

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
  // The part of that suite, or of what tf.train adds to it.
  std::string family = {};
};

// Of those that have none yet.
void SetFamily(std::string_view family, std::vector<Specimen>* specimens);
// How many of each family there are.
std::map<std::string, size_t> CountFamilies(
    const std::vector<Specimen>& specimens);

// A message inside a record where odd bytes can be put.
struct Level {
  std::string name;
  // The message that reads the record down to this level.
  MessageType type = MessageType::kExample;
  // Messages around the content, the record not counted.
  int depth = 0;
  // Fields of the level that are right, to put before and after odd ones.
  std::string sibling;
  // The record whose message at this level has exactly these bytes.
  std::string (*wrap)(std::string_view content) = nullptr;
};

// Record, features, entry, feature, each list; then the same under a feature
// list of a SequenceExample.
std::vector<Level> Levels();

// No message of any type.
std::vector<Specimen> RejectedFields();
// Fields that are unknown to every message here, or become so by their wire
// type, in every allowed spelling: they never change what a record says,
// except that a varint 1 is a value of an int64 list and a fixed32 1 one of a
// float list.
std::vector<Specimen> AcceptedFields();

// RejectedFields at every level: alone, after and before a right field.
std::vector<Specimen> RejectedAt(const Level& level);
std::vector<Specimen> AcceptedAt(const Level& level);

// Records of specific meaning: merges, duplicates, orders, extremes.
std::vector<Specimen> RejectedRecords();
std::vector<Specimen> AcceptedRecords();

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_SUPPORT_WIRE_FAMILIES_H_
