// Makes the shape of a record, finds its runs and chunks, and judges after each
// period whether the shape still pays.

#include "src/decode/example/entry_shape.h"

#include <algorithm>
#include <cstring>

#include "src/decode/column/column_set.h"

namespace headrace::decode {
namespace {

constexpr size_t kMaxCells = column::CellGroup::kMaxCells;
constexpr size_t kMaxChunks = EntryShape::kMaxGroups;

}  // namespace

void EntryShape::Clear() {
  Drop();
  countdown_ = 1;
  wait_ = kPeriod;
  look_ups_left_ = 0;
}

void EntryShape::Drop() {
  is_active_ = false;
  candidates_ = 0;
  entries_.clear();
  run_of_.clear();
}

void EntryShape::Begin(const uint8_t* record) {
  record_ = record;
  num_bytes_ = 0;
  entries_.clear();
  entries_.reserve(kMaxEntries);
  is_cut_.clear();
  is_cut_.reserve(kMaxEntries);
  bytes_.resize(kMaxBytes + kSlack);
  mask_.resize(kMaxBytes + kSlack);
  entry_of_.resize(kMaxBytes + kSlack);
}

bool EntryShape::Add(uint32_t index, const uint8_t* start,
                     const uint8_t* payload, size_t size, const uint8_t* end,
                     Kind kind, Payload verified) {
  if (entries_.size() == kMaxEntries ||
      static_cast<size_t>(end - record_) > kMaxBytes) {
    return false;
  }
  const auto offset = [this](const uint8_t* p) {
    return static_cast<uint16_t>(p - record_);
  };
  const Entry entry{.index = index,
                    .start = offset(start),
                    .payload = offset(payload),
                    .end = offset(end),
                    .size = static_cast<uint8_t>(size),
                    .kind = kind};
  const size_t length = size_t{entry.end} - entry.start;
  std::copy_n(start, length, &bytes_[entry.start]);
  std::fill_n(&mask_[entry.start], length, uint8_t{0xFF});
  std::fill_n(&entry_of_[entry.start], length,
              static_cast<uint16_t>(entries_.size()));
  std::fill_n(&mask_[entry.payload], size_t{entry.end} - entry.payload,
              verified == Payload::kVarint ? uint8_t{0x80} : uint8_t{0});
  entries_.push_back(entry);
  is_cut_.push_back(verified == Payload::kCut);
  num_bytes_ = entry.end;
  return true;
}

void EntryShape::Finish() {
  std::fill_n(&mask_[num_bytes_], kSlack, uint8_t{0});
  std::fill_n(&entry_of_[num_bytes_], kSlack,
              static_cast<uint16_t>(entries_.size()));
  breaks_.assign(kMaxEntries + 1, 0);
  FindRuns();
}

void EntryShape::FindRuns() {
  FindChunks();
  uint32_t templates = 0;
  for (const Entry& entry : entries_) {
    templates = std::max(templates, entry.index + 1);
  }
  run_of_.assign(templates, static_cast<uint16_t>(entries_.size()));
  num_runs_ = num_in_runs_ = 0;
  size_t run = 0;
  uint16_t run_end = static_cast<uint16_t>(num_bytes_);
  for (size_t i = entries_.size(); i-- > 0;) {
    run = is_cut_[i] != 0 ? 0 : run + 1;
    if (is_cut_[i] != 0) run_end = entries_[i].start;
    entries_[i].run_end = run_end;
    const bool goes_on =
        i + 1 < entries_.size() && entries_[i + 1].kind == entries_[i].kind;
    entries_[i].alike =
        goes_on ? entries_[i + 1].alike : static_cast<uint16_t>(i + 1);
    if (run >= kMinRun) {
      num_runs_ += run == kMinRun;
      num_in_runs_ += run == kMinRun ? kMinRun : 1;
      run_of_[entries_[i].index] = static_cast<uint16_t>(i);
    }
  }
}

void EntryShape::FindChunks() {
  ++version_;
  chunks_.clear();
  for (size_t i = 0; i < entries_.size();) {
    size_t end = i;
    while (end < entries_.size() && end - i < kMaxCells && is_cut_[end] == 0 &&
           entries_[end].kind != Kind::kNull) {
      ++end;
    }
    const bool is_group = end - i >= kMinRun && chunks_.size() + 1 < kMaxChunks;
    end = std::max(end, i + 1);
    if (is_group || chunks_.empty() || chunks_.back().is_group) {
      chunks_.push_back(
          {.begin = static_cast<uint16_t>(i), .is_group = is_group});
    }
    chunks_.back().end = static_cast<uint16_t>(end);
    for (; i < end; ++i) {
      entries_[i].chunk = static_cast<uint16_t>(chunks_.size() - 1);
    }
  }
}

void EntryShape::StartPeriod() {
  num_records_ = 0;
  num_entries_ = in_runs_ = 0;
  num_breaks_ = 0;
  std::fill(breaks_.begin(), breaks_.end(), uint16_t{0});
}

// Cuts the entries at which runs broke in more than one of eight records; those
// breaks no longer count.
void EntryShape::Cut() {
  bool cuts = false;
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (breaks_[i] <= num_records_ / 8 || is_cut_[i] != 0) continue;
    is_cut_[i] = cuts = true;
    num_breaks_ -= breaks_[i];
  }
  if (cuts) FindRuns();
}

bool EntryShape::Review(uint64_t num_entries, uint64_t in_runs) {
  if (!is_active_) {
    if (--countdown_ > 0) return false;
    countdown_ = 1;
    const bool is_longest = num_entries > entries_.size();
    if (++candidates_ == kCandidates) {
      is_active_ = true;
      StartPeriod();
    }
    return is_longest;
  }
  ++num_records_;
  num_entries_ += num_entries;
  in_runs_ += in_runs;
  if (num_records_ < kPeriod && num_breaks_ < kMaxBreaks) return false;
  Cut();
  // Each time a shape does not pay, the next one is made after a longer wait.
  if (in_runs_ < std::max(num_entries_ / 4, kEntriesPerBreak * num_breaks_)) {
    Drop();
    countdown_ = wait_;
    wait_ = std::min(2 * wait_, kMaxWait);
  } else if (num_in_runs_ < kShortRun * num_runs_) {
    look_ups_left_ = kLookUps;
  }
  StartPeriod();
  return false;
}

}  // namespace headrace::decode
