// Records with the slack that DecodeOptions::padded_input promises.

#ifndef HEADRACE_TESTS_CONFORMANCE_PADDED_RECORDS_H_
#define HEADRACE_TESTS_CONFORMANCE_PADDED_RECORDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/decoder.h"

namespace headrace::conformance {

class PaddedRecords {
 public:
  explicit PaddedRecords(std::span<const std::string_view> records) {
    for (std::string_view record : records) {
      // Nothing that a decoder could take for an end.
      bytes_.emplace_back(record).append(kPadding, '\x5a');
    }
    for (const std::string& padded : bytes_) {
      views_.push_back(
          std::string_view(padded).substr(0, padded.size() - kPadding));
    }
  }
  PaddedRecords(const PaddedRecords&) = delete;
  PaddedRecords& operator=(const PaddedRecords&) = delete;

  std::span<const std::string_view> views() const { return views_; }

 private:
  std::vector<std::string> bytes_;
  std::vector<std::string_view> views_;
};

}  // namespace headrace::conformance

#endif  // HEADRACE_TESTS_CONFORMANCE_PADDED_RECORDS_H_
