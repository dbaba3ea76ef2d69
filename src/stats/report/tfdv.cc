// Writes the statistics of TensorFlow Metadata's statistics.proto, as
// TensorFlow Data Validation 1.16 makes them from the same records.

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/charconv.h"
#include "headrace/message.h"
#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "src/plan/tfmd/text_writer.h"
#include "src/stats/report/histogram.h"
#include "wire/append.h"

namespace headrace {
namespace {

struct MessageField {
  uint32_t number;
  const char* name;
};

enum class MessageForm : uint8_t { kBinary, kText };

// Writes a protobuf message, serialized or as text. Fields are written in the
// order of their numbers, and those that are zero or empty are left out, as
// proto3 does.
class MessageWriter {
 public:
  explicit MessageWriter(MessageForm form) : form_(form) {}

  // `fields` writes the fields of the message, if any.
  template <class Fields>
  void Message(MessageField field, Fields fields) {
    if (form_ == MessageForm::kText) return text_.Message(field.name, fields);
    std::string outer = std::move(bytes_);
    bytes_.clear();
    fields();
    wire::AppendLen(field.number, bytes_, &outer);
    bytes_ = std::move(outer);
  }

  void Uint(MessageField field, uint64_t value) {
    if (value == 0) return;
    if (form_ == MessageForm::kText) return text_.Int(field.name, value);
    wire::AppendVarint(wire::Tag(field.number, wire::kVarint), &bytes_);
    wire::AppendVarint(value, &bytes_);
  }

  void Double(MessageField field, double value) {
    if (value == 0) return;
    if (form_ == MessageForm::kText) return text_.Double(field.name, value);
    Fixed(field.number, wire::kFixed64, std::bit_cast<uint64_t>(value));
  }

  void Float(MessageField field, float value) {
    if (value == 0) return;
    if (form_ == MessageForm::kBinary) {
      return Fixed(field.number, wire::kFixed32,
                   std::bit_cast<uint32_t>(value));
    }
    // A float has fewer shortest digits than the same number as a double.
    std::array<char, 32> digits;
    double shortest = value;
    if (std::isfinite(value)) {
      const char* end =
          std::to_chars(digits.data(), digits.data() + digits.size(), value)
              .ptr;
      absl::from_chars(digits.data(), end, shortest);
    }
    text_.Double(field.name, shortest);
  }

  void Enum(MessageField field, uint64_t value, std::string_view name) {
    if (value == 0) return;
    if (form_ == MessageForm::kText) return text_.Word(field.name, name);
    Uint(field, value);
  }

  // The text is UTF-8.
  void String(MessageField field, std::string_view text) {
    if (!text.empty()) RepeatedString(field, text);
  }

  // Writes the text even if it is empty, because it is an item of a repeated
  // field.
  void RepeatedString(MessageField field, std::string_view text) {
    if (form_ == MessageForm::kText) return text_.Bytes(field.name, text);
    wire::AppendLen(field.number, text, &bytes_);
  }

  std::string Take() {
    return form_ == MessageForm::kText ? text_.Take() : std::move(bytes_);
  }

 private:
  template <class Bits>
  void Fixed(uint32_t number, wire::WireType type, Bits bits) {
    wire::AppendVarint(wire::Tag(number, type), &bytes_);
    for (size_t i = 0; i < sizeof(bits); ++i) {
      bytes_.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
    }
  }

  const MessageForm form_;
  tfmd_forms::TextWriter text_;
  std::string bytes_;
};

// Whether the first bytes of a long text are UTF-8; their last character may be
// cut.
bool IsUtf8Prefix(std::string_view bytes) {
  for (int cut = 0; cut < 4 && !bytes.empty(); ++cut) {
    if (IsUtf8(bytes)) return true;
    bytes.remove_suffix(1);
  }
  return false;
}

std::string LabelOf(const ValueCount& value) {
  const bool is_whole = value.size == value.value.size();
  if (is_whole && IsUtf8(value.value)) return value.value;
  return !is_whole && IsUtf8Prefix(value.value) ? "__LARGE_BYTES__"
                                                : "__BYTES_VALUE__";
}

// Lengths have few different values, so tenths are enough quantiles.
Quantiles LengthTenths(const LengthStats& lengths) {
  return QuantilesOf(lengths.distribution, kHistogramBuckets);
}

using tfmd::HistogramType;

class TfdvWriter {
 public:
  TfdvWriter(const StatsSummary& stats, MessageForm form)
      : stats_(stats), out_(form) {}

