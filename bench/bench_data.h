// TFRecord files to measure on lie in memory, made from a seed, with distinct
// records, in shapes that real files have.

#ifndef HEADRACE_BENCH_BENCH_DATA_H_
#define HEADRACE_BENCH_BENCH_DATA_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::bench {

struct Shape {
  std::string_view name;
  std::string_view sample;  // what `headrace gen --shape` calls it
  // Many writers leave the keys of every record in random order, others all
  // keys in that of one hash.
  bool shuffled = false;
  bool hashed = false;
  // Every so many records lack one feature, always another one.
  size_t lacking = 0;
  // These features are read, sorted; empty: all.
  std::span<const std::string_view> asked = {};
  bool gzip = false;   // read from a gzip file
  bool lists = false;  // of Examples, as tensors
};

std::span<const Shape> Shapes();

struct Data {
  std::string file;  // the TFRecord stream, never compressed
  size_t num_records = 0;
  size_t num_features = 0;           // of all records, steps included
  std::vector<ColumnField> columns;  // columns to read
  FeatureSpec spec;                  // of lists of Examples
};

void AppendRecord(std::string_view payload, std::string* file);

// The file has at least `bytes` bytes.
Result<Data> MakeData(const Shape& shape, size_t bytes, uint64_t seed);

// Payloads are random and have `payload_size` bytes each.
Data MakeRawData(size_t payload_size, size_t bytes);

// The file is intact; payloads stay in place.
std::vector<std::string_view> Payloads(std::string_view file);

std::string RandomBytes(size_t size, uint64_t seed);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_BENCH_DATA_H_
