// FindRemarks finds what deserves attention, the most serious first.

#include "src/stats/report/remarks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/stats_report.h"
#include "src/base/text/display_text.h"
#include "src/base/text/numbers.h"
#include "src/plan/infer/tensor_head.h"

namespace headrace {
namespace {

using Reason = RemarkReason;

// If one value, or one length, has at least this share, the others are odd.
constexpr double kNearlyAll = 0.99;
constexpr double kUsualLength = 0.95;
// Number of records in which readers look for columns (ReadOptions::sample).
constexpr uint64_t kSampled = 10'000;
constexpr int64_t kExactInDoubles = int64_t{1} << 53;

constexpr size_t kLongestValue = 40;

double Share(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0
                    : static_cast<double>(part) / static_cast<double>(whole);
}

template <class T>
struct Frequent {
  T value = T();
  uint64_t count = 0;
};

// Returns the most frequent value, as far as the distribution shows.
template <class T>
Frequent<T> MostFrequent(const Distribution<T>& distribution) {
  Frequent<T> best;
  Frequent<T> current;
  for (const auto& item : distribution.items) {
    if (item.value != current.value) current = {item.value, 0};
    current.count += item.weight;
    if (current.count > best.count) best = current;
  }
  return best;
}

std::string ValueText(int64_t value) { return IntText(value); }
std::string ValueText(float value) { return NumberText(value); }

// Examines one feature and adds its remarks.
class FeatureExaminer {
 public:
  FeatureExaminer(const StatsSummary& stats, const FeatureSummary& feature,
                  std::vector<Remark>* remarks)
      : stats_(stats), feature_(feature), remarks_(remarks) {}

  void Examine() {
    if (feature_.present == 0) return ExamineAbsence();
    ExamineKinds();
    ExaminePlace();
    ExamineLengths();
    if (feature_.int64s) {
      ExamineNumbers(*feature_.int64s);
      ExamineSizes(*feature_.int64s);
    }
    if (feature_.floats) {
      ExamineNumbers(*feature_.floats);
      ExamineNonFinite(*feature_.floats);
    }
    if (feature_.bytes) ExamineBytes(*feature_.bytes);
  }

 private:
  void Add(Reason reason, std::string text) {
    remarks_->push_back(
        {feature_.name, feature_.in_sequence, reason, std::move(text)});
  }

  void ExamineAbsence() {
    Add(Reason::kMissing, feature_.unset > 0
                              ? "No record has values of it: " +
                                    Counted(feature_.unset, "record") +
                                    " name it without a kind."
                              : "No record has values of it.");
  }

  void ExamineKinds() {
    std::string kinds;
    size_t count = 0;
    for (const Kind kind : {Kind::kBytes, Kind::kFloat, Kind::kInt64}) {
      const uint64_t records = feature_.present_as[static_cast<size_t>(kind)];
      if (records == 0) continue;
      if (count++ > 0) kinds += ", ";
      kinds += std::string(KindName(kind)) + " in " + Grouped(records);
    }
    if (count > 1)
      Add(Reason::kKinds, "Its kind differs between records: " + kinds + ".");
  }

  // Readers that inspect only the first records miss a late feature.
  void ExaminePlace() {
    if (feature_.first_record == kUnknown) return;
    uint64_t before = feature_.first_record;
    for (const FileSummary& file : stats_.files) {
      if (file.name >= feature_.first_file) break;
      before += file.records;
    }
    if (before < kSampled) return;
    Add(Reason::kLate, "It first appears in record " + Grouped(before) +
                           ", after the " + Grouped(kSampled) +
                           " in which readers look for columns.");
  }

  void ExamineLengths() {
    if (feature_.values.max == 0) {
      return Add(Reason::kEmpty,
                 "It never has a value: all its lists are empty.");
    }
    const bool is_list = feature_.in_sequence;
    const LengthStats& lengths =
        is_list ? feature_.step_values : feature_.values;
    const std::string_view noun = is_list ? "step" : "record";
    const Frequent<uint64_t> usual = MostFrequent(lengths.distribution);
    if (lengths.min == lengths.max ||
        Share(usual.count, lengths.count) < kUsualLength) {
      return;
    }
    Add(Reason::kOddLengths,
        ShareText(usual.count, lengths.count) + " of the " + std::string(noun) +
            "s have " + Counted(usual.value, "value") + " of it, others from " +
            Grouped(lengths.min) + " to " + Grouped(lengths.max) + ".");
  }

  template <class T>
  void ExamineNumbers(const NumberStats<T>& numbers) {
    if (numbers.count > 1 && numbers.finite() == numbers.count &&
        numbers.min == numbers.max) {
      return Add(Reason::kConstant, "All its " +
                                        Counted(numbers.count, "value") +
                                        " are " + ValueText(numbers.min) + ".");
    }
    const Frequent<T> frequent = MostFrequent(numbers.distribution);
    AddDominant(frequent.count, numbers.count, ValueText(frequent.value));
  }

  void AddDominant(uint64_t count, uint64_t all, const std::string& value) {
    if (count == all || Share(count, all) < kNearlyAll) return;
    Add(Reason::kDominant,
        ShareText(count, all) + " of its values are " + value + ".");
  }

