#include "tests/naive/naive_stats.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

// What all records have of one feature. A feature of Examples has one step.
struct Gathered {
  FeatureSummary summary = {};
  std::vector<uint64_t> values = {};
  std::vector<uint64_t> steps = {};
  std::vector<uint64_t> step_values = {};
  std::vector<int64_t> int64s = {};
  std::vector<float> floats = {};
  std::vector<std::string> bytes = {};
  bool seen[4] = {};  // kinds
};

std::string Canonical(const NaiveFeature& feature) {
  std::vector<float> floats;
  for (uint32_t bits : feature.floats) {
    floats.push_back(std::bit_cast<float>(bits));
  }
  switch (feature.kind) {
    case Kind::kBytes:
      return BytesFeature(feature.bytes);
    case Kind::kFloat:
      return FloatFeature(floats);
    case Kind::kInt64:
      return Int64Feature(feature.int64s);
    case Kind::kNull:
      break;
  }
  return {};
}

void TakeValues(const NaiveFeature& feature, Gathered* to) {
  to->seen[static_cast<size_t>(feature.kind)] = true;
  for (uint32_t bits : feature.floats) {
    to->floats.push_back(std::bit_cast<float>(bits));
  }
  to->int64s.insert(to->int64s.end(), feature.int64s.begin(),
                    feature.int64s.end());
  to->bytes.insert(to->bytes.end(), feature.bytes.begin(), feature.bytes.end());
}

void TakePresent(uint64_t record, uint64_t values, const std::set<Kind>& kinds,
                 Gathered* to) {
  FeatureSummary& summary = to->summary;
  if (summary.present++ == 0) summary.first_record = record;
  for (Kind kind : kinds) ++summary.present_as[static_cast<size_t>(kind)];
  to->values.push_back(values);
}

void TakeFeature(uint64_t record, const NaiveFeature& feature, Gathered* to) {
  FeatureSummary& summary = to->summary;
  summary.encoded_bytes += EntryField(summary.name, Canonical(feature)).size();
  if (feature.kind == Kind::kNull) {
    ++summary.unset;
    return;
  }
  if (summary.kind == Kind::kNull) summary.kind = feature.kind;
  TakePresent(record, feature.size(), {feature.kind}, to);
  TakeValues(feature, to);
}

void TakeList(uint64_t record, const std::vector<NaiveFeature>& steps,
              Gathered* to) {
  FeatureSummary& summary = to->summary;
  std::vector<std::string> encoded;
  std::set<Kind> kinds;
  uint64_t values = 0;
  for (const NaiveFeature& step : steps) {
    encoded.push_back(Canonical(step));
    if (step.kind == Kind::kNull) {
      ++summary.unset_steps;
      continue;
    }
    if (summary.kind == Kind::kNull) summary.kind = step.kind;
    kinds.insert(step.kind);
    values += step.size();
    to->step_values.push_back(step.size());
    TakeValues(step, to);
  }
  summary.encoded_bytes +=
      EntryField(summary.name, FeatureListOf(encoded)).size();
  to->steps.push_back(steps.size());
  TakePresent(record, values, kinds, to);
}

// Features of Examples, and then feature lists, by name.
class Gatherer {
 public:
  void Take(uint64_t record, const NaiveMessage& message) {
    for (const auto& [name, feature] : message.features) {
      TakeFeature(record, feature, Find(name, false));
    }
    for (const auto& [name, steps] : message.feature_lists) {
      TakeList(record, steps, Find(name, true));
    }
  }

  std::vector<FeatureSummary> Finish(uint64_t records,
                                     const NaiveStatsOptions& options);

 private:
  Gathered* Find(const std::string& name, bool in_sequence) {
    Gathered* found = &features_[{in_sequence, name}];
    found->summary.name = name;
    found->summary.in_sequence = in_sequence;
    return found;
  }

  std::map<std::pair<bool, std::string>, Gathered> features_;
};

