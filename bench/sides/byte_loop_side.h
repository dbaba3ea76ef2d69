// Everybody first writes this: Examples parsed by hand, varints a byte at a
// time, keys looked up in a hash map, vectors as columns. It takes what writers
// write (values of one list in any number of fields, keys not repeated) and
// refuses the rest.

#ifndef HEADRACE_BENCH_SIDES_BYTE_LOOP_SIDE_H_
#define HEADRACE_BENCH_SIDES_BYTE_LOOP_SIDE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bench/decode/fingerprint.h"
#include "bench/decode/list_columns.h"
#include "headrace/plan.h"

namespace headrace::bench {

class ByteLoopSide {
 public:
  // It fills `columns`, of which none is a feature list.
  ByteLoopSide(std::span<const ColumnField> columns, size_t batch_size);

  // The contract is that of ProtobufSide::ParseAndFill.
  uint64_t ParseAndFill(std::span<const std::string_view> payloads,
                        std::vector<Fingerprint>* fingerprints = nullptr);

 private:
  struct Slot {
    ListColumn* column;
    bool valid = false;  // in the record at hand
  };

  bool FillEntry(std::string_view entry);

  ListColumns columns_;
  std::unordered_map<std::string_view, Slot> slots_;  // by key
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_BYTE_LOOP_SIDE_H_
