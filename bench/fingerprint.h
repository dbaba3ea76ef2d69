// Fingerprint: what was read of one column, so that two readers can be seen to
// have done the same work.

#ifndef HEADRACE_BENCH_FINGERPRINT_H_
#define HEADRACE_BENCH_FINGERPRINT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include "headrace/batch.h"

namespace headrace::bench {

struct Fingerprint {
  uint64_t rows = 0;
  uint64_t nulls = 0;
  uint64_t values = 0;
  uint64_t digest = 0;  // depends on values and their order

  void Add(uint64_t value) {
    ++values;
    digest = std::rotl(digest, 5) * 0x9e3779b97f4a7c15u + value;
  }
  void Add(int64_t value) { Add(static_cast<uint64_t>(value)); }
  void Add(float value) { Add(uint64_t{std::bit_cast<uint32_t>(value)}); }
  void Add(std::string_view value) {
    Add(uint64_t{std::hash<std::string_view>()(value)});
  }
  void AddAll(const Column& column) {
    rows += column.num_rows;
    for (size_t row = 0; row < column.num_rows; ++row) {
      nulls += column.IsNull(row);
    }
    if (column.kind == Kind::kInt64) {
      for (int64_t value : column.int64s()) Add(value);
    } else if (column.kind == Kind::kFloat) {
      for (float value : column.floats()) Add(value);
    } else if (column.kind == Kind::kBytes) {
      for (std::string_view value : column.bytes()) Add(value);
    }
  }

  bool operator==(const Fingerprint&) const = default;
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_FINGERPRINT_H_
