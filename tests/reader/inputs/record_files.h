// Files of records with an "id" that counts up, in every compression.

#ifndef HEADRACE_TESTS_READER_INPUTS_RECORD_FILES_H_
#define HEADRACE_TESTS_READER_INPUTS_RECORD_FILES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "headrace/plan.h"
#include "headrace/types.h"
#include "tests/support/compressions.h"
#include "tests/support/record_file.h"

namespace headrace::testing {

// Examples whose feature "id" is begin, begin + 1, ... end - 1.
std::vector<std::string> IdRecords(int64_t begin, int64_t end);
Plan IdPlan();

// A file of these bytes, which may be damaged.
std::string CompressedBytes(const std::string& bytes, Compression compression);
inline std::string CompressedFile(const std::vector<std::string>& records,
                                  Compression compression) {
  return CompressedBytes(RecordFile(records), compression);
}

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_READER_INPUTS_RECORD_FILES_H_