std::vector<FeatureSummary> Gatherer::Finish(uint64_t records,
                                             const NaiveStatsOptions& options) {
  std::vector<FeatureSummary> summaries;
  for (auto& [key, gathered] : features_) {
    FeatureSummary& summary = gathered.summary;
    summary.missing = records - summary.present - summary.unset;
    if (summary.present > 0) summary.first_file = options.file;
    summary.values = NaiveLengths(gathered.values);
    summary.steps = NaiveLengths(gathered.steps);
    if (summary.in_sequence) {
      summary.step_values = NaiveLengths(gathered.step_values);
    }
    const auto seen = [&gathered = gathered](Kind kind) {
      return gathered.seen[static_cast<size_t>(kind)];
    };
    if (seen(Kind::kInt64)) summary.int64s = NaiveInts(gathered.int64s);
    if (seen(Kind::kFloat)) summary.floats = NaiveFloats(gathered.floats);
    if (seen(Kind::kBytes)) summary.bytes = NaiveBytes(gathered.bytes);
    if (seen(Kind::kInt64) && options.categorical.contains(summary.name)) {
      std::vector<std::string> texts;
      for (int64_t value : gathered.int64s) {
        texts.push_back(std::to_string(value));
      }
      summary.categories = NaiveBytes(texts);
    }
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

// There are more digits than double has, so sums of any order are as good.
template <class T>
void SetMoments(const std::vector<T>& finite, NumberStats<T>* stats) {
  if (finite.empty()) return;
  const auto count = static_cast<long double>(finite.size());
  long double sum = 0;
  for (T value : finite) sum += static_cast<long double>(value);
  const long double mean = sum / count;
  long double squares = 0;
  for (T value : finite) {
    const long double apart = static_cast<long double>(value) - mean;
    squares += apart * apart;
  }
  stats->min = *std::min_element(finite.begin(), finite.end());
  stats->max = *std::max_element(finite.begin(), finite.end());
  stats->mean = static_cast<double>(mean);
  stats->std_dev = static_cast<double>(std::sqrt(squares / count));
}

}  // namespace

template <class T>
Distribution<T> NaiveDistribution(const std::vector<T>& values) {
  std::map<T, uint64_t> counts;
  for (T value : values) ++counts[value];
  Distribution<T> distribution;
  distribution.total = values.size();
  for (const auto& [value, count] : counts) {
    distribution.items.push_back({value, count});
  }
  return distribution;
}

template Distribution<int64_t> NaiveDistribution(const std::vector<int64_t>&);
template Distribution<uint64_t> NaiveDistribution(const std::vector<uint64_t>&);
template Distribution<float> NaiveDistribution(const std::vector<float>&);

LengthStats NaiveLengths(const std::vector<uint64_t>& lengths) {
  LengthStats stats;
  stats.count = lengths.size();
  for (uint64_t length : lengths) stats.total += length;
  if (!lengths.empty()) {
    stats.min = *std::min_element(lengths.begin(), lengths.end());
    stats.max = *std::max_element(lengths.begin(), lengths.end());
  }
  stats.distribution = NaiveDistribution(lengths);
  return stats;
}

NumberStats<int64_t> NaiveInts(const std::vector<int64_t>& values) {
  NumberStats<int64_t> stats;
  stats.count = values.size();
  stats.zeros = static_cast<uint64_t>(
      std::count(values.begin(), values.end(), int64_t{0}));
  stats.distribution = NaiveDistribution(values);
  SetMoments(values, &stats);
  return stats;
}

NumberStats<float> NaiveFloats(const std::vector<float>& values) {
  NumberStats<float> stats;
  stats.count = values.size();
  std::vector<float> ordered;
  std::vector<float> finite;
  for (float value : values) {
    if (std::isnan(value)) {
      ++stats.nan;
      continue;
    }
    if (value == 0) ++stats.zeros;
    ordered.push_back(value);
    if (std::isinf(value)) {
      ++(value > 0 ? stats.positive_infinities : stats.negative_infinities);
    } else {
      finite.push_back(value);
    }
  }
  stats.distribution = NaiveDistribution(ordered);
  SetMoments(finite, &stats);
  return stats;
}

BytesStats NaiveBytes(const std::vector<std::string>& values) {
  BytesStats stats;
  stats.count = values.size();
  std::vector<uint64_t> lengths;
  std::map<std::string, uint64_t> counts;
  for (const std::string& value : values) {
    lengths.push_back(value.size());
    if (NaiveIsUtf8(value)) ++stats.utf8;
    ++counts[value];
  }
  stats.lengths = NaiveLengths(lengths);
  stats.distinct = counts.size();
  for (const auto& [value, count] : counts) {
    stats.top.push_back({.value = value.substr(0, kTopBytes),
                         .size = value.size(),
                         .count = count});
  }
  std::stable_sort(stats.top.begin(), stats.top.end(),
                   [](const ValueCount& a, const ValueCount& b) {
                     return a.count > b.count;
                   });
  return stats;
}

StatsSummary NaiveStats(std::span<const std::string_view> records,
                        const NaiveStatsOptions& options) {
  StatsSummary stats;
  Gatherer gatherer;
  for (size_t i = 0; i < records.size(); ++i) {
    const std::optional<NaiveMessage> message =
        NaiveParse(records[i], options.message);
    if (!message) {
      ++stats.bad_records;
      continue;
    }
    stats.message = options.message;
    ++stats.records;
    stats.bytes += records[i].size();
    gatherer.Take(i, *message);
  }
  stats.features = gatherer.Finish(stats.records, options);
  return stats;
}

}  // namespace headrace::testing
