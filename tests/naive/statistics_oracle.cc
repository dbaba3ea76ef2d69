#include "tests/naive/statistics_oracle.h"

#include "google/protobuf/text_format.h"
#include "google/protobuf/util/message_differencer.h"
#include "tests/naive/statistics.pb.h"

namespace headrace::testing {

namespace {

using google::protobuf::util::MessageDifferencer;
using Statistics = ::tensorflow::metadata::v0::DatasetFeatureStatisticsList;

}  // namespace

std::string StatisticsDifference(const std::string& bytes,
                                 const std::string& text) {
  Statistics binary;
  if (!binary.ParseFromString(bytes)) return "the bytes do not parse";
  Statistics known = binary;
  known.DiscardUnknownFields();
  if (known.ByteSizeLong() != bytes.size()) return "a field is not known";
  if (binary.SerializeAsString() != bytes) return "the bytes are others";
  Statistics parsed;
  if (!google::protobuf::TextFormat::ParseFromString(text, &parsed)) {
    return "the text does not parse";
  }
  std::string difference;
  MessageDifferencer differencer;
  differencer.set_message_field_comparison(MessageDifferencer::EQUIVALENT);
  differencer.ReportDifferencesToString(&difference);
  google::protobuf::util::DefaultFieldComparator comparator;
  comparator.set_treat_nan_as_equal(true);
  differencer.set_field_comparator(&comparator);
  differencer.Compare(binary, parsed);
  return difference;
}

}  // namespace headrace::testing
