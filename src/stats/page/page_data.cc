// Writes the JSON that the script of a page reads. Members that are zero or
// empty are absent. A list of sides has one element for each dataset; it is
// null if the dataset lacks the feature.
//
//   {"sides": [side], "features": [feature]}
//   side: {"name", "records", "by", "classes": [[name, records]]}
//   feature: {"n": name, "s": 1 if a feature list, "k": kind,
//             "f": [figures of a side], "w": [remark]}
//   figures: {"p": present, "m": missing, "u": unset, "k": [records by kind],
//             "b": bytes in the file, "at": [file, record] of its first record,
//             "v": lengths of values, "st": of steps, "sv": of values a step,
//             "us": unset steps, "i": numbers, "x": numbers, "t": bytes,
//             "c": categories, "y": [[present, numbers, mean] of a class]}
//   lengths: [count, min, mean, max, histogram]
//   numbers: {"c": count, "z": zeros, "nan", "pi": positive infinities, "ni",
//             "r": [min, mean, max, deviation], "q": [quantiles],
//             "e": their error, "h": histogram, "g": logarithmic histogram,
//             "n": distinct values, "o": [[value, count]] the most frequent}
//   bytes: {"c": count, "l": lengths, "u": UTF-8, "n": distinct, "e": its
//           error, "o": [[text, count, error]], "oe": error of others,
//           "s": [[text, size, look, width, height, base64 of a picture]]}
//   histogram: [codes of bins.h, low, high, scale]

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/str_replace.h"
#include "src/base/json/json_writer.h"
#include "src/base/text/display_text.h"
#include "src/stats/page/bins.h"
#include "src/stats/page/page_parts.h"

namespace headrace::report {
namespace {

// Texts are UTF-8 that is already fit for display. Numbers that JSON lacks, or
// that the script would round, are written as texts, such as "\u221e".
struct PageJson : CompactJson {
  static void AppendText(std::string_view text, std::string* out) {
    AppendScriptString(text, out);
  }
  // Appends the number with at most six digits.
  static void AppendNumber(double number, std::string* out) {
    if (std::isnan(number)) return AppendText("NaN", out);
    if (std::isinf(number)) {
      return AppendText(number > 0 ? "\u221e" : "-\u221e", out);
    }
    char text[32];
    std::snprintf(text, sizeof(text), "%.6g", number);
    *out += text;
  }
  static void AppendNumber(float number, std::string* out) {
    AppendNumber(static_cast<double>(number), out);
  }
  static void AppendNumber(int64_t number, std::string* out) {
    constexpr int64_t kExact = int64_t{1} << 53;
    const std::string text = std::to_string(number);
    if (number < -kExact || number > kExact) return AppendText(text, out);
    *out += text;
  }
  template <std::unsigned_integral T>
  static void AppendNumber(T number, std::string* out) {
    *out += std::to_string(number);
  }
};

class DataWriter : public BasicJsonWriter<PageJson> {
 public:
  using BasicJsonWriter::BasicJsonWriter;

  // Adds a member to the object if the count is not zero.
  void AddCount(std::string_view key, uint64_t count) {
    if (count != 0) Add(key, count);
  }
};

// The quantiles that a page shows. The extremes are among the other figures.
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

// The same member, such as `floats`, of the features of both sides; null if a
// side lacks it. The histograms of both sides share bins.
template <class Stats>
using Pair = std::array<const Stats*, 2>;

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
bool HasRange(const NumberStats<T>& numbers) {
  return numbers.finite() > 0;
}
bool HasRange(const LengthStats& lengths) { return lengths.count > 0; }

template <class Stats>
Extent ExtentOf(const Pair<Stats>& pair) {
  Extent extent;
  for (const Stats* stats : pair) {
    if (stats == nullptr || !HasRange(*stats)) continue;
    extent.Add(static_cast<double>(stats->min),
               static_cast<double>(stats->max));
  }
  return extent;
}

// Returns that member of the features of both sides.
template <class Get>
auto PairOf(const PageRow& row, Get get) {
  Pair<std::remove_cvref_t<decltype(*get(row.any()))>> pair = {};
  for (size_t i = 0; i < pair.size(); ++i) {
    if (row.features[i] != nullptr) pair[i] = get(*row.features[i]);
  }
  return pair;
}

template <class Stats>
const Stats* Address(const std::optional<Stats>& stats) {
  return stats ? &*stats : nullptr;
}

// Writes the data of features.
class FeatureWriter {
 public:
  // The samples of one feature may have at most `pictures` bytes of pictures.
  FeatureWriter(const PageDetail& detail, size_t pictures, DataWriter* writer)
      : detail_(detail), pictures_(pictures), writer_(writer) {}

