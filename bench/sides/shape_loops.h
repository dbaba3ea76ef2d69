// The least that decoding by shape takes (src/decode/example/entry_shape.h):
// records that differ in values alone are compared with the first of them, and
// their values are copied from where that one has its own.

#ifndef HEADRACE_BENCH_SIDES_SHAPE_LOOPS_H_
#define HEADRACE_BENCH_SIDES_SHAPE_LOOPS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headrace::bench {

class ShapeLoops {
 public:
  struct Shape {
    size_t size = 0;               // of a record
    std::vector<uint8_t> bytes;    // of the first one, and slack
    std::vector<uint8_t> mask;     // of what is compared
    std::vector<uint32_t> places;  // of values
    std::vector<float*> columns;   // batch_size values each
    size_t batch_size = 0;
  };

  // Empty unless all records are Examples of the same keys and one float each,
  // in the same order. They must have 64 readable bytes after them, and stay.
  static std::optional<ShapeLoops> Of(
      std::span<const std::string_view> payloads, size_t batch_size);

  // Gives the number of records whose surroundings of values are right.
  uint64_t Compare() const;
  // Also stores the values as a column for each key, of a batch at a time.
  uint64_t CompareAndCopy();

 private:
  ShapeLoops() = default;

  std::span<const std::string_view> payloads_;
  Shape shape_;
  std::vector<std::vector<float>> values_;  // by column
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_SHAPE_LOOPS_H_