  std::string Write() {
    out_.Message({1, "datasets"}, [&] {
      out_.Uint({2, "num_examples"}, stats_.records);
      if (stats_.message == MessageType::kSequence) WriteSequence();
      for (const FeatureSummary& feature : stats_.features) {
        out_.Message({3, "features"}, [&] { WriteFeature(feature); });
      }
    });
    return out_.Take();
  }

 private:
  void WriteFeature(const FeatureSummary& feature) {
    switch (feature.kind) {
      case Kind::kInt64:  // type INT is 0
        if (feature.categories) {
          WriteStrings(feature, feature.categories, /*are_numbers=*/true);
        } else {
          WriteNumbers(feature, feature.int64s);
        }
        break;
      case Kind::kFloat:
        out_.Enum({2, "type"}, 1, "FLOAT");
        WriteNumbers(feature, feature.floats);
        break;
      case Kind::kBytes:
      case Kind::kNull:
        out_.Enum({2, "type"}, 2, "STRING");
        WriteStrings(feature, feature.bytes, /*are_numbers=*/false);
        break;
    }
    if (feature.in_sequence && feature.kind != Kind::kNull) {
      WriteStepLengths(feature);
    }
    WritePath(feature.name, feature.in_sequence);
  }

  // Writes the feature lists as one struct, which every record has.
  void WriteSequence() {
    LengthStats one{.count = stats_.records,
                    .min = 1,
                    .max = 1,
                    .total = stats_.records,
                    .distribution = {.items = {{1, stats_.records}},
                                     .total = stats_.records}};
    FeatureSummary structs{.present = stats_.records, .values = std::move(one)};
    out_.Message({3, "features"}, [&] {
      out_.Enum({2, "type"}, 4, "STRUCT");
      out_.Message({7, "struct_stats"}, [&] { WriteCommon(structs); });
      WritePath(kSequenceColumn, false);
    });
  }

  void WritePath(std::string_view name, bool in_sequence) {
    out_.Message({8, "path"}, [&] {
      if (in_sequence) out_.RepeatedString({1, "step"}, kSequenceColumn);
      out_.RepeatedString({1, "step"}, name);
    });
  }

  // A record that has the feature without a kind counts as missing.
  void WriteCommon(const FeatureSummary& feature) {
    const LengthStats& values = feature.values;
    const uint64_t missing = stats_.records - feature.present;
    out_.Message({1, "common_stats"}, [&] {
      out_.Uint({1, "num_non_missing"}, feature.present);
      out_.Uint({2, "num_missing"}, missing);
      if (feature.present > 0) {
        out_.Uint({3, "min_num_values"}, values.min);
        out_.Uint({4, "max_num_values"}, values.max);
        out_.Float({5, "avg_num_values"},
                   static_cast<float>(static_cast<double>(values.total) /
                                      static_cast<double>(feature.present)));
        WriteLengths({6, "num_values_histogram"}, values);
        out_.Uint({8, "tot_num_values"}, values.total);
      }
      if (!feature.in_sequence) return;
      WritePresence(feature.present, missing, feature.steps);
      WritePresence(feature.step_values.count, feature.unset_steps,
                    feature.step_values);
    });
  }

  void WritePresence(uint64_t present, uint64_t missing,
                     const LengthStats& values) {
    out_.Message({10, "presence_and_valency_stats"}, [&] {
      out_.Uint({1, "num_non_missing"}, present);
      out_.Uint({2, "num_missing"}, missing);
      out_.Uint({3, "min_num_values"}, values.min);
      out_.Uint({4, "max_num_values"}, values.max);
      out_.Uint({5, "tot_num_values"}, values.total);
    });
  }

  void WriteStepLengths(const FeatureSummary& feature) {
    const LengthStats& lengths = feature.step_values;
    out_.Message({6, "custom_stats"}, [&] {
      out_.String({1, "name"}, "level_2_value_list_length_quantiles");
      WriteLengths({4, "histogram"}, lengths);
    });
    out_.Message({6, "custom_stats"}, [&] {
      out_.String({1, "name"}, "level_2_value_list_length_standard");
      const Histogram histogram = {
          .buckets = WidthBuckets(LengthTenths(lengths),
                                  static_cast<double>(lengths.min),
                                  static_cast<double>(lengths.max), 0)};
      WriteHistogram({4, "histogram"}, histogram, HistogramType::kStandard);
    });
  }

