#include "src/plan/infer/late_features.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "wire/utf8.h"

namespace headrace::infer {

// Keeps only the last entry of each key, as it is the one that counts; a stable
// sort keeps the entries of one key in order.
void LateFeatures::CompactRow() {
  std::stable_sort(row_.begin(), row_.end(),
                   [this](const Noted& a, const Noted& b) {
                     return std::pair(a.in_sequence, KeyOf(a)) <
                            std::pair(b.in_sequence, KeyOf(b));
                   });
  size_t size = 0;
  for (size_t i = 0; i < row_.size(); ++i) {
    const bool is_last = i + 1 == row_.size() ||
                         KeyOf(row_[i + 1]) != KeyOf(row_[i]) ||
                         row_[i + 1].in_sequence != row_[i].in_sequence;
    if (is_last) row_[size++] = row_[i];
  }
  if (size < row_.size()) {
    row_.resize(size);
    CompactKeys();
  }
  // A key that is repeated must not cost more than its bytes.
  compact_at_ = std::max(kRowBeforeCompacting, 2 * size);
}

void LateFeatures::CompactKeys() {
  std::string keys;
  for (Noted& noted : row_) {
    const size_t begin = keys.size();
    keys.append(KeyOf(noted));
    noted.key_begin = begin;
  }
  row_keys_ = std::move(keys);
}

bool LateFeatures::RowIsWrong() {
  CompactRow();
  return std::any_of(row_.begin(), row_.end(),
                     [](const Noted& noted) { return noted.is_wrong; });
}

bool LateFeatures::RowIsLate() {
  CompactRow();
  return std::any_of(row_.begin(), row_.end(),
                     [](const Noted& noted) { return noted.is_late(); });
}

void LateFeatures::CountRow() {
  CompactRow();
  for (const Noted& noted : row_) {
    if (!noted.is_late()) continue;
    ++total_;
    kept_[noted.in_sequence].Merge(KeyOf(noted),
                                   {noted.kind, 1, noted.in_columns});
  }
  ForgetRow();
}

// One row of huge keys must not make all later rows expensive.
void LateFeatures::ForgetRow() {
  row_.clear();
  row_keys_.clear();
  if (row_keys_.capacity() > kMaxBytes) row_keys_ = {};
}

void LateFeatures::Kept::EndAt(std::string key) {
  while (!counts.empty() && counts.rbegin()->first >= key) {
    const auto last = std::prev(counts.end());
    bytes -= last->first.size() + kKeyOverhead;
    counts.erase(last);
  }
  end = std::move(key);
}

void LateFeatures::Kept::Merge(std::string_view key, const Count& more) {
  if (!Takes(key)) return;
  // A key that begins with these bytes does not fit either.
  if (key.size() > kMaxBytes) return EndAt(std::string(key, 0, kMaxBytes));
  auto it = counts.find(key);
  if (it == counts.end()) {
    // The key was UTF-8 when it was walked, but its bytes may have changed.
    if (!wire::IsUtf8(key)) return;
    it = counts.emplace(key, Count()).first;
    bytes += key.size() + kKeyOverhead;
    while (bytes > kMaxBytes) EndAt(counts.rbegin()->first);
    if (!Takes(key)) return;
  }
  Count& count = it->second;
  if (count.kind == Kind::kNull) count.kind = more.kind;
  count.in_columns = more.in_columns;
  count.rows += more.rows;
}

void LateFeatures::Add(const LateFeatures& later) {
  for (const bool in_sequence : {false, true}) {
    const Kept& more = later.kept_[in_sequence];
    Kept& kept = kept_[in_sequence];
    if (more.end && kept.Takes(*more.end)) kept.EndAt(*more.end);
    for (const auto& [key, count] : more.counts) kept.Merge(key, count);
  }
  total_ += later.total_;
  num_lists_ += later.num_lists_;
}

std::vector<LateFeature> LateFeatures::List(size_t most) const {
  std::vector<LateFeature> list;
  for (const bool in_sequence : {false, true}) {
    for (const auto& [name, count] : counts(in_sequence)) {
      if (list.size() == most) return list;
      list.push_back(
          {name, count.kind, count.rows, count.in_columns, in_sequence});
    }
  }
  return list;
}

void LateFeatures::Clear() {
  ForgetRow();
  for (Kept& kept : kept_) kept = Kept();
  total_ = 0;
  num_lists_ = 0;
}

}  // namespace headrace::infer
