// A Fingerprint of what was read of one column shows that readers have done the
// same work.

#ifndef HEADRACE_BENCH_DECODE_FINGERPRINT_H_
#define HEADRACE_BENCH_DECODE_FINGERPRINT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "headrace/batch.h"

namespace headrace::bench {

// A fingerprint takes the rows of a batch first, then its steps, then its
// values.
struct Fingerprint {
  uint64_t lists = 0;  // rows, and steps of feature lists
  uint64_t values = 0;
  uint64_t digest = 0;  // depends on everything and its order

  void AddList(bool valid, uint64_t length) {
    ++lists;
    Mix(length << 1 | uint64_t{valid});
  }
  void Add(int64_t value) { AddValue(static_cast<uint64_t>(value)); }
  void Add(float value) { AddValue(std::bit_cast<uint32_t>(value)); }
  void Add(std::string_view value) {
    AddValue(std::hash<std::string_view>()(value));
  }
  void AddAll(const Column& column) {
    AddLists(column.num_rows, column.offsets,
             [&](size_t row) { return column.IsNull(row); });
    AddLists(column.num_steps(), column.step_offsets,
             [&](size_t step) { return column.IsNullStep(step); });
    if (column.kind == Kind::kInt64) {
      for (int64_t value : column.int64s()) Add(value);
    } else if (column.kind == Kind::kFloat) {
      for (float value : column.floats()) Add(value);
    } else if (column.kind == Kind::kBytes) {
      for (std::string_view value : column.bytes()) Add(value);
    }
  }

  bool operator==(const Fingerprint&) const = default;

 private:
  void Mix(uint64_t word) {
    digest = std::rotl(digest, 5) * 0x9e3779b97f4a7c15u + word;
  }
  void AddValue(uint64_t word) {
    ++values;
    Mix(word);
  }
  template <class IsNull>
  void AddLists(size_t count, const int32_t* offsets, IsNull is_null) {
    for (size_t i = 0; i < count; ++i) {
      AddList(!is_null(i), static_cast<uint64_t>(offsets[i + 1] - offsets[i]));
    }
  }
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_DECODE_FINGERPRINT_H_
