#include "src/stats/page/feature_writer.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include "src/stats/page/bins.h"
#include "src/stats/report/display_text.h"

namespace headrace::report {
namespace {

// Without the extremes, which numbers have anyway.
constexpr double kQuantiles[] = {0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99};

void AddHistogram(const std::vector<uint64_t>& counts, const BinRange& range,
                  DataWriter* writer) {
  writer->Open('[');
  writer->Value(BinCodes(counts));
  writer->Value(range.low);
  writer->Value(range.high);
  if (range.scale != 0) writer->Value(range.scale);
  writer->Close(']');
}

// The range of all finite values of one or two datasets.
struct Extent {
  double low = 0;
  double high = 0;
  bool is_empty = true;

  void Add(double min, double max) {
    low = is_empty ? min : std::min(low, min);
    high = is_empty ? max : std::max(high, max);
    is_empty = false;
  }
};

template <class T>
Extent ExtentOf(const FeatureWriter::Pair<NumberStats<T>>& pair) {
  Extent extent;
  for (const NumberStats<T>* stats : pair) {
    if (stats == nullptr || stats->finite() == 0) continue;
    extent.Add(static_cast<double>(stats->min),
               static_cast<double>(stats->max));
  }
  return extent;
}

Extent ExtentOf(const FeatureWriter::Pair<LengthStats>& pair) {
  Extent extent;
  for (const LengthStats* stats : pair) {
    if (stats == nullptr || stats->count == 0) continue;
    extent.Add(static_cast<double>(stats->min),
               static_cast<double>(stats->max));
  }
  return extent;
}

// Returns a member of the features of both sides.
template <class Get>
auto PairOf(const PageRow& row, Get get) {
  FeatureWriter::Pair<std::remove_cvref_t<decltype(*get(row.any()))>> pair = {};
  for (size_t i = 0; i < pair.size(); ++i) {
    if (row.features[i] != nullptr) pair[i] = get(*row.features[i]);
  }
  return pair;
}

template <class Stats>
const Stats* Address(const std::optional<Stats>& stats) {
  return stats ? &*stats : nullptr;
}

}  // namespace

void FeatureWriter::Write(const PageRow& row, size_t sides,
                          const std::vector<const Remark*>& remarks) {
  writer_->Open('{');
  writer_->Add("n", Printable(row.name));
  if (row.in_sequence) writer_->AddCount("s", 1);
  writer_->AddCount("k", static_cast<uint64_t>(row.any().kind));
  writer_->AddList("f", std::span(row.features).first(sides),
                   [&](const FeatureSummary* feature) {
                     if (feature == nullptr) return writer_->Null();
                     WriteSide(*feature, row);
                   });
  if (!remarks.empty()) {
    writer_->AddList("w", remarks, [&](const Remark* remark) {
      writer_->Value(remark->text);
    });
  }
  writer_->Close('}');
}

void FeatureWriter::WriteSide(const FeatureSummary& feature,
                              const PageRow& row) {
  using Feature = const FeatureSummary&;
  writer_->Open('{');
  WritePresence(feature);
  WriteLengths("v", feature.values,
               PairOf(row, [](Feature f) { return &f.values; }));
  WriteLengths("st", feature.steps,
               PairOf(row, [](Feature f) { return &f.steps; }));
  WriteLengths("sv", feature.step_values,
               PairOf(row, [](Feature f) { return &f.step_values; }));
  writer_->AddCount("us", feature.unset_steps);
  if (feature.int64s) {
    WriteNumbers("i", *feature.int64s,
                 PairOf(row, [](Feature f) { return Address(f.int64s); }));
  }
  if (feature.floats) {
    WriteNumbers("x", *feature.floats,
                 PairOf(row, [](Feature f) { return Address(f.floats); }));
  }
  if (feature.bytes) {
    WriteBytes("t", *feature.bytes, PairOf(row, [](Feature f) {
                 return f.bytes ? &f.bytes->lengths : nullptr;
               }));
  }
  if (feature.categories) WriteBytes("c", *feature.categories, {});
  WriteClasses(feature);
  writer_->Close('}');
}

void FeatureWriter::WritePresence(const FeatureSummary& feature) {
  writer_->AddCount("p", feature.present);
  writer_->AddCount("m", feature.missing);
  writer_->AddCount("u", feature.unset);
  if (std::count(std::begin(feature.present_as), std::end(feature.present_as),
                 0u) < 3) {
    writer_->AddList("k", feature.present_as,
                     [&](uint64_t count) { writer_->Value(count); });
  }
  writer_->AddCount("b", feature.encoded_bytes);
  if (feature.first_record > 0 && feature.first_record != kUnknown) {
    writer_->Key("at");
    writer_->Tuple(Printable(feature.first_file), feature.first_record);
  }
}

void FeatureWriter::WriteLengths(std::string_view key,
                                 const LengthStats& lengths,
                                 const FeatureWriter::Pair<LengthStats>& pair) {
  if (lengths.count == 0) return;
  writer_->Key(key);
  writer_->Open('[');
  writer_->Value(lengths.count);
  writer_->Value(lengths.min);
  writer_->Value(lengths.mean());
  writer_->Value(lengths.max);
  const Extent extent = ExtentOf(pair);
  if (detail_.shapes && extent.low < extent.high) {
    const BinRange range =
        EqualBins<uint64_t>(extent.low, extent.high, detail_.bins);
    AddHistogram(CountBins(lengths.distribution, range), range, writer_);
  }
  writer_->Close(']');
}

template <class T>
void FeatureWriter::WriteNumbers(
    std::string_view key, const NumberStats<T>& numbers,
    const FeatureWriter::Pair<NumberStats<T>>& pair) {
  writer_->Key(key);
  writer_->Open('{');
  writer_->AddCount("c", numbers.count);
  writer_->AddCount("z", numbers.zeros);
  writer_->AddCount("nan", numbers.nan);
  writer_->AddCount("pi", numbers.positive_infinities);
  writer_->AddCount("ni", numbers.negative_infinities);
  if (numbers.finite() > 0) WriteShape(numbers, pair);
  if (numbers.distribution.rank_error == 0) {
    WriteFrequent(numbers.distribution);
  } else {
    writer_->Add("e", numbers.distribution.rank_error);
  }
  writer_->Close('}');
}

template <class T>
void FeatureWriter::WriteShape(const NumberStats<T>& numbers,
                               const Pair<NumberStats<T>>& pair) {
  writer_->Key("r");
  writer_->Tuple(numbers.min, numbers.mean, numbers.max, numbers.std_dev);
  writer_->AddList("q", kQuantiles, [&](double q) {
    writer_->Value(numbers.distribution.Quantile(q));
  });
  const Extent extent = ExtentOf(pair);
  const BinRange range = EqualBins<T>(extent.low, extent.high, detail_.bins);
  writer_->Key("h");
  AddHistogram(CountBins(numbers.distribution, range), range, writer_);
  if (!detail_.shapes) return;
  std::vector<const Distribution<T>*> both;
  for (const NumberStats<T>* stats : pair) {
    if (stats != nullptr) both.push_back(&stats->distribution);
  }
  const std::optional<BinRange> log =
      LogBins<T>(extent.low, extent.high, detail_.bins, both);
  if (!log) return;
  writer_->Key("g");
  AddHistogram(CountBins(numbers.distribution, *log), *log, writer_);
}

// The items are all values, so the counts are exact.
template <class T>
void FeatureWriter::WriteFrequent(const Distribution<T>& distribution) {
  auto items = distribution.items;
  writer_->AddCount("n", items.size());
  std::stable_sort(
      items.begin(), items.end(),
      [](const auto& a, const auto& b) { return a.weight > b.weight; });
  items.resize(std::min(items.size(), detail_.top));
  // Values that occur once say nothing.
  while (!items.empty() && items.back().weight < 2) items.pop_back();
  if (items.empty()) return;
  writer_->AddList("o", items, [&](const auto& item) {
    writer_->Tuple(item.value, item.weight);
  });
}

void FeatureWriter::WriteBytes(
    std::string_view key, const BytesStats& bytes,
    const FeatureWriter::Pair<LengthStats>& lengths) {
  writer_->Key(key);
  writer_->Open('{');
  writer_->AddCount("c", bytes.count);
  WriteLengths("l", bytes.lengths, lengths);
  writer_->AddCount("u", bytes.utf8);
  writer_->AddCount("n", bytes.distinct);
  if (bytes.distinct_error > 0) {
    writer_->Add("e", bytes.distinct_error);
  }
  WriteTop(bytes);
  WriteSamples(bytes);
  writer_->Close('}');
}

void FeatureWriter::WriteTop(const BytesStats& bytes) {
  // Values that occur once say nothing.
  if (bytes.top.empty() || (bytes.top[0].count < 2 && bytes.count > 1)) return;
  const std::span tops(bytes.top);
  writer_->AddList(
      "o", tops.first(std::min(tops.size(), detail_.top)),
      [&](const ValueCount& top) {
        writer_->Open('[');
        writer_->Value(Printable(top.value, top.size, detail_.top_bytes));
        writer_->Value(top.count);
        if (top.error > 0) writer_->Value(top.error);
        writer_->Close(']');
      });
  writer_->AddCount("oe", bytes.top_error);
}

void FeatureWriter::WriteSamples(const BytesStats& bytes) {
  size_t pictures = pictures_;
  const size_t count = std::min(bytes.samples.size(), detail_.samples);
  if (count == 0) return;
  writer_->AddList(
      "s", std::span(bytes.samples).first(count),
      [&](const BytesSample& sample) {
        writer_->Open('[');
        writer_->Value(
            Printable(sample.value, sample.size, detail_.sample_bytes));
        writer_->Value(sample.size);
        writer_->Value(NameOf(sample.look));
        writer_->Value(sample.width);
        writer_->Value(sample.height);
        if (!sample.picture.empty() && sample.picture.size() <= pictures) {
          std::string picture;
          AppendBase64(sample.picture, &picture);
          writer_->Value(picture);
          pictures -= sample.picture.size();
        }
        writer_->Close(']');
      });
}

void FeatureWriter::WriteClasses(const FeatureSummary& feature) {
  if (feature.classes.empty()) return;
  writer_->AddList("y", feature.classes, [&](const ClassStats& a_class) {
    writer_->Open('[');
    writer_->Value(a_class.present);
    if (a_class.count > 0) {
      writer_->Value(a_class.count);
      writer_->Value(a_class.mean);
    }
    writer_->Close(']');
  });
}

}  // namespace headrace::report
