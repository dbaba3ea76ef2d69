
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headrace/example_encoder.h"
#include "src/base/out_of_memory.h"
#include "src/base/text/quote.h"
#include "src/exchange/encode/array_view.h"

namespace headrace {
namespace {

// Refuses types other than bytes and text; ArrayView refuses a missing type.
Status CheckType(const ArrowSchema& schema) {
  if (schema.release == nullptr || schema.format == nullptr) return Status();
  const auto facts = encode::ParseFormat(schema.format);
  const bool is_encoded = schema.dictionary != nullptr;
  if (facts && facts->kind == Kind::kBytes && !is_encoded) return Status();
  std::string found = schema.format;
  if (is_encoded) found += ", dictionary-encoded";
  return Status(ErrorInfo{
      .code = ErrorCode::kInvalidArgument,
      .message = "has the Arrow type " + Quote(found) + ", expected binary",
      .expected = "binary",
      .found = std::move(found)});
}

Status WrongValue(int64_t i, const char* what) {
  return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                          .message = what,
                          .record = static_cast<uint64_t>(i)});
}

Result<std::vector<std::string_view>> ValuesOf(const ArrowSchema& schema,
                                               const ArrowArray& array) {
  if (Status status = CheckType(schema); !status.ok()) return status;
  const Result<encode::ArrayView> view = encode::ArrayView::Of(schema, array);
  if (!view.ok()) return view.status();
  std::vector<std::string_view> values;
  values.reserve(static_cast<size_t>(view->length()));
  for (int64_t i = 0; i < view->length(); ++i) {
    if (view->IsNull(i)) return WrongValue(i, "is null");
    std::string_view value;
    if (!view->GetBytes(i, &value)) {
      return WrongValue(i, "is not inside its buffer");
    }
    values.push_back(value);
  }
  return values;
}

}  // namespace

Result<std::vector<std::string_view>> BinaryValues(const ArrowSchema& schema,
                                                   const ArrowArray& array) {
  return CatchOutOfMemory([&] { return ValuesOf(schema, array); });
}

}  // namespace headrace
