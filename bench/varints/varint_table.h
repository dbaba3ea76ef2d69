// Results of bench_wire are held against the cycles that a kernel may take.

#ifndef HEADRACE_BENCH_VARINTS_VARINT_TABLE_H_
#define HEADRACE_BENCH_VARINTS_VARINT_TABLE_H_

#include <cstddef>
#include <span>
#include <string>

namespace headrace::bench {

// 2^20 values of one mix of widths are decoded, in lists of one length.
struct VarintFigure {
  std::string target = {};  // SIMD; empty: the byte loop
  std::string mix = {};
  size_t length = 0;
  double cycles_per_value = 0;
  double bytes_per_value = 0;
};

// Each target has a table, in the order of the figures; byte loops stand beside
// the kernels that decoded the same lists.
void PrintVarintTables(std::span<const VarintFigure> figures);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_VARINTS_VARINT_TABLE_H_
