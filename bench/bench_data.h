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

namespace headrace::bench {

// floats            "embedding" of 2048 floats, "label"
// ids               8 features of 256 ids below 10^6, uniform in the logarithm
// hashes            2 features of 128 random int64: nearly all 9 or 10 bytes
// blobs             "image" of 90 to 110 KiB, "height", "width"
// criteo            66 scalars: 13 int64 (each lacking in a tenth of the
//                   records), 26 strings of 8 hex digits, 27 floats; keys
//                   sorted
// criteo-shuffled   the same with the keys of every record in random order, as
//                   writers in C++ leave them
// criteo-6          as criteo, but only 6 of the 66 are asked for
// scalars           100 single floats
enum class Shape : uint8_t {
  kFloats,
  kIds,
  kHashes,
  kBlobs,
  kCriteo,
  kCriteoShuffled,
  kCriteoSix,
  kScalars,
};

inline constexpr Shape kShapes[] = {
    Shape::kFloats,    Shape::kIds,     Shape::kHashes,
    Shape::kBlobs,     Shape::kCriteo,  Shape::kCriteoShuffled,
    Shape::kCriteoSix, Shape::kScalars,
};

std::string_view ShapeName(Shape shape);

struct Data {
  std::string file;  // the TFRecord stream
  size_t num_records = 0;
  size_t num_features = 0;  // entries of all records
  // What to read: all features of the shape, but for criteo-6.
  std::vector<ColumnField> columns;
};

// At least `bytes` of file.
Data MakeData(Shape shape, size_t bytes, uint64_t seed);

// Records with random payloads of `payload_size` bytes each.
Data MakeRawData(size_t payload_size, size_t bytes, uint64_t seed);

// The payloads of an intact file, in place.
std::vector<std::string_view> Payloads(std::string_view file);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_BENCH_DATA_H_
