// Files of many records of one shape, as real files have them, for tests of
// what reading costs.

#ifndef HEADRACE_TESTS_RANDOM_RECORD_SHAPES_H_
#define HEADRACE_TESTS_RANDOM_RECORD_SHAPES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "tests/random/random_example.h"

namespace headrace::testing {

// floats    "embedding" of 2048 floats, "label"
// ids       8 features of 256 ids below 10^6
// criteo    66 scalars: 13 int64, each lacking in a tenth of the records, 26
//           strings and 27 floats
// ragged    lists of 0 to 60 values of each kind, one of them unset at times
// sequence  SequenceExamples of 1 to 40 steps of floats, ints and strings
// blobs     "image" of 90 to 110 KiB, "height", "width"
struct RecordShape {
  std::string name;
  std::vector<ColumnField> columns;
  std::function<std::string(Random*)> make;

  Plan plan() const { return *Plan::ForColumns(columns); }
};

const std::vector<RecordShape>& RecordShapes();
const RecordShape& ShapeNamed(std::string_view name);

struct ShapedFile {
  size_t num_records = 0;
  size_t largest_record = 0;  // with framing
};

// Writes a TFRecord file of so many records, which repeat after some thousand
// or 64 MiB. Throws std::runtime_error when it cannot.
ShapedFile WriteShape(const RecordShape& shape, size_t num_records,
                      const std::string& path);

}  // namespace headrace::testing

#endif  // HEADRACE_TESTS_RANDOM_RECORD_SHAPES_H_
