#include "tests/agreement/census_agreement.h"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "headrace/decoder.h"
#include "tests/support/hex.h"

namespace headrace::testing {
namespace {

void Append(const std::map<std::string, FeatureCount>& counts,
            std::ostringstream* out) {
  for (const auto& [key, c] : counts) {
    *out << ToHex(key) << " kind " << static_cast<int>(c.kind) << " first "
         << c.first_typed_record << " present " << c.present << " unset "
         << c.unset << " empty " << c.empty << " values " << c.values
         << " length " << c.min_length << " " << c.max_length << " lists "
         << c.lists << " steps " << c.min_steps << " " << c.max_steps
         << " example " << c.example << "\n";
  }
}

// The records, each with padding that no decoder should take for an end.
class PaddedRecords {
 public:
  explicit PaddedRecords(const std::vector<std::string>& records) {
    for (const std::string& record : records) {
      bytes_.push_back(record + std::string(kPadding, '\xA5'));
      records_.push_back(
          {std::string_view(bytes_.back()).substr(0, record.size()),
           records_.size()});
    }
  }
  std::span<const NumberedRecord> get() const { return records_; }

 private:
  std::deque<std::string> bytes_;
  std::vector<NumberedRecord> records_;
};

std::string DescribeError(uint64_t record, const Status& status) {
  const ErrorInfo& info = *status.info();
  std::ostringstream out;
  out << record << " " << status.ToString() << " record " << info.record
      << " feature " << info.feature << " expected " << info.expected
      << " found " << info.found << "\n";
  return out.str();
}

std::string Difference(const std::vector<std::string>& records,
                       MessageType message, std::span<const size_t> block_sizes,
                       bool padded) {
  const PaddedRecords numbered(records);
  FeatureCensus expected(message);
  BlockCensus census(message, padded);
  size_t turn = 0;
  for (size_t next = 0; next < records.size();) {
    const size_t size = std::min(block_sizes[turn++ % block_sizes.size()],
                                 records.size() - next);
    std::string errors, block_errors;
    for (size_t i = next; i < next + size; ++i) {
      const Status status = expected.Add(records[i], i);
      if (!status.ok()) errors += DescribeError(i, status);
    }
    const Status status = census.Add(
        numbered.get().subspan(next, size), [&](size_t i, const Status& error) {
          block_errors += DescribeError(next + i, error);
          return Status();
        });
    if (!status.ok()) return "failed: " + status.ToString();
    next += size;
    const std::string place = "after record " + std::to_string(next);
    if (errors != block_errors) {
      return place + ", expected errors:\n" + errors + "found:\n" +
             block_errors;
    }
    const std::string text = ToText(expected), found = ToText(census.census());
    if (text != found) {
      return place + ", expected:\n" + text + "found:\n" + found;
    }
  }
  return {};
}

}  // namespace

std::string ToText(const FeatureCensus& census) {
  std::ostringstream out;
  out << "message " << static_cast<int>(census.message()) << " records "
      << census.num_records() << " lists " << census.has_feature_lists()
      << " conflicts " << census.num_conflicts() << "\n";
  Append(census.features(), &out);
  out << "feature lists\n";
  Append(census.feature_lists(), &out);
  for (const KindConflict& c : census.conflicts()) {
    out << "conflict " << ToHex(c.feature) << " " << static_cast<int>(c.first)
        << " in " << c.first_record << ", " << static_cast<int>(c.second)
        << " in " << c.second_record << "\n";
  }
  return out.str();
}

std::string CensusDifference(const std::vector<std::string>& records,
                             MessageType message,
                             std::span<const size_t> block_sizes) {
  for (const bool padded : {true, false}) {
    std::string difference = Difference(records, message, block_sizes, padded);
    if (!difference.empty()) return difference;
  }
  return {};
}

}  // namespace headrace::testing
