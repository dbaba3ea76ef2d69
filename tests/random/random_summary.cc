#include "tests/random/random_summary.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/random/counted_values.h"
#include "tests/random/random_example.h"
#include "tests/random/small_png.h"

namespace headrace::testing {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kProfileNames[] = {
    "label",   "user_id", "temperature", "price",  "ratio",  "clicks", "epoch",
    "country", "comment", "thumbnail",   "vector", "box",    "late",   "mixed",
    "frames",  "unset",   "big_id",      "digest", "mostly", "flag"};

constexpr std::string_view kHostile[] = {
    "<script>alert(1)</script>"sv,
    "</script><img src=x onerror=alert(1)>"sv,
    "<!--<script>"sv,
    "]]>&amp;&lt;"sv,
    "\"'`${alert(1)}"sv,
    "a\u2028line\u2029"sv,
    "\u202etxet\u202c"sv,
    "nul\0\x01\x1b[31m"sv,
    "\xff\xfe\xc3("sv,
    "__proto__"sv,
    "\u05e9\u05dc\u05d5\u05dd \u0627\u0644\u0639"sv,
    "{\"$ref\":\"#\"}\\u003c"sv,
    ""sv,
    "javascript:alert(1)"sv,
    "constructor"sv,
    "a\r\nb\tc"sv,
};
constexpr std::string_view kCountries[] = {"DE", "FR", "US", "BR", "JP", "IN",
                                           "CN", "NG", "PL", "SE", "IT", "ES"};
constexpr std::string_view kWordList[] = {
    "river", "stone",  "weir", "turbine",  "flow", "gate",
    "mill",  "sluice", "dam",  "spillway", "pond", "channel"};

// Draws the values of one dataset, and counts them.
class SummaryMaker {
 public:
  SummaryMaker(uint64_t seed, const SummaryShape& shape)
      : seed_(seed), random_(seed), shape_(shape) {}

  StatsSummary Make();

 private:
  FeatureSummary Feature(size_t i);
  std::string Name(size_t i, std::string_view profile) const;
  void SetPresence(double share, FeatureSummary* feature);
  void SetClasses(double mean, FeatureSummary* feature);
  // Each present record has one value, or so many as the function says.
  template <class Length>
  uint64_t SetLengths(Length length, FeatureSummary* feature);
  template <class Draw>
  void SetInts(size_t values, Draw draw, FeatureSummary* feature);
  template <class Draw>
  void SetFloats(size_t values, Draw draw, FeatureSummary* feature);
  template <class Draw>
  void SetBytes(size_t values, Draw draw, FeatureSummary* feature);
  void SetNumbers(std::string_view profile, FeatureSummary* feature);
  void SetTexts(std::string_view profile, FeatureSummary* feature);
  void SetLists(std::string_view profile, FeatureSummary* feature);
  void SetPictures(FeatureSummary* feature);
  void SetSteps(FeatureSummary* feature);

  double Uniform() {
    return static_cast<double>(random_.Bits() >> 11) * 0x1p-53;
  }
  double Normal() {
    constexpr double kTurn = 6.283185307179586;
    return std::sqrt(-2 * std::log(1 - Uniform())) *
           std::cos(kTurn * Uniform());
  }
  std::string Sentence() {
    std::string text;
    for (size_t i = 2 + random_.Below(8); i > 0; --i) {
      text += kWordList[random_.Below(std::size(kWordList))];
      text += ' ';
    }
    if (shape_.hostile) text += kHostile[random_.Below(std::size(kHostile))];
    return text;
  }

