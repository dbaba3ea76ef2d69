// The cold path: what is wrong with one record, in words. Nothing here runs
// while records are good.

#include <algorithm>
#include <string>
#include <utility>

#include "headrace/message.h"
#include "src/base/quote.h"
#include "src/decode/decode_block.h"

namespace headrace::decode {
namespace {

ErrorInfo ExplainWrongKind(const plan::Program& program,
                           const Message& message) {
  ErrorInfo info{.code = ErrorCode::kWrongKind};
  for (const ColumnField& column : program.columns()) {
    const auto it = message.features.find(column.name);
    if (column.kind == Kind::kNull || it == message.features.end()) continue;
    const Kind found = it->second.kind;
    if (found == Kind::kNull || found == column.kind) continue;
    info.feature = column.name;
    info.expected = KindName(column.kind);
    info.found = KindName(found);
    info.message = "feature " + Quote(column.name) + ": expected " +
                   info.expected + ", found " + info.found;
    break;
  }
  return info;
}

}  // namespace

void LateFeatures::CountRow() {
  // Of a key that comes more than once the last entry counts; a stable sort
  // keeps entries of one key in their order.
  std::stable_sort(
      row_.begin(), row_.end(),
      [](const Noted& a, const Noted& b) { return a.key < b.key; });
  for (size_t i = 0; i < row_.size(); ++i) {
    const Noted& noted = row_[i];
    if (i + 1 < row_.size() && row_[i + 1].key == noted.key) continue;
    // A null column is right about a feature that is not set.
    if (noted.in_columns && noted.kind == Kind::kNull) continue;
    ++total_;
    auto it = counts_.find(noted.key);
    if (it == counts_.end()) {
      if (counts_.size() == kKeysKept) continue;
      it = counts_.emplace(noted.key, Count()).first;
    }
    Count& count = it->second;
    if (count.kind == Kind::kNull) count.kind = noted.kind;
    count.in_columns = noted.in_columns;
    ++count.rows;
  }
  row_.clear();
}

ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code) {
  if (code == ErrorCode::kMalformed || code == ErrorCode::kWrongKind) {
    Result<Message> message = ParseMessage(payload, MessageType::kExample);
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
  return {.code = code, .message = "out of memory"};
}

}  // namespace headrace::decode
