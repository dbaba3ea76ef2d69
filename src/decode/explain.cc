// The cold path: what is wrong with one record, in words. Nothing here runs
// while records are good.

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "headrace/message.h"
#include "src/base/quote.h"
#include "src/decode/decode_block.h"

namespace headrace::decode {
namespace {

bool IsWrong(const plan::Slot& slot, const Feature& feature) {
  return feature.kind != Kind::kNull && feature.kind != slot.kind;
}

ErrorInfo WrongKind(const std::string& place, const plan::Slot& slot,
                    const Feature& found) {
  ErrorInfo info{.code = ErrorCode::kWrongKind,
                 .feature = slot.key,
                 .expected = std::string(KindName(slot.kind)),
                 .found = std::string(KindName(found.kind))};
  info.message =
      place + ": expected " + info.expected + ", found " + info.found;
  return info;
}

ErrorInfo ExplainWrongKind(const plan::Program& program,
                           const Message& message) {
  for (const plan::Slot& slot : program.slots()) {
    if (slot.kind == Kind::kNull) continue;
    if (!slot.in_sequence) {
      const auto it = message.features.find(slot.key);
      if (it == message.features.end() || !IsWrong(slot, it->second)) continue;
      return WrongKind("feature " + Quote(slot.key), slot, it->second);
    }
    const auto it = message.feature_lists.find(slot.key);
    if (it == message.feature_lists.end()) continue;
    for (size_t step = 0; step < it->second.size(); ++step) {
      if (!IsWrong(slot, it->second[step])) continue;
      return WrongKind(
          "feature list " + Quote(slot.key) + ", step " + std::to_string(step),
          slot, it->second[step]);
    }
  }
  return {.code = ErrorCode::kWrongKind};
}

}  // namespace

void LateFeatures::CountRow() {
  // Of a key that comes more than once the last entry counts; a stable sort
  // keeps entries of one key in their order.
  std::stable_sort(
      row_.begin(), row_.end(), [](const Noted& a, const Noted& b) {
        return std::tie(a.in_sequence, a.key) < std::tie(b.in_sequence, b.key);
      });
  for (size_t i = 0; i < row_.size(); ++i) {
    const Noted& noted = row_[i];
    if (i + 1 < row_.size() && row_[i + 1].key == noted.key &&
        row_[i + 1].in_sequence == noted.in_sequence) {
      continue;
    }
    // A null column is right about a feature that is not set.
    if (noted.in_columns && noted.kind == Kind::kNull) continue;
    ++total_;
    Merge(noted.key, {noted.kind, 1, noted.in_columns}, noted.in_sequence);
  }
  row_.clear();
}

void LateFeatures::Merge(std::string_view key, const Count& more,
                         bool in_sequence) {
  Counts& counts = counts_[in_sequence];
  auto it = counts.find(key);
  if (it == counts.end()) {
    if (counts.size() == kKeysKept) return;
    it = counts.emplace(key, Count()).first;
  }
  Count& count = it->second;
  if (count.kind == Kind::kNull) count.kind = more.kind;
  count.in_columns = more.in_columns;
  count.rows += more.rows;
}

void LateFeatures::Add(const LateFeatures& later) {
  for (const bool in_sequence : {false, true}) {
    for (const auto& [key, count] : later.counts_[in_sequence]) {
      Merge(key, count, in_sequence);
    }
  }
  total_ += later.total_;
}

void LateFeatures::Clear() {
  row_.clear();
  for (Counts& counts : counts_) counts.clear();
  total_ = 0;
}

ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code) {
  if (code == ErrorCode::kMalformed || code == ErrorCode::kWrongKind) {
    Result<Message> message = ParseMessage(payload, program.message());
    if (!message.ok()) {
      ErrorInfo info = *message.status().info();
      info.offset = kUnknown;  // was within the message, and is in the text
      return info;
    }
    return ExplainWrongKind(program, *message);
  }
  if (code == ErrorCode::kLimit) {
    return {.code = code,
            .message =
                "the row does not fit the memory of one batch "
                "(Limits::max_batch_bytes)"};
  }
  if (code == ErrorCode::kOutOfMemory) {
    return {.code = code, .message = "out of memory"};
  }
  return {.code = code};
}

}  // namespace headrace::decode