  template <class T>
  void WriteNumbers(const FeatureSummary& feature,
                    const std::optional<NumberStats<T>>& numbers) {
    out_.Message({3, "num_stats"}, [&] {
      WriteCommon(feature);
      if (!numbers || numbers->count == 0) return;
      if (numbers->count > numbers->nan) WriteMoments(*numbers);
      WriteHistogram({8, "histograms"}, StandardHistogram(*numbers),
                     HistogramType::kStandard);
      WriteHistogram({8, "histograms"}, QuantilesHistogram(*numbers),
                     HistogramType::kQuantiles);
    });
  }

  // If there are infinite values, the mean is NaN and the deviation is left
  // out.
  template <class T>
  void WriteMoments(const NumberStats<T>& numbers) {
    const bool negative = numbers.negative_infinities > 0;
    const bool positive = numbers.positive_infinities > 0;
    auto min = static_cast<double>(numbers.min);
    auto max = static_cast<double>(numbers.max);
    if (negative || numbers.finite() == 0) {
      min = negative ? -kInfinity : kInfinity;
    }
    if (positive || numbers.finite() == 0) {
      max = positive ? kInfinity : -kInfinity;
    }
    const bool finite = !negative && !positive;
    const std::vector<double>& ends = NumberQuantiles(numbers).ends;
    out_.Double({2, "mean"}, finite ? numbers.mean
                                    : std::numeric_limits<double>::quiet_NaN());
    out_.Double({3, "std_dev"}, finite ? numbers.std_dev : 0);
    out_.Uint({4, "num_zeros"}, numbers.zeros);
    out_.Double({5, "min"}, min);
    out_.Double({6, "median"}, ends[ends.size() / 2]);
    out_.Double({7, "max"}, max);
  }

  void WriteStrings(const FeatureSummary& feature,
                    const std::optional<BytesStats>& bytes, bool are_numbers) {
    out_.Message({4, "string_stats"}, [&] {
      WriteCommon(feature);
      if (!bytes || bytes->count == 0) return;
      const std::vector<const ValueCount*> ranks =
          MostFrequent(*bytes, are_numbers);
      out_.Uint({2, "unique"}, bytes->distinct);
      for (size_t i = 0; i < ranks.size() && i < kTopValues; ++i) {
        out_.Message({3, "top_values"}, [&] {
          out_.String({2, "value"}, LabelOf(*ranks[i]));
          out_.Double({3, "frequency"}, static_cast<double>(ranks[i]->count));
        });
      }
      out_.Float({4, "avg_length"}, static_cast<float>(bytes->lengths.mean()));
      out_.Message({5, "rank_histogram"}, [&] {
        for (size_t i = 0; i < ranks.size(); ++i) {
          out_.Message({1, "buckets"}, [&] {
            out_.Uint({1, "low_rank"}, i);
            out_.Uint({2, "high_rank"}, i);
            out_.String({4, "label"}, LabelOf(*ranks[i]));
            out_.Double({5, "sample_count"},
                        static_cast<double>(ranks[i]->count));
          });
        }
      });
      out_.Uint({8, "invalid_utf8_count"}, bytes->count - bytes->utf8);
    });
  }

  void WriteHistogram(MessageField field, const Histogram& histogram,
                      HistogramType type) {
    out_.Message(field, [&] {
      out_.Uint({1, "num_nan"}, histogram.nan);
      for (const auto& bucket : histogram.buckets) {
        out_.Message({3, "buckets"}, [&] {
          out_.Double({1, "low_value"}, bucket.low);
          out_.Double({2, "high_value"}, bucket.high);
          out_.Double({4, "sample_count"}, bucket.count);
        });
      }
      out_.Enum({4, "type"}, type == HistogramType::kQuantiles, "QUANTILES");
    });
  }

  void WriteLengths(MessageField field, const LengthStats& lengths) {
    const Histogram histogram = {.buckets =
                                     DepthBuckets(LengthTenths(lengths))};
    WriteHistogram(field, histogram, HistogramType::kQuantiles);
  }

  const StatsSummary& stats_;
  MessageWriter out_;
};

}  // namespace

std::string StatsTfdv(const StatsSummary& stats) {
  return TfdvWriter(stats, MessageForm::kBinary).Write();
}

std::string StatsTfdvText(const StatsSummary& stats) {
  return TfdvWriter(stats, MessageForm::kText).Write();
}

}  // namespace headrace
