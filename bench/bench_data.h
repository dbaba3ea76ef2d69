// TFRecord files in memory to measure on: made from a seed, every record
// distinct, of shapes that real files have.

#ifndef HEADRACE_BENCH_BENCH_DATA_H_
#define HEADRACE_BENCH_BENCH_DATA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::bench {

struct Shape {
  std::string_view name;
  std::string_view sample;  // what `headrace gen --shape` calls it
  // Keys of every record in random order, as writers in C++ leave them.
  bool shuffled = false;
  // The features to read, sorted; empty: all.
  std::span<const std::string_view> asked = {};
  bool gzip = false;  // read from a gzip file
};

std::span<const Shape> Shapes();

struct Data {
  std::string file;  // the TFRecord stream, never compressed
  size_t num_records = 0;
  size_t num_features = 0;           // Features of all records, steps included
  std::vector<ColumnField> columns;  // what to read
};

// Adds a record with right checksums.
void AppendRecord(std::string_view payload, std::string* file);

// At least `bytes` of file.
Result<Data> MakeData(const Shape& shape, size_t bytes, uint64_t seed);

// Records with random payloads of `payload_size` bytes each.
Data MakeRawData(size_t payload_size, size_t bytes);

// The payloads of an intact file, in place.
std::vector<std::string_view> Payloads(std::string_view file);

std::string RandomBytes(size_t size, uint64_t seed);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_BENCH_DATA_H_
