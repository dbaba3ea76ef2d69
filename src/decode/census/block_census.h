// BlockCensus makes a FeatureCensus of many records, at the speed of decoding.

#ifndef HEADRACE_SRC_DECODE_CENSUS_BLOCK_CENSUS_H_
#define HEADRACE_SRC_DECODE_CENSUS_BLOCK_CENSUS_H_

#include <memory>
#include <span>

#include "headrace/export.h"
#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"
#include "src/plan/infer/census.h"

namespace headrace {

// A BlockCensus counts blocks of records. Its census equals that of
// FeatureCensus::Add called for each of them in turn, but records whose
// features are already known are decoded, some ten times faster.
class BlockCensus {
 public:
  // Called for each record that FeatureCensus::Add refuses.
  using Refused = RefusedRecord;

  // `message` is as for FeatureCensus. `padded_input` promises that kPadding
  // bytes (limits.h) after every payload are readable; then nothing is copied.
  explicit BlockCensus(MessageType message = MessageType::kExample,
                       bool padded_input = false);
  BlockCensus(BlockCensus&&) noexcept;
  BlockCensus& operator=(BlockCensus&&) noexcept;
  ~BlockCensus();

  // Counts the records and calls `refused`, both in order. Fails with the error
  // that `refused` returns, and then does not count the records after the
  // refused one. Also fails with kOutOfMemory, which is final.
  Status Add(std::span<const NumberedRecord> records, const Refused& refused);

  const FeatureCensus& census() const HEADRACE_LIFETIME_BOUND {
    return census_;
  }

 private:
  class Impl;
  FeatureCensus census_;
  bool padded_input_;
  std::unique_ptr<Impl> impl_;  // made by the first Add
};

}  // namespace headrace

#endif  // HEADRACE_SRC_DECODE_CENSUS_BLOCK_CENSUS_H_
