// Writes the statistics of TensorFlow Metadata's statistics.proto, as
// TensorFlow Data Validation 1.16 makes them from the same records.

#include <limits>
#include <string>
#include <vector>

#include "headrace/schema.h"
#include "headrace/stats_report.h"
#include "src/stats/report/histogram.h"
#include "src/stats/report/message_writer.h"
#include "src/stats/report/quantiles.h"
#include "src/stats/report/rank_histogram.h"

namespace headrace {
namespace {

class TfdvWriter {
 public:
  TfdvWriter(const StatsSummary& stats, MessageForm form)
      : stats_(stats), out_(form) {}

  std::string Write();

 private:
  void WriteFeature(const FeatureSummary& feature);
  void WriteSequence();
  void WritePath(std::string_view name, bool in_sequence);

  void WriteCommon(const FeatureSummary& feature);
  void WritePresence(uint64_t present, uint64_t missing,
                     const LengthStats& values);
  void WriteStepLengths(const FeatureSummary& feature);

  template <class T>
  void WriteNumbers(const FeatureSummary& feature,
                    const std::optional<NumberStats<T>>& numbers);
  template <class T>
  void WriteMoments(const NumberStats<T>& numbers);
  void WriteStrings(const FeatureSummary& feature,
                    const std::optional<BytesStats>& bytes, bool are_numbers);

  enum class HistogramType : uint8_t { kStandard, kQuantiles };
  void WriteHistogram(MessageField field, const Histogram& histogram,
                      HistogramType type);
  void WriteLengths(MessageField field, const LengthStats& lengths);

  const StatsSummary& stats_;
  MessageWriter out_;
};

// There are few different lengths, so the tenths are enough quantiles.
Quantiles LengthTenths(const LengthStats& lengths) {
  return QuantilesOf(lengths.distribution, kHistogramBuckets);
}

std::string TfdvWriter::Write() {
  out_.Message({1, "datasets"}, [&] {
    out_.Uint({2, "num_examples"}, stats_.records);
    if (stats_.message == MessageType::kSequence) WriteSequence();
    for (const FeatureSummary& feature : stats_.features) {
      out_.Message({3, "features"}, [&] { WriteFeature(feature); });
    }
  });
  return out_.Take();
}

void TfdvWriter::WriteFeature(const FeatureSummary& feature) {
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
void TfdvWriter::WriteSequence() {
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

void TfdvWriter::WritePath(std::string_view name, bool in_sequence) {
  out_.Message({8, "path"}, [&] {
    if (in_sequence) out_.RepeatedString({1, "step"}, kSequenceColumn);
    out_.RepeatedString({1, "step"}, name);
  });
}

// A feature without a kind counts as missing.
void TfdvWriter::WriteCommon(const FeatureSummary& feature) {
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

void TfdvWriter::WritePresence(uint64_t present, uint64_t missing,
                               const LengthStats& values) {
  out_.Message({10, "presence_and_valency_stats"}, [&] {
    out_.Uint({1, "num_non_missing"}, present);
    out_.Uint({2, "num_missing"}, missing);
    out_.Uint({3, "min_num_values"}, values.min);
    out_.Uint({4, "max_num_values"}, values.max);
    out_.Uint({5, "tot_num_values"}, values.total);
  });
}

void TfdvWriter::WriteStepLengths(const FeatureSummary& feature) {
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
void TfdvWriter::WriteNumbers(const FeatureSummary& feature,
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

// If there are infinite values, the mean is NaN and the deviation is left out.
template <class T>
void TfdvWriter::WriteMoments(const NumberStats<T>& numbers) {
  const bool negative = numbers.negative_infinities > 0;
  const bool positive = numbers.positive_infinities > 0;
  auto min = static_cast<double>(numbers.min);
  auto max = static_cast<double>(numbers.max);
  if (negative || numbers.finite() == 0)
    min = negative ? -kInfinity : kInfinity;
  if (positive || numbers.finite() == 0)
    max = positive ? kInfinity : -kInfinity;
  const bool finite = !negative && !positive;
  const std::vector<double>& ends = NumberQuantiles(numbers).ends;
  out_.Double({2, "mean"},
              finite ? numbers.mean : std::numeric_limits<double>::quiet_NaN());
  out_.Double({3, "std_dev"}, finite ? numbers.std_dev : 0);
  out_.Uint({4, "num_zeros"}, numbers.zeros);
  out_.Double({5, "min"}, min);
  out_.Double({6, "median"}, ends[ends.size() / 2]);
  out_.Double({7, "max"}, max);
}

void TfdvWriter::WriteStrings(const FeatureSummary& feature,
                              const std::optional<BytesStats>& bytes,
                              bool are_numbers) {
  out_.Message({4, "string_stats"}, [&] {
    WriteCommon(feature);
    if (!bytes || bytes->count == 0) return;
    const std::vector<RankedValue> ranks = RankValues(*bytes, are_numbers);
    out_.Uint({2, "unique"}, bytes->distinct);
    for (size_t i = 0; i < ranks.size() && i < kTopValues; ++i) {
      out_.Message({3, "top_values"}, [&] {
        out_.String({2, "value"}, ranks[i].label);
        out_.Double({3, "frequency"}, static_cast<double>(ranks[i].count));
      });
    }
    out_.Float({4, "avg_length"}, static_cast<float>(bytes->lengths.mean()));
    out_.Message({5, "rank_histogram"}, [&] {
      for (size_t i = 0; i < ranks.size(); ++i) {
        out_.Message({1, "buckets"}, [&] {
          out_.Uint({1, "low_rank"}, i);
          out_.Uint({2, "high_rank"}, i);
          out_.String({4, "label"}, ranks[i].label);
          out_.Double({5, "sample_count"}, static_cast<double>(ranks[i].count));
        });
      }
    });
    out_.Uint({8, "invalid_utf8_count"}, bytes->count - bytes->utf8);
  });
}

void TfdvWriter::WriteHistogram(MessageField field, const Histogram& histogram,
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

void TfdvWriter::WriteLengths(MessageField field, const LengthStats& lengths) {
  const Histogram histogram = {.buckets = DepthBuckets(LengthTenths(lengths))};
  WriteHistogram(field, histogram, HistogramType::kQuantiles);
}

}  // namespace

std::string StatsTfdv(const StatsSummary& stats) {
  return TfdvWriter(stats, MessageForm::kBinary).Write();
}

std::string StatsTfdvText(const StatsSummary& stats) {
  return TfdvWriter(stats, MessageForm::kText).Write();
}

}  // namespace headrace