  const uint64_t seed_;
  Random random_;
  const SummaryShape shape_;
};

std::string SummaryMaker::Name(size_t i, std::string_view profile) const {
  char number[32];
  std::snprintf(number, sizeof(number), "_%04zu", i);
  std::string name(profile);
  if (shape_.hostile && i < std::size(kHostile))
    return std::string(kHostile[i]);
  if (shape_.hostile) name += kHostile[i % std::size(kHostile)];
  return shape_.features > std::size(kProfileNames) ? name + number : name;
}

void SummaryMaker::SetPresence(double share, FeatureSummary* feature) {
  for (size_t i = 0; i < shape_.records; ++i) {
    if (share >= 1 || Uniform() < share) ++feature->present;
  }
  feature->missing = shape_.records - feature->present;
  feature->first_file = "train-00000.tfrecord";
}

void SummaryMaker::SetClasses(double mean, FeatureSummary* feature) {
  for (const double share : {0.75, 0.25}) {
    const auto present =
        static_cast<uint64_t>(share * static_cast<double>(feature->present));
    const bool has_numbers = feature->int64s || feature->floats;
    feature->classes.push_back({.present = present,
                                .count = has_numbers ? present : 0,
                                .mean = has_numbers ? mean + share : 0});
  }
}

template <class Length>
uint64_t SummaryMaker::SetLengths(Length length, FeatureSummary* feature) {
  std::vector<uint64_t> lengths;
  for (uint64_t i = 0; i < feature->present; ++i) {
    lengths.push_back(static_cast<uint64_t>(length()));
  }
  feature->values = LengthsOf(std::move(lengths));
  return feature->values.total;
}

template <class Draw>
void SummaryMaker::SetInts(size_t values, Draw draw, FeatureSummary* feature) {
  std::vector<int64_t> drawn;
  for (size_t i = 0; i < values; ++i) drawn.push_back(draw());
  feature->int64s = NumbersOf(drawn);
  feature->kind = Kind::kInt64;
  feature->present_as[3] = feature->present;
  feature->encoded_bytes = 20 * feature->present + values;
}

template <class Draw>
void SummaryMaker::SetFloats(size_t values, Draw draw,
                             FeatureSummary* feature) {
  std::vector<float> drawn;
  for (size_t i = 0; i < values; ++i) {
    drawn.push_back(static_cast<float>(draw()));
  }
  feature->floats = NumbersOf(drawn);
  feature->kind = Kind::kFloat;
  feature->present_as[2] = feature->present;
  feature->encoded_bytes = 20 * feature->present + 4 * values;
}

template <class Draw>
void SummaryMaker::SetBytes(size_t values, Draw draw, FeatureSummary* feature) {
  std::vector<std::string> drawn;
  for (size_t i = 0; i < values; ++i) drawn.emplace_back(draw());
  feature->bytes = BytesOf(drawn);
  feature->kind = Kind::kBytes;
  feature->present_as[1] = feature->present;
  feature->encoded_bytes =
      22 * feature->present + feature->bytes->lengths.total;
}

void SummaryMaker::SetNumbers(std::string_view profile,
                              FeatureSummary* feature) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  SetPresence(profile == "clicks" ? 0.8 : 1, feature);
  const size_t n = SetLengths([] { return 1; }, feature);
  const double shift = seed_ % 2 == 0 ? 0 : 3;
  const auto whole = [](double number) { return static_cast<int64_t>(number); };
  if (profile == "label") {
    SetInts(
        n, [&] { return Uniform() < 0.25 ? 1 : 0; }, feature);
  } else if (profile == "user_id") {
    SetInts(
        n, [&] { return whole(Uniform() * 1e6); }, feature);
  } else if (profile == "big_id") {
    SetInts(
        n, [&] { return whole(Uniform() * 0x1p62); }, feature);
  } else if (profile == "epoch") {
    SetInts(
        n, [] { return 7; }, feature);
  } else if (profile == "mostly") {
    SetInts(
        n, [&] { return Uniform() < 0.995 ? 0 : 5; }, feature);
  } else if (profile == "clicks") {
    SetInts(
        n, [&] { return whole(std::exp(2 * Normal() + shift)); }, feature);
  } else if (profile == "price") {
    SetFloats(
        n, [&] { return std::exp(1.5 * Normal() + 3); }, feature);
  } else if (profile == "ratio") {
    SetFloats(
        n,
        [&]() -> double {
          const double draw = Uniform();
          if (draw < 0.02) return kNan;
          return draw < 0.03 ? kInfinity : draw;
        },
        feature);
  } else {
    SetFloats(
        n, [&] { return 15 + 8 * Normal() + shift; }, feature);
  }
}

void SummaryMaker::SetTexts(std::string_view profile, FeatureSummary* feature) {
  SetPresence(profile == "comment" ? 0.6 : 1, feature);
  const size_t n = SetLengths([] { return 1; }, feature);
  if (profile == "comment") {
    SetBytes(
        n, [&] { return Sentence(); }, feature);
  } else if (profile == "digest") {
    SetBytes(
        n, [&] { return random_.Bytes(16); }, feature);
    for (BytesSample& sample : feature->bytes->samples) {
      sample.look = BytesLook::kOther;
    }
  } else if (profile == "flag") {
    SetBytes(
        n, [&] { return Uniform() < 0.9 ? "yes" : "no"; }, feature);
  } else {
    SetBytes(
        n,
        [&] {
          const double skewed = Uniform() * Uniform();
          const size_t at = static_cast<size_t>(skewed * 12);
          return shape_.hostile ? kHostile[at] : kCountries[at];
        },
        feature);
  }
}

