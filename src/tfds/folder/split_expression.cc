// Parses expressions of splits and slices, such as "train[:10%] + test", by
// rules S1 to S5 of docs/formats/tfds.md.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/tfds/folder/metadata.h"

namespace headrace::tfds {
namespace {

constexpr std::string_view kPercent = "%";
constexpr std::string_view kShard = "shard";

bool IsDigitChar(char c) { return c >= '0' && c <= '9'; }

// Whether \w of a regular expression would match the character, or it is "-".
// All bytes of letters outside ASCII have the high bit set.
bool IsNameChar(char c) {
  return IsDigitChar(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         c == '_' || c == '-' || (static_cast<unsigned char>(c) & 0x80) != 0;
}

bool IsBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// One side of a slice. Digits are kept as text until the unit is known.
struct Bound {
  std::string_view number = {};  // "-1_0.5"; empty if there is none
  std::string_view unit = {};
};

std::optional<Bound> ParseBound(std::string_view text) {
  if (text.empty()) return Bound();
  size_t end = text[0] == '-' ? 1 : 0;
  const size_t digits = end;
  while (end < text.size() &&
         (IsDigitChar(text[end]) || text[end] == '_' || text[end] == '.')) {
    ++end;
  }
  if (end == digits) return std::nullopt;
  const Bound bound = {text.substr(0, end), text.substr(end)};
  const bool has_unit =
      bound.unit.empty() || bound.unit == kPercent || bound.unit == kShard;
  return has_unit ? std::optional(bound) : std::nullopt;
}

// Returns the number without "_"; empty if it is not valid. Each "_" must be
// between two digits, as in Python.
std::string PlainNumber(std::string_view text, bool is_whole) {
  std::string plain;
  bool has_point = is_whole;
  bool has_digit = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '_') {
      if (i == 0 || i + 1 == text.size() || !IsDigitChar(text[i - 1]) ||
          !IsDigitChar(text[i + 1])) {
        return std::string();
      }
      continue;
    }
    if (text[i] == '.' && std::exchange(has_point, true)) return std::string();
    has_digit |= IsDigitChar(text[i]);
    plain += text[i];
  }
  return has_digit ? plain : std::string();
}

// Saturates: a number that does not fit 64 bits is beyond the end of every
// split.
std::optional<int64_t> WholeNumber(std::string_view text) {
  const std::string plain = PlainNumber(text, true);
  if (plain.empty()) return std::nullopt;
  return std::strtoll(plain.c_str(), nullptr, 10);
}

std::optional<double> FractionNumber(std::string_view text) {
  const std::string plain = PlainNumber(text, false);
  if (plain.empty()) return std::nullopt;
  double value = 0;
  if (!absl::SimpleAtod(plain, &value)) return std::nullopt;
  return value;
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, std::span<const Split> splits)
      : text_(text), splits_(splits) {}

  Result<std::vector<SplitRange>> Parse() {
    std::string_view rest = text_;
    while (true) {
      const size_t plus = rest.find('+');
      std::string_view part = rest.substr(0, plus);
      // Blanks are allowed only around "+" (S1).
      if (plus != std::string_view::npos) {
        while (!part.empty() && IsBlank(part.back())) part.remove_suffix(1);
      }
      if (rest.data() != text_.data()) {
        while (!part.empty() && IsBlank(part.front())) part.remove_prefix(1);
      }
      if (Status status = AddPart(part); !status.ok()) return status;
      if (plus == std::string_view::npos) return std::move(ranges_);
      rest.remove_prefix(plus + 1);
    }
  }

 private:
  Status Fail(const std::string& what) const {
    return Status(ErrorCode::kInvalidArgument,
                  "split " + Quote(text_) + ": " + what);
  }

  Status AddPart(std::string_view part) {
    const auto* const name_end =
        std::find_if_not(part.begin(), part.end(), IsNameChar);
    const std::string_view name =
        part.substr(0, static_cast<size_t>(name_end - part.begin()));
    std::string_view slice = part.substr(name.size());
    const bool is_whole = slice.empty();
    if (name.empty() || (!is_whole && (slice.size() < 2 || slice[0] != '[' ||
                                       slice.back() != ']'))) {
      return Fail(Quote(part) +
                  " is neither a name like \"train\" nor a slice like "
                  "\"train[:10%]\"; \"+\" joins several (S1)");
    }
    if (name == "all") {
      if (!is_whole) {
        return Fail(
            "\"all\" cannot be sliced; slice each split and join them "
            "with \"+\" (S1)");
      }
      for (size_t i = 0; i < splits_.size(); ++i) {
        ranges_.push_back({i, 0, splits_[i].num_examples});
      }
      return Status();
    }
    const auto found = std::ranges::find(splits_, name, &Split::name);
    if (found == splits_.end()) {
      std::vector<std::string_view> names = {"all"};
      for (const Split& split : splits_) names.push_back(split.name);
      return Fail("there is no split " + Quote(name) +
                  Suggestion(name, "the splits", names) + " (S5)");
    }
    const auto index = static_cast<size_t>(found - splits_.begin());
    if (!is_whole) return AddSlice(index, slice.substr(1, slice.size() - 2));
    ranges_.push_back({index, 0, found->num_examples});
    return Status();
  }