  void Write(const PageRow& row, size_t sides,
             const std::vector<const Remark*>& remarks) {
    writer_->Open('{');
    writer_->Add("n", Printable(row.any().name));
    if (row.any().in_sequence) writer_->AddCount("s", 1);
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

 private:
  void WriteSide(const FeatureSummary& feature, const PageRow& row) {
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

  void WritePresence(const FeatureSummary& feature) {
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

  void WriteLengths(std::string_view key, const LengthStats& lengths,
                    const Pair<LengthStats>& pair) {
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
  void WriteNumbers(std::string_view key, const NumberStats<T>& numbers,
                    const Pair<NumberStats<T>>& pair) {
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
  void WriteShape(const NumberStats<T>& numbers,
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

  // The distribution must be exact: its items are then all values, with their
  // counts.
  template <class T>
  void WriteFrequent(const Distribution<T>& distribution) {
    auto items = distribution.items;
    writer_->AddCount("n", items.size());
    std::stable_sort(
        items.begin(), items.end(),
        [](const auto& a, const auto& b) { return a.weight > b.weight; });
    items.resize(std::min(items.size(), detail_.top));
    // Values that occur once are not worth showing.
    while (!items.empty() && items.back().weight < 2) items.pop_back();
    if (items.empty()) return;
    writer_->AddList("o", items, [&](const auto& item) {
      writer_->Tuple(item.value, item.weight);
    });
  }

  void WriteBytes(std::string_view key, const BytesStats& bytes,
                  const Pair<LengthStats>& lengths) {
    writer_->Key(key);
    writer_->Open('{');
    writer_->AddCount("c", bytes.count);
    WriteLengths("l", bytes.lengths, lengths);
    writer_->AddCount("u", bytes.utf8);
    writer_->AddCount("n", bytes.distinct);
    if (bytes.distinct_error > 0) writer_->Add("e", bytes.distinct_error);
    WriteTop(bytes);
    WriteSamples(bytes);
    writer_->Close('}');
  }

  void WriteTop(const BytesStats& bytes) {
    if (!HasFrequent(bytes)) return;
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

  void WriteSamples(const BytesStats& bytes) {
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

  void WriteClasses(const FeatureSummary& feature) {
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

  const PageDetail detail_;
  const size_t pictures_;
  DataWriter* const writer_;
};

using RemarkTable =
    std::map<std::pair<bool, std::string_view>, std::vector<const Remark*>>;

RemarkTable RemarksByFeature(const PageContent& content) {
  RemarkTable table;
  for (const PageSide& side : content.sides) {
    for (const Remark& remark : side.remarks) {
      if (IsOfFiles(remark)) continue;
      table[{remark.in_sequence, remark.feature}].push_back(&remark);
    }
  }
  return table;
}

bool HasPictures(const PageRow& row) {
  for (const FeatureSummary* feature : row.features) {
    if (feature == nullptr || !feature->bytes) continue;
    for (const BytesSample& sample : feature->bytes->samples) {
      if (!sample.picture.empty()) return true;
    }
  }
  return false;
}

void WriteSideHead(const PageSide& side, DataWriter* writer) {
  writer->Open('{');
  writer->Add("name", side.name);
  writer->Add("records", side.stats->records);
  if (!side.stats->classes.empty()) {
    writer->Add("by", Printable(side.stats->by));
    writer->AddList("classes", side.stats->classes, [&](const auto& a_class) {
      writer->Tuple(Printable(a_class.first), a_class.second);
    });
  }
  writer->Close('}');
}

}  // namespace

void AppendScriptString(std::string_view text, std::string* out) {
  std::string json;
  AppendJsonString(text, &json);
  out->append(absl::StrReplaceAll(json, {{"<", "\\u003c"}}));
}

void AppendPageData(const PageContent& content, const PageDetail& detail,
                    std::string* out) {
  DataWriter writer(out);
  writer.Open('{');
  writer.AddList("sides", content.sides,
                 [&](const PageSide& side) { WriteSideHead(side, &writer); });
  const auto with_pictures = static_cast<size_t>(
      std::count_if(content.rows.begin(), content.rows.end(), HasPictures));
  FeatureWriter feature_writer(detail,
                               detail.pictures / content.sides.size() /
                                   std::max<size_t>(with_pictures, 1),
                               &writer);
  RemarkTable remarks = RemarksByFeature(content);
  writer.AddList("features", content.rows, [&](const PageRow& row) {
    feature_writer.Write(row, content.sides.size(),
                         remarks[{row.any().in_sequence, row.any().name}]);
  });
  writer.Close('}');
}

}  // namespace headrace::report