void SummaryMaker::SetLists(std::string_view profile, FeatureSummary* feature) {
  SetPresence(profile == "late" ? 0.01 : 1, feature);
  if (profile == "vector") {
    const size_t n = SetLengths([] { return 16; }, feature);
    SetFloats(
        n, [&] { return Normal(); }, feature);
  } else if (profile == "box") {
    const size_t n =
        SetLengths([&] { return random_.OneIn(100) ? 3 : 4; }, feature);
    SetFloats(
        n, [&] { return Uniform() * 640; }, feature);
  } else {
    const size_t n = SetLengths([&] { return random_.Below(20); }, feature);
    SetInts(
        n, [&] { return static_cast<int64_t>(random_.Below(30000)); }, feature);
    if (profile == "late") feature->first_record = 123'456;
  }
  if (profile == "mixed") {
    feature->present_as[2] = feature->present / 10;
    feature->present_as[3] = feature->present - feature->present_as[2];
    feature->floats = NumbersOf(std::vector<float>(5, 1.5f));
  }
}

void SummaryMaker::SetPictures(FeatureSummary* feature) {
  SetPresence(1, feature);
  const size_t n = SetLengths([] { return 1; }, feature);
  SetBytes(
      n, [&] { return SmallPng(random_.Below(4), 16); }, feature);
  uint64_t i = 0;
  for (BytesSample& sample : feature->bytes->samples) {
    sample.look = BytesLook::kPng;
    sample.width = sample.height = 48;
    if (shape_.pictures) sample.picture = SmallPng(i++, 48);
    sample.size = SmallPng(i, 48).size();
  }
}

void SummaryMaker::SetSteps(FeatureSummary* feature) {
  feature->in_sequence = true;
  SetPresence(0.9, feature);
  std::vector<uint64_t> steps;
  std::vector<uint64_t> step_values;
  const size_t n = SetLengths([&] { return 3 * random_.Below(30); }, feature);
  for (uint64_t i = 0; i < feature->present; ++i) {
    steps.push_back(random_.Below(30));
  }
  for (size_t i = 0; i < n / 3; ++i) step_values.push_back(3);
  feature->steps = LengthsOf(std::move(steps));
  feature->step_values = LengthsOf(std::move(step_values));
  SetFloats(
      n, [&] { return Normal(); }, feature);
}

FeatureSummary SummaryMaker::Feature(size_t i) {
  const std::string_view profile = kProfileNames[i % std::size(kProfileNames)];
  FeatureSummary feature;
  feature.name = Name(i, profile);
  if (profile == "vector" || profile == "box" || profile == "late" ||
      profile == "mixed") {
    SetLists(profile, &feature);
  } else if (profile == "comment" || profile == "country" ||
             profile == "digest" || profile == "flag") {
    SetTexts(profile, &feature);
  } else if (profile == "thumbnail") {
    SetPictures(&feature);
  } else if (profile == "frames") {
    SetSteps(&feature);
  } else if (profile == "unset") {
    feature.unset = shape_.records;
  } else {
    SetNumbers(profile, &feature);
  }
  SetClasses(static_cast<double>(i), &feature);
  return feature;
}

StatsSummary SummaryMaker::Make() {
  StatsSummary summary;
  summary.message = MessageType::kSequence;
  summary.records = shape_.records;
  summary.by = "label";
  const uint64_t rare = shape_.records / 4;
  summary.classes = {{"0", shape_.records - rare}, {"1", rare}};
  for (size_t i = 0; i < shape_.features; ++i) {
    if (i % 17 == 16 - seed_ % 2) continue;
    summary.features.push_back(Feature(i));
    summary.bytes += summary.features.back().encoded_bytes;
  }
  std::sort(summary.features.begin(), summary.features.end(),
            [](const FeatureSummary& a, const FeatureSummary& b) {
              return std::tie(a.in_sequence, a.name) <
                     std::tie(b.in_sequence, b.name);
            });
  summary.files = {
      {"train-00000.tfrecord", shape_.records / 2, summary.bytes / 2},
      {"train-00001.tfrecord.gz", shape_.records - shape_.records / 2,
       summary.bytes - summary.bytes / 2, Compression::kGzip}};
  summary.regions = seed_ % 3;
  summary.bad_records = seed_ % 2;
  return summary;
}

}  // namespace

StatsSummary RandomSummary(uint64_t seed, const SummaryShape& shape) {
  return SummaryMaker(seed, shape).Make();
}

}  // namespace headrace::testing
