// headrace_decode: decodes messages in memory to an Arrow array.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/c.h"
#include "headrace/decoder.h"
#include "src/c/arguments.h"
#include "src/c/error.h"
#include "src/c/handles.h"
#include "src/read/reader/given_options.h"

namespace headrace::c {
namespace {

Result<std::vector<std::string_view>> RecordsFrom(const void* const* records,
                                                  const size_t* sizes,
                                                  size_t n) {
  if (records == nullptr && n > 0) return IsNull("records");
  if (sizes == nullptr && n > 0) return IsNull("sizes");
  std::vector<std::string_view> views;
  for (size_t i = 0; i < n; ++i) {
    // A message without bytes is an Example without features.
    if (records[i] == nullptr && sizes[i] > 0) {
      return IsNull("records[" + std::to_string(i) + "]");
    }
    views.emplace_back(static_cast<const char*>(records[i]), sizes[i]);
  }
  return views;
}

Status DecodeRecords(const Plan& plan,
                     const std::vector<std::string_view>& records,
                     const char* json, ArrowArray* array, ArrowSchema* schema) {
  Result<GivenOptions> options = GivenOptions::Parse(json);
  if (!options) return options.status();
  DecodeOptions decode;
  ArrowOptions arrow;
  options->TakeAll(&decode, kForDecoder);
  options->TakeAll(&arrow);
  if (Status status = options->Finish(); !status.ok()) return status;
  const Result<Batch> batch = Decoder(plan, decode).Decode(records);
  if (!batch) return batch.status();
  return GiveBatch(*batch, plan, arrow, array, schema);
}

}  // namespace
}  // namespace headrace::c

int32_t headrace_decode(const headrace_plan* plan, const void* const* records,
                        const size_t* sizes, size_t n, const char* options_json,
                        struct ArrowArray* array, struct ArrowSchema* schema,
                        headrace_error** error) {
  return headrace::c::Call(error, [&] {
    headrace::c::Empty(schema);
    if (array == nullptr) return headrace::c::IsNull("array");
    headrace::c::Empty(array);
    if (plan == nullptr) return headrace::c::IsNull("plan");
    const auto views = headrace::c::RecordsFrom(records, sizes, n);
    if (!views) return views.status();
    return headrace::c::DecodeRecords(plan->plan, *views, options_json, array,
                                      schema);
  });
}
