#include "tests/reader/inputs/record_files.h"

#include "tests/compression/stored.h"
#include "tests/support/example_builder.h"

namespace headrace::testing {

std::vector<std::string> IdRecords(int64_t begin, int64_t end) {
  std::vector<std::string> records;
  for (int64_t i = begin; i < end; ++i) {
    records.push_back(ExampleBuilder().Int64s("id", {i}).Build());
  }
  return records;
}

Plan IdPlan() { return *Plan::ForColumns({{"id", Kind::kInt64}}); }

std::string CompressedBytes(const std::string& bytes, Compression compression) {
  return compression::Compress(compression, bytes);
}

}  // namespace headrace::testing
