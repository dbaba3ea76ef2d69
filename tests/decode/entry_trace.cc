#include "tests/decode/entry_trace.h"

#include <cstdint>

#include "src/decode/example/decode_block.h"
#include "src/plan/compile/program.h"
#include "tests/support/matchers.h"

namespace headrace::testing {

void DecodeInto(const Plan& plan, const std::vector<std::string>& records,
                decode::EntryOrder* order, column::ColumnSet* columns) {
  std::string bytes;
  for (const std::string& record : records) bytes += record;
  bytes.append(64, '\0');
  std::vector<record::RecordSpan> spans;
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  for (const std::string& record : records) {
    spans.push_back(
        {.payload = at, .size = static_cast<uint32_t>(record.size())});
    at += record.size();
  }
  columns->Start(plan::Program::Of(plan).slots(), /*keep_nulls=*/true);
  const decode::BlockEnd end = decode::DecodeBlock(
      plan::Program::Of(plan), spans, {.order = order}, columns, nullptr);
  EXPECT_EQ(end.code, ErrorCode::kOk);
}

decode::EntryOrder::Trace TraceOf(const Plan& plan,
                                  const std::vector<std::string>& records) {
  column::ColumnSet columns(uint64_t{1} << 30);
  decode::EntryOrder order;
  DecodeInto(plan, records, &order, &columns);
  return order.trace;
}

}  // namespace headrace::testing
