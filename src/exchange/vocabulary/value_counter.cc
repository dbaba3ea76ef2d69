#include "src/exchange/vocabulary/value_counter.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <optional>
#include <utility>

#include "src/base/out_of_memory.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/input/compression/detect.h"

namespace headrace {
namespace {

constexpr std::string_view kListPrefix = "##SEQUENCE##.";

// Memory of one distinct value: its node and its part of the buckets, and its
// VocabularyKey in a vector that grows. Longer bytes have a block of their own.
constexpr uint64_t kBytesPerValue = 72 + 2 * sizeof(VocabularyKey);
constexpr size_t kInline = 15;
constexpr uint64_t kBlock = 17;  // a terminator and the allocator's header

uint64_t MemoryOf(int64_t) { return kBytesPerValue; }
uint64_t MemoryOf(std::string_view value) {
  const uint64_t block = value.size() > kInline ? value.size() + kBlock : 0;
  return kBytesPerValue + block;
}

enum Reason : uint8_t { kEmpty, kLineFeed, kCarriageReturn, kCompressed };
struct ReasonText {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<ReasonText, 4> kReasons = {{
    {"empty", "empty"},
    {"line_feed", "with a line feed"},
    {"carriage_return", "ending with a carriage return"},
    {"compressed", "making the file begin like compressed data"},
}};

// A key that can be a line has no reason.
std::optional<Reason> ReasonAgainst(std::string_view key) {
  if (key.empty()) return kEmpty;
  if (key.find('\n') != std::string_view::npos) return kLineFeed;
  if (key.ends_with('\r')) return kCarriageReturn;
  return std::nullopt;
}

// Whether a vocabulary of these keys would be refused as compressed.
bool LooksCompressed(std::span<const VocabularyKey> keys) {
  std::string head;
  for (const VocabularyKey& key : keys) {
    if (head.size() >= compression::kDetectBytes) break;
    head.append(key.bytes).push_back('\n');
  }
  const auto magic = compression::CompressionByMagic(
      {reinterpret_cast<const uint8_t*>(head.data()), head.size()});
  return magic == Compression::kGzip || magic == Compression::kZstd;
}

// Whether a key comes before another one.
struct Before {
  bool operator()(const VocabularyKey& a, const VocabularyKey& b) const {
    if (a.count != b.count) return a.count > b.count;
    return a.int64 != b.int64 ? a.int64 < b.int64 : a.bytes < b.bytes;
  }
};

class LeftOut {
 public:
  void Add(Reason reason, uint64_t count) {
    ++all_[reason].keys;
    all_[reason].values += count;
  }
  std::vector<LeftOutKeys> Take() const {
    std::vector<LeftOutKeys> found;
    for (size_t i = 0; i < all_.size(); ++i) {
      if (all_[i].keys == 0) continue;
      found.push_back(all_[i]);
      found.back().reason = kReasons[i].name;
    }
    return found;
  }

 private:
  std::array<LeftOutKeys, kReasons.size()> all_ = {};
};

// Removes keys from the front until the others can begin a file.
void RemoveCompressed(std::vector<VocabularyKey>* keys, LeftOut* left_out) {
  size_t begin = 0;
  while (LooksCompressed(std::span(*keys).subspan(begin))) {
    left_out->Add(kCompressed, (*keys)[begin++].count);
  }
  keys->erase(keys->begin(), keys->begin() + static_cast<ptrdiff_t>(begin));
}

Status WrongKind(const ColumnField& column) {
  const std::string found(KindName(column.kind));
  return Status(ErrorInfo{
      .code = ErrorCode::kWrongKind,
      .message = column.kind == Kind::kNull
                     ? "no record of the sample has a value of feature " +
                           Quote(column.name) + ", so its kind is not known"
                     : "a vocabulary is of bytes or int64, and feature " +
                           Quote(column.name) + " is " + found,
      .feature = column.name,
      .expected = "bytes or int64",
      .found = found});
}

}  // namespace

std::string NameOfVocabularyFeature(const std::string& name) {
  return name.starts_with(kListPrefix) ? name.substr(kListPrefix.size()) : name;
}

Result<size_t> VocabularyColumn(const Plan& plan, const std::string& name) {
  const std::string wanted = NameOfVocabularyFeature(name);
  const bool wants_list = wanted.size() < name.size();
  std::vector<std::string_view> names;
  const std::vector<ColumnField>& columns = plan.columns();
  // Features precede feature lists.
  for (size_t i = 0; i < columns.size(); ++i) {
    const ColumnField& column = columns[i];
    if (wants_list && !column.in_sequence) continue;
    names.push_back(column.name);
    if (column.name != wanted) continue;
    if (column.kind != Kind::kBytes && column.kind != Kind::kInt64) {
      return WrongKind(column);
    }
    return i;
  }
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = std::string("there is no feature ") +
                                     (wants_list ? "list " : "") +
                                     Quote(wanted) + DidYouMean(wanted, names),
                          .feature = name});
}

