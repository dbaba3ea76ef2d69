#include "src/stats/value_counter.h"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "headrace/message.h"
#include "src/stats/state_bytes.h"

namespace headrace::stats {
namespace {

constexpr size_t kChunk = 256;
constexpr uint64_t kHighBits = 0x8080808080808080;

// Short ASCII, which most values are, needs no call.
bool IsShortAscii(std::string_view value) {
  if (value.size() > 32) return false;
  uint64_t bits = 0;
  uint64_t word = 0;
  const char* const p = value.data();
  if (value.size() >= 8) {
    for (size_t i = 0; i + 8 < value.size(); i += 8) {
      std::memcpy(&word, p + i, 8);
      bits |= word;
    }
    std::memcpy(&word, p + value.size() - 8, 8);
    return ((bits | word) & kHighBits) == 0;
  }
  for (const char c : value) bits |= static_cast<uint8_t>(c);
  return (bits & 0x80) == 0;
}

}  // namespace

void ValueCounter::SetCapacity(size_t capacity) {
  table_.SetCapacity(capacity);
  if (!table_.is_full()) return;
  EndExact();
  table_.Purge();
}

void ValueCounter::EndExact() {
  if (!distinct_.is_empty()) return;
  distinct_.Start();
  for (const ValueTable::Entry& entry : table_.entries()) {
    distinct_.Add(entry.hash);
  }
}

// What is done for all values of a chunk at once overlaps in the processor.
void ValueCounter::Add(std::span<const std::string_view> values,
                       bool pictures) {
  while (!values.empty()) {
    const auto chunk = values.first(std::min(values.size(), kChunk));
    values = values.subspan(chunk.size());
    std::array<uint64_t, kChunk> hashes;
    std::array<uint32_t, kChunk> lengths;
    for (size_t i = 0; i < chunk.size(); ++i) {
      hashes[i] = XXH3_64bits(chunk[i].data(), chunk[i].size());
      lengths[i] = static_cast<uint32_t>(chunk[i].size());
      utf8_ += IsShortAscii(chunk[i]) || IsUtf8(chunk[i]);
    }
    lengths_.Add(std::span(lengths).first(chunk.size()));
    for (size_t i = 0; i < chunk.size(); ++i) {
      if (!table_.Add(chunk[i], hashes[i])) continue;
      if (sample_.Takes(hashes[i])) {
        sample_.Add(chunk[i], hashes[i], pictures);
      }
      if (!table_.is_full()) continue;
      EndExact();
      table_.Purge();
    }
    if (distinct_.is_empty()) continue;
    for (size_t i = 0; i < chunk.size(); ++i) distinct_.Add(hashes[i]);
  }
}

void ValueCounter::Merge(const ValueCounter& other) {
  lengths_.Merge(other.lengths_);
  utf8_ += other.utf8_;
  if (!other.distinct_.is_empty()) {
    EndExact();
    distinct_.Merge(other.distinct_);
  }
  table_.Merge(other.table_);
  if (!distinct_.is_empty()) {
    for (const ValueTable::Entry& entry : other.table_.entries()) {
      distinct_.Add(entry.hash);
    }
  }
  if (table_.is_full()) {
    EndExact();
    table_.Purge();
  }
  sample_.Merge(other.sample_);
}

BytesStats ValueCounter::ToStats() const {
  const bool is_exact = distinct_.is_empty();
  return {.count = count(),
          .lengths = lengths_.ToStats(),
          .utf8 = utf8_,
          .distinct = is_exact ? table_.entries().size() : distinct_.Estimate(),
          .distinct_error = is_exact ? 0 : HyperLogLog::kError,
          .top = table_.Top(),
          .top_error = table_.error(),
          .samples = sample_.ToSamples()};
}

void ValueCounter::Append(std::string* out) const {
  lengths_.Append(out);
  AppendNumber(utf8_, out);
  table_.Append(out);
  distinct_.Append(out);
  sample_.Append(out);
}

bool ValueCounter::Parse(std::string_view* bytes) {
  return lengths_.Parse(bytes) && TakeNumber(bytes, &utf8_) &&
         table_.Parse(bytes) && distinct_.Parse(bytes) &&
         sample_.Parse(bytes) && table_.is_exact() == distinct_.is_empty() &&
         utf8_ <= count();
}

}  // namespace headrace::stats
