// A careful programmer builds list columns of vectors like this: cleared with
// every batch, but never freed. The sides that headrace is compared with use
// them.

#ifndef HEADRACE_BENCH_DECODE_LIST_COLUMNS_H_
#define HEADRACE_BENCH_DECODE_LIST_COLUMNS_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/decode/fingerprint.h"
#include "headrace/plan.h"

namespace headrace::bench {

struct ListColumn {
  std::string key;
  bool in_sequence = false;
  std::vector<int64_t> int64s;
  std::vector<float> floats;
  std::string bytes;                // values of kind bytes, back to back
  std::vector<size_t> value_ends;   // of values of kind bytes
  std::vector<uint32_t> step_ends;  // of feature lists, in values
  std::vector<uint8_t> step_valid;
  std::vector<uint32_t> row_ends;  // in values; in steps for feature lists
  std::vector<uint8_t> row_valid;

  void AddBytes(std::string_view value) {
    bytes.append(value);
    value_ends.push_back(bytes.size());
  }
  void EndStep(bool valid) {
    step_ends.push_back(num_values());
    step_valid.push_back(valid);
  }
  void EndRow(bool valid) {
    row_ends.push_back(in_sequence ? static_cast<uint32_t>(step_ends.size())
                                   : num_values());
    row_valid.push_back(valid);
  }

  void AddTo(Fingerprint* fingerprint) const;
  void Clear();

 private:
  uint32_t num_values() const {
    return static_cast<uint32_t>(int64s.size() + floats.size() +
                                 value_ends.size());
  }
};

class ListColumns {
 public:
  ListColumns(std::span<const ColumnField> fields, size_t batch_size);

  std::span<ListColumn> columns() { return columns_; }

  // Until the next call, `fingerprints`, unless null, gets all that is cleared.
  void Start(std::vector<Fingerprint>* fingerprints);
  // All columns have got their row.
  void EndRecord() {
    if (++rows_ == batch_size_) EndBatch();
  }
  void EndBatch();

 private:
  const size_t batch_size_;
  std::vector<ListColumn> columns_;
  size_t rows_ = 0;
  std::vector<Fingerprint>* fingerprints_ = nullptr;
};

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_DECODE_LIST_COLUMNS_H_
