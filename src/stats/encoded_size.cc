#include "src/stats/encoded_size.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "src/stats/number_sums.h"
#include "wire/append.h"

namespace headrace::stats {
namespace {

constexpr size_t kChunkLists = 256;

// A Feature whose values take so many bytes in their list.
size_t FeatureSize(Kind kind, size_t values) {
  if (kind == Kind::kNull) return 0;
  if (kind != Kind::kBytes && values > 0) values = wire::LenSize(values);
  return wire::LenSize(values);
}

// A field of the map from keys to Features or FeatureLists.
size_t EntrySize(size_t key_size, size_t value_size) {
  return wire::LenSize(wire::LenSize(key_size) + wire::LenSize(value_size));
}

size_t Begin(const Lists& lists, size_t i) {
  return lists.offsets == nullptr ? i : static_cast<size_t>(lists.offsets[i]);
}

// sizes[i] becomes that of the values of list first + i.
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

// What the least and the greatest list need around their values, all need.
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

uint64_t FeatureSizes(size_t key_size, const FeatureRows& rows) {
  const Lists& lists = rows.rows;
  uint64_t total = 0;
  std::array<uint32_t, kChunkLists> sizes;
  for (size_t first = 0; first < lists.size; first += kChunkLists) {
    const size_t count = std::min(kChunkLists, lists.size - first);
    CountValueBytes(rows, lists, first, std::span(sizes).first(count));
    // Only those of typed rows stay.
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

}  // namespace

uint64_t EncodedSize(size_t key_size, const FeatureRows& rows) {
  if (!rows.in_sequence) return FeatureSizes(key_size, rows);
  uint64_t total = 0;
  std::array<uint32_t, kChunkLists> sizes;
  size_t counted = 0;  // sizes are of the steps before this one
  size_t first = 0;    // and from this one on
  for (size_t row = 0; row < rows.rows.size; ++row) {
    if (MarkOf(rows.rows, row) != kTypedMark) continue;
    size_t list_size = 0;
    for (size_t step = Begin(rows.rows, row); step < Begin(rows.rows, row + 1);
         ++step) {
      if (step >= counted) {
        first = step;
        counted = std::min(rows.steps.size, step + kChunkLists);
        CountValueBytes(rows, rows.steps, first,
                        std::span(sizes).first(counted - first));
      }
      const Kind kind =
          MarkOf(rows.steps, step) == kTypedMark ? rows.kind : Kind::kNull;
      list_size += wire::LenSize(FeatureSize(kind, sizes[step - first]));
    }
    total += EntrySize(key_size, list_size);
  }
  return total;
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
