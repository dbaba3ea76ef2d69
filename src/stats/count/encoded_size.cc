// Computes how many bytes features take as canonical protobuf, with sorted keys
// and packed numbers.

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <vector>

#include "src/stats/count/feature_rows.h"
#include "src/stats/sketch/number_sums.h"
#include "wire/append.h"

namespace headrace::stats {
namespace {

constexpr size_t kChunkLists = 256;

// Returns the size of a Feature whose list has `values` bytes of values.
size_t FeatureSize(Kind kind, size_t values) {
  if (kind == Kind::kNull) return 0;
  if (kind != Kind::kBytes && values > 0) values = wire::LenSize(values);
  return wire::LenSize(values);
}

// Returns the size of an entry of the map from keys to Features or
// FeatureLists.
size_t EntrySize(size_t key_size, size_t value_size) {
  return wire::LenSize(wire::LenSize(key_size) + wire::LenSize(value_size));
}

size_t Begin(const Lists& lists, size_t i) {
  return lists.offsets == nullptr ? i : static_cast<size_t>(lists.offsets[i]);
}

// Sets sizes[i] to the number of bytes of the values of list first + i.
void CountValueBytes(const FeatureRows& rows, const Lists& lists, size_t first,
                     std::span<uint32_t> sizes) {
  const size_t count = sizes.size();
  if (rows.kind == Kind::kNull) {
    std::fill(sizes.begin(), sizes.end(), 0);
  } else if (rows.kind == Kind::kInt64) {
    const int64_t* const values = rows.ValuesAs<int64_t>().data();
    if (lists.offsets != nullptr) {
      CountVarintBytes(values, lists.offsets + first, sizes);
      return;
    }
    for (size_t i = 0; i < count; ++i) {
      sizes[i] = static_cast<uint32_t>(
          wire::VarintSize(static_cast<uint64_t>(values[first + i])));
    }
  } else if (rows.kind == Kind::kFloat) {
    for (size_t i = 0; i < count; ++i) {
      const size_t length =
          Begin(lists, first + i + 1) - Begin(lists, first + i);
      sizes[i] = static_cast<uint32_t>(sizeof(float) * length);
    }
  } else {
    const auto values = rows.ValuesAs<std::string_view>();
    size_t next = Begin(lists, first);
    for (size_t i = 0; i < count; ++i) {
      size_t size = 0;
      for (const size_t end = Begin(lists, first + i + 1); next < end; ++next) {
        size += wire::LenSize(values[next].size());
      }
      sizes[i] = static_cast<uint32_t>(size);
    }
  }
}

uint8_t MarkOf(const Lists& lists, size_t i) {
  return lists.marks == nullptr ? kTypedMark : lists.marks[i];
}

size_t CountTyped(const Lists& lists, size_t first, size_t count) {
  return static_cast<size_t>(
      std::count(lists.marks + first, lists.marks + first + count, kTypedMark));
}

// Adds the sizes of all entries to `*total`, if all need the same number of
// bytes around their values; otherwise returns false. Comparing the least and
// the greatest list is enough, as larger lists never need fewer.
bool SumsAtOnce(size_t key_size, Kind kind, std::span<const uint32_t> sizes,
                uint64_t* total) {
  uint32_t least = sizes[0];
  uint32_t greatest = sizes[0];
  uint64_t sum = 0;
  for (const uint32_t size : sizes) {
    least = std::min(least, size);
    greatest = std::max(greatest, size);
    sum += size;
  }
  const size_t around = EntrySize(key_size, FeatureSize(kind, least)) - least;
  if (EntrySize(key_size, FeatureSize(kind, greatest)) - greatest != around) {
    return false;
  }
  *total += sum + around * sizes.size();
  return true;
}

// Bytes of all values together, and of the largest one.
struct ValueBytes {
  uint64_t total = 0;
  size_t most = 0;
};

ValueBytes CountAllValues(const FeatureRows& rows) {
  if (rows.kind == Kind::kFloat) {
    return {rows.num_values * sizeof(float), sizeof(float)};
  }
  if (rows.kind == Kind::kInt64) {
    const int32_t offsets[] = {0, static_cast<int32_t>(rows.num_values)};
    uint32_t size = 0;
    CountVarintBytes(rows.ValuesAs<int64_t>().data(), offsets, {&size, 1});
    return {size, 10};
  }
  ValueBytes bytes;
  for (const std::string_view value : rows.ValuesAs<std::string_view>()) {
    bytes.total += wire::LenSize(value.size());
    bytes.most = std::max(bytes.most, value.size());
  }
  bytes.most = wire::LenSize(bytes.most);
  return bytes;
}

// Sets `*total` for rows that are null or have exactly one value, without the
// size of each row. Returns false for other rows, and if values need different
// numbers of bytes around them.
bool SumsScalars(size_t key_size, const FeatureRows& rows, uint64_t* total) {
  if (rows.kind == Kind::kNull) return false;
  size_t typed = rows.rows.size;
  if (rows.rows.marks != nullptr) {
    typed = CountTyped(rows.rows, 0, rows.rows.size);
    const auto* const marks = rows.rows.marks;
    if (std::find(marks, marks + rows.rows.size, kUnsetMark) !=
        marks + rows.rows.size) {
      return false;
    }
  }
  if (typed != rows.num_values) return false;
  if (rows.rows.offsets != nullptr) {
    int32_t longest = 0;
    for (size_t i = 0; i < rows.rows.size; ++i) {
      longest =
          std::max(longest, rows.rows.offsets[i + 1] - rows.rows.offsets[i]);
    }
    if (longest > 1) return false;
  }
  const ValueBytes bytes = CountAllValues(rows);
  const auto around = [&](size_t size) {
    return EntrySize(key_size, FeatureSize(rows.kind, size)) - size;
  };
  if (around(1) != around(bytes.most)) return false;
  *total = bytes.total + around(1) * typed;
  return true;
}

uint64_t FeatureSizes(size_t key_size, const FeatureRows& rows) {
  const Lists& lists = rows.rows;
  uint64_t total = 0;
  if (SumsScalars(key_size, rows, &total)) return total;
  std::array<uint32_t, kChunkLists> sizes;
  for (size_t first = 0; first < lists.size; first += kChunkLists) {
    const size_t count = std::min(kChunkLists, lists.size - first);
    CountValueBytes(rows, lists, first, std::span(sizes).first(count));
    // Keep the sizes of typed rows only.
    size_t typed = count;
    if (lists.marks != nullptr) {
      typed = 0;
      for (size_t i = 0; i < count; ++i) {
        const uint8_t mark = lists.marks[first + i];
        sizes[typed] = sizes[i];
        typed += mark == kTypedMark;
        total += mark == kUnsetMark ? EntrySize(key_size, 0) : 0;
      }
    }
    const auto those = std::span(sizes).first(typed);
    if (typed == 0 || SumsAtOnce(key_size, rows.kind, those, &total)) continue;
    for (const uint32_t size : those) {
      total += EntrySize(key_size, FeatureSize(rows.kind, size));
    }
  }
  return total;
}

// Returns the number of bytes around the values of a step; empty if it differs
// from step to step.
std::optional<size_t> AroundStep(const FeatureRows& rows,
                                 std::span<const uint32_t> sizes) {
  const auto [least, greatest] =
      std::minmax_element(sizes.begin(), sizes.end());
  const auto around = [&](uint32_t size) {
    return wire::LenSize(FeatureSize(rows.kind, size)) - size;
  };
  if (around(*least) != around(*greatest)) return std::nullopt;
  return around(*least);
}

// Returns the size of the feature lists in the rows [begin, end). `sizes` are
// the bytes of the values in each of their steps.
uint64_t ListSizes(size_t key_size, const FeatureRows& rows, size_t begin,
                   size_t end, std::span<const uint32_t> sizes) {
  const size_t first = Begin(rows.rows, begin);
  const bool all_typed =
      rows.steps.marks == nullptr ||
      CountTyped(rows.steps, first, sizes.size()) == sizes.size();
  const std::optional<size_t> around =
      all_typed && !sizes.empty() ? AroundStep(rows, sizes) : std::nullopt;
  uint64_t total = 0;
  for (size_t row = begin; row < end; ++row) {
    if (MarkOf(rows.rows, row) != kTypedMark) continue;
    const size_t from = Begin(rows.rows, row) - first;
    const size_t to = Begin(rows.rows, row + 1) - first;
    size_t list_size = 0;
    if (around) {
      const auto of_row = sizes.subspan(from, to - from);
      list_size = std::accumulate(of_row.begin(), of_row.end(),
                                  *around * of_row.size());
    }
    for (size_t step = from; step < to && !around; ++step) {
      const Kind kind = MarkOf(rows.steps, first + step) == kTypedMark
                            ? rows.kind
                            : Kind::kNull;
      list_size += wire::LenSize(FeatureSize(kind, sizes[step]));
    }
    total += EntrySize(key_size, list_size);
  }
  return total;
}

}  // namespace

uint64_t EncodedSize(size_t key_size, const FeatureRows& rows) {
  if (!rows.in_sequence) return FeatureSizes(key_size, rows);
  std::vector<uint32_t> sizes(rows.steps.size);
  CountValueBytes(rows, rows.steps, 0, sizes);
  return ListSizes(key_size, rows, 0, rows.rows.size, sizes);
}

uint64_t EncodedSize(size_t key_size, std::span<const Feature> steps) {
  size_t size = 0;
  for (const Feature& step : steps) {
    size_t values = sizeof(float) * step.floats.size();
    for (const int64_t value : step.int64s) {
      values += wire::VarintSize(static_cast<uint64_t>(value));
    }
    for (const std::string& value : step.bytes) {
      values += wire::LenSize(value.size());
    }
    size += wire::LenSize(FeatureSize(step.kind, values));
  }
  return EntrySize(key_size, size);
}

}  // namespace headrace::stats