uint64_t VocabularyKeys::num_values() const {
  uint64_t values = 0;
  for (const VocabularyKey& key : keys) values += key.count;
  return values;
}

std::string LeftOutText(const VocabularyKeys& keys) {
  std::string text;
  for (const LeftOutKeys& left_out : keys.left_out) {
    const auto* const reason =
        std::ranges::find(kReasons, left_out.reason, &ReasonText::name);
    text += (text.empty() ? "left out distinct values that cannot be lines: "
                          : ", ") +
            Grouped(left_out.keys) + " " + std::string(reason->text) + " (" +
            Counted(left_out.values, "time") + ")";
  }
  return text;
}

ValueCounter::ValueCounter(Kind kind, uint64_t memory)
    : kind_(kind), memory_(memory) {
  assert(kind == Kind::kBytes || kind == Kind::kInt64);
}

Status ValueCounter::Reserve(uint64_t bytes) {
  if (bytes <= memory_ - used_) {
    used_ += bytes;
    return Status();
  }
  return status_ =
             Status(ErrorCode::kLimit,
                    "the distinct values, " + Grouped(num_distinct()) +
                        " so far, need more memory than " + ByteSize(memory_));
}

template <class Map, class Value>
Status ValueCounter::AddAll(std::span<const Value> values, Map* counts) {
  for (const Value& value : values) {
    const auto found = counts->find(value);
    if (found != counts->end()) {
      ++found->second;
      continue;
    }
    HEADRACE_RETURN_IF_ERROR(Reserve(MemoryOf(value)));
    counts->emplace(value, uint64_t{1});
  }
  num_values_ += values.size();
  return Status();
}

Status ValueCounter::Add(const Column& column) {
  HEADRACE_RETURN_IF_ERROR(status_);
  assert(column.kind == kind_);
  return CatchOutOfMemory(&status_, [&] {
    return kind_ == Kind::kBytes ? AddAll(column.bytes(), &bytes_)
                                 : AddAll(column.int64s(), &int64s_);
  });
}

Result<VocabularyKeys> ValueCounter::Keys(uint64_t min_count,
                                          uint64_t size) const& {
  HEADRACE_RETURN_IF_ERROR(status_);
  return CatchOutOfMemory([&]() -> Result<VocabularyKeys> {
    VocabularyKeys made = {.kind = kind_};
    LeftOut left_out;
    for (const auto& [value, count] : bytes_) {
      if (count < min_count) continue;
      if (const auto reason = ReasonAgainst(value)) {
        left_out.Add(*reason, count);
      } else {
        made.keys.push_back({.bytes = value, .count = count});
      }
    }
    for (const auto& [value, count] : int64s_) {
      if (count >= min_count) {
        made.keys.push_back({.int64 = value, .count = count});
      }
    }
    std::ranges::sort(made.keys, Before());
    RemoveCompressed(&made.keys, &left_out);
    if (made.keys.size() > size) made.keys.resize(static_cast<size_t>(size));
    made.left_out = left_out.Take();
    if (!made.keys.empty()) return made;
    std::string why = LeftOutText(made);
    if (num_values_ == 0) {
      why = "no record has a value of the feature";
    } else if (why.empty()) {
      why = "of " + Counted(num_distinct(), "distinct value") +
            ", none occurs " + Counted(min_count, "time") + " or more";
    }
    return Status(ErrorCode::kInvalidArgument,
                  "the vocabulary would be empty: " + why);
  });
}

std::string VocabularyLine(Kind kind, const VocabularyKey& key) {
  return kind == Kind::kBytes ? std::string(key.bytes)
                              : std::to_string(key.int64);
}

}  // namespace headrace