  Status AddSlice(size_t index, std::string_view slice) {
    const Split& split = splits_[index];
    const size_t colon = slice.find(':');
    const bool is_single = colon == std::string_view::npos;
    const auto first = ParseBound(slice.substr(0, colon));
    auto last = is_single ? std::optional(Bound())
                          : ParseBound(slice.substr(colon + 1));
    if (!first || !last || (first->number.empty() && last->number.empty())) {
      return Fail(
          "[" + std::string(slice) +
          "] is not a slice; these are: [10:20], [:10%], [-1shard:] (S2)");
    }
    std::string end_of_shard;
    if (is_single) {
      Result<Bound> end = EndOfShard(*first, &end_of_shard);
      if (!end) return end.status();
      last = *end;
    }
    const std::string_view unit =
        first->unit.empty() ? last->unit : first->unit;
    Result<int64_t> begin = Offset(split, *first, unit, false);
    if (!begin) return begin.status();
    Result<int64_t> end = Offset(split, *last, unit, true);
    if (!end) return end.status();
    const auto records = static_cast<int64_t>(split.num_examples);
    for (int64_t* const bound : {&*begin, &*end}) {
      if (*bound > records || *bound < -records) {
        return Fail("[" + std::string(slice) + "] reaches beyond the " +
                    std::to_string(records) + " records of " +
                    Quote(split.name) + " (S4)");
      }
      if (*bound < 0) *bound += records;
    }
    ranges_.push_back({index, static_cast<uint64_t>(*begin),
                       static_cast<uint64_t>(std::max(*begin, *end))});
    return Status();
  }

  // Returns the end of a slice that is a single shard: the start of the next
  // shard. After shard -1 that is 0, which ShardOffset reads as the number of
  // shards.
  Result<Bound> EndOfShard(const Bound& begin, std::string* number) const {
    if (begin.unit != kShard) {
      return Fail(
          "[" + std::string(begin.number) + std::string(begin.unit) +
          "] is one bound; a slice has two, like [:10], [10:] or "
          "[25%:75%], and only a shard can be alone, as in [0shard] (S5)");
    }
    const auto shard = WholeNumber(begin.number);
    if (!shard || *shard == INT64_MAX) {
      return Fail(Quote(begin.number) + " is not the number of a shard (S2)");
    }
    *number = std::to_string(*shard + 1);
    return Bound{*number, kShard};
  }

  // Returns the bound's record number in the split, which may be negative (S3).
  Result<int64_t> Offset(const Split& split, const Bound& bound,
                         std::string_view unit, bool is_end) const {
    if (bound.number.empty()) {
      return is_end ? static_cast<int64_t>(split.num_examples) : 0;
    }
    if (unit == kPercent) return PercentOffset(split, bound);
    if (unit == kShard) return ShardOffset(split, bound, is_end);
    const auto number = WholeNumber(bound.number);
    if (number) return *number;
    return Fail(
        Quote(bound.number) +
        " is not a whole number; only bounds in % may be fractions (S2)");
  }

  Result<int64_t> PercentOffset(const Split& split, const Bound& bound) const {
    const auto percent = FractionNumber(bound.number);
    if (!percent) return Fail(Quote(bound.number) + " is not a number (S2)");
    if (*percent > 100 || *percent < -100) {
      return Fail(std::string(bound.number) +
                  "% is beyond 100% of the split (S3)");
    }
    // Ties go to the even number. The comparisons below keep the result in
    // range: as a double, 2^63 - 1 records are 2^63.
    const double records = std::nearbyint(
        *percent * static_cast<double>(split.num_examples) / 100.0);
    const auto most = static_cast<double>(split.num_examples);
    if (records >= most) return static_cast<int64_t>(split.num_examples);
    if (records <= -most) return -static_cast<int64_t>(split.num_examples);
    return static_cast<int64_t>(records);
  }

  Result<int64_t> ShardOffset(const Split& split, const Bound& bound,
                              bool is_end) const {
    const auto number = WholeNumber(bound.number);
    if (!number) {
      return Fail(Quote(bound.number) +
                  " is not a whole number of shards (S2)");
    }
    const auto shards = static_cast<int64_t>(split.shard_lengths.size());
    int64_t first = *number;
    if (is_end && first <= 0) first += shards;
    // A negative number counts shards from the end.
    if (first < 0) first = first < -shards ? 0 : first + shards;
    first = std::min(first, shards);
    int64_t records = 0;
    for (int64_t i = 0; i < first; ++i) {
      records +=
          static_cast<int64_t>(split.shard_lengths[static_cast<size_t>(i)]);
    }
    return records;
  }

  std::string_view text_;
  std::span<const Split> splits_;
  std::vector<SplitRange> ranges_;
};

}  // namespace

Result<std::vector<SplitRange>> ParseSplits(std::string_view expression,
                                            std::span<const Split> splits) {
  return ExpressionParser(expression, splits).Parse();
}

}  // namespace headrace::tfds