  void ExamineSizes(const NumberStats<int64_t>& numbers) {
    if (numbers.min >= -kExactInDoubles && numbers.max <= kExactInDoubles) {
      return;
    }
    const int64_t farthest =
        numbers.max > kExactInDoubles ? numbers.max : numbers.min;
    Add(Reason::kLargeInts,
        "It has " + ValueText(farthest) +
            ": from 2^53 on, JSON readers and anything else that "
            "uses doubles round integers.");
  }

  void ExamineNonFinite(const NumberStats<float>& numbers) {
    const std::string of_all =
        " of its " + Counted(numbers.count, "value") + ".";
    if (numbers.nan > 0) {
      Add(Reason::kNan, "It is NaN in " + Grouped(numbers.nan) + of_all);
    }
    const uint64_t infinities =
        numbers.positive_infinities + numbers.negative_infinities;
    if (infinities > 0) {
      Add(Reason::kInfinite,
          "It is infinite in " + Grouped(infinities) + of_all);
    }
  }

  void ExamineTensors(const BytesStats& bytes) {
    if (bytes.samples.empty()) return;
    for (const BytesSample& sample : bytes.samples) {
      if (sample.look != BytesLook::kTensor) return;
    }
    const BytesSample& sample = bytes.samples.front();
    const std::string tensor = infer::TensorHeadText(sample.value, sample.size);
    if (tensor.empty()) return;
    Add(Reason::kTensors,
        "Its values are TensorProtos, one of them of " + tensor +
            ": a spec with \"encoding\": \"tensor_proto\" reads them.");
  }

  void ExamineBytes(const BytesStats& bytes) {
    if (bytes.utf8 < bytes.count &&
        Share(bytes.utf8, bytes.count) >= kNearlyAll) {
      Add(Reason::kNotUtf8, "Not UTF-8: " + Grouped(bytes.count - bytes.utf8) +
                                " of its " + Counted(bytes.count, "value") +
                                "; all others are.");
    }
    ExamineTensors(bytes);
    if (bytes.top.empty()) return;
    const ValueCount& top = bytes.top.front();
    const std::string value =
        "\u201c" + Printable(top.value, top.size, kLongestValue) + "\u201d";
    if (bytes.count > 1 && bytes.distinct == 1 && bytes.distinct_error == 0) {
      return Add(Reason::kConstant, "All its " + Counted(bytes.count, "value") +
                                        " are " + value + ".");
    }
    AddDominant(top.count, bytes.count, value);
  }

  const StatsSummary& stats_;
  const FeatureSummary& feature_;
  std::vector<Remark>* const remarks_;
};

void ExamineFiles(const StatsSummary& stats, std::vector<Remark>* remarks) {
  if (stats.regions > 0) {
    remarks->push_back(
        {"", false, Reason::kDamaged,
         "Skipped as damaged: " + Counted(stats.regions, "region") +
             " of the files."});
  }
  if (stats.bad_records > 0) {
    remarks->push_back({"", false, Reason::kBadRecords,
                        "Skipped because they are not messages: " +
                            Counted(stats.bad_records, "record") + "."});
  }
  if (stats.records == 0) {
    remarks->push_back(
        {"", false, Reason::kNoRecords, "There are no records."});
  }
}

}  // namespace

template <>
std::span<const EnumName<RemarkReason>> EnumNames() {
  static constexpr EnumName<RemarkReason> kNames[] = {
      {Reason::kDamaged, "damaged"},
      {Reason::kBadRecords, "bad_records"},
      {Reason::kNoRecords, "no_records"},
      {Reason::kKinds, "kinds"},
      {Reason::kNan, "nan"},
      {Reason::kInfinite, "infinite"},
      {Reason::kMissing, "missing"},
      {Reason::kEmpty, "empty"},
      {Reason::kLate, "late"},
      {Reason::kOddLengths, "odd_lengths"},
      {Reason::kNotUtf8, "not_utf8"},
      {Reason::kLargeInts, "large_ints"},
      {Reason::kConstant, "constant"},
      {Reason::kDominant, "dominant"},
      {Reason::kTensors, "tensors"}};
  return kNames;
}

std::string_view RemarkTitle(RemarkReason reason) {
  switch (reason) {
    case Reason::kDamaged:
      return "Damaged files";
    case Reason::kBadRecords:
      return "Records that are not messages";
    case Reason::kNoRecords:
      return "No records";
    case Reason::kKinds:
      return "Kinds that disagree";
    case Reason::kNan:
      return "NaN";
    case Reason::kInfinite:
      return "Infinities";
    case Reason::kMissing:
      return "Missing everywhere";
    case Reason::kEmpty:
      return "Always empty";
    case Reason::kLate:
      return "Appears only late";
    case Reason::kOddLengths:
      return "Odd lengths";
    case Reason::kNotUtf8:
      return "Not all UTF-8";
    case Reason::kLargeInts:
      return "Integers beyond 2^53";
    case Reason::kConstant:
      return "Constant";
    case Reason::kDominant:
      return "One value in almost all records";
    case Reason::kTensors:
      return "Tensors in bytes";
  }
  return "";
}

std::vector<Remark> FindRemarks(const StatsSummary& stats) {
  std::vector<Remark> remarks;
  ExamineFiles(stats, &remarks);
  for (const FeatureSummary& feature : stats.features) {
    FeatureExaminer(stats, feature, &remarks).Examine();
  }
  std::stable_sort(
      remarks.begin(), remarks.end(),
      [](const Remark& a, const Remark& b) { return a.reason < b.reason; });
  return remarks;
}

}  // namespace headrace
