// libprotobuf reads the same records as well as it can: messages lie in an
// arena whose first block is reused, columns reuse their memory.

#ifndef HEADRACE_BENCH_SIDES_PROTOBUF_SIDE_H_
#define HEADRACE_BENCH_SIDES_PROTOBUF_SIDE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "bench/decode/fingerprint.h"
#include "bench/decode/list_columns.h"
#include "headrace/plan.h"

namespace headrace::bench {

class ProtobufSide {
 public:
  // It fills `columns`. If one is of a feature list, records are
  // SequenceExamples.
  ProtobufSide(std::span<const ColumnField> columns, size_t batch_size);
  ~ProtobufSide();

  // Both give how many of these serialized messages libprotobuf accepted.
  // Messages come as framed and are not checksummed.
  uint64_t Parse(std::span<const std::string_view> payloads);
  // Also copies the values of all columns. `fingerprints`, if any, gets one per
  // column.
  uint64_t ParseAndFill(std::span<const std::string_view> payloads,
                        std::vector<Fingerprint>* fingerprints = nullptr);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// Gives how many of these ExampleListWithContexts libprotobuf accepted.
uint64_t ParseLists(std::span<const std::string_view> payloads,
                    std::vector<char>* block);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_SIDES_PROTOBUF_SIDE_H_
