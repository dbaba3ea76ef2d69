#include "src/stats/encoded_size.h"

#include <algorithm>
#include <array>
#include <numeric>
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
  if (rows.kind == Kind::kInt64 && lists.offsets != nullptr) {
    CountVarintBytes(rows.ValuesAs<int64_t>().data(), lists.offsets + first,
                     sizes);
    return;
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    const size_t begin = Begin(lists, first + i);
    const size_t end = Begin(lists, first + i + 1);
    size_t size = 0;
    if (rows.kind == Kind::kFloat) {
      size = sizeof(float) * (end - begin);
    } else if (rows.kind == Kind::kInt64) {
      size = wire::VarintSize(
          static_cast<uint64_t>(rows.ValuesAs<int64_t>()[begin]));
    } else if (rows.kind == Kind::kBytes) {
      for (size_t k = begin; k < end; ++k) {
        size += wire::LenSize(rows.ValuesAs<std::string_view>()[k].size());
      }
    }
    sizes[i] = static_cast<uint32_t>(size);
  }
}

// Calls visit(i, size) for each list that is a Feature, of this size.
template <class Visit>
void ForEachFeature(const FeatureRows& rows, const Lists& lists,
                    const Visit& visit) {
  std::array<uint32_t, kChunkLists> sizes;
  for (size_t first = 0; first < lists.size; first += kChunkLists) {
    const size_t count = std::min(kChunkLists, lists.size - first);
    CountValueBytes(rows, lists, first, std::span(sizes).first(count));
    for (size_t i = 0; i < count; ++i) {
      const uint8_t mark =
          lists.marks == nullptr ? kTypedMark : lists.marks[first + i];
      const Kind kind = mark == kTypedMark ? rows.kind : Kind::kNull;
      visit(first + i, mark, FeatureSize(kind, sizes[i]));
    }
  }
}

}  // namespace

uint64_t EncodedSize(size_t key_size, const FeatureRows& rows) {
  uint64_t total = 0;
  if (!rows.in_sequence) {
    ForEachFeature(rows, rows.rows, [&](size_t, uint8_t mark, size_t size) {
      if (mark != kNullMark) total += EntrySize(key_size, size);
    });
    return total;
  }
  // Steps come row after row.
  size_t row = 0;
  size_t list_size = 0;
  const auto finish_rows = [&](size_t step) {
    for (; row < rows.rows.size && Begin(rows.rows, row + 1) <= step; ++row) {
      const bool is_typed =
          rows.rows.marks == nullptr || rows.rows.marks[row] == kTypedMark;
      if (is_typed) total += EntrySize(key_size, list_size);
      list_size = 0;
    }
  };
  ForEachFeature(rows, rows.steps, [&](size_t step, uint8_t, size_t size) {
    finish_rows(step);
    list_size += wire::LenSize(size);
  });
  finish_rows(rows.steps.size);
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
