#include "src/read/reader/unexplained_rows.h"

#include <utility>

#include "src/decode/explain/explain.h"

namespace headrace::reader {
namespace {

// Maximum bytes of all copies.
constexpr size_t kMaxBytes = size_t{8} << 20;

}  // namespace

Status ExplainAt(const plan::Program& program, std::string_view payload,
                 const RowPlace& place, ErrorCode code) {
  ErrorInfo info = tensor::ExplainRow(program, payload, code);
  if (place.file != nullptr) info.file = *place.file;
  info.record = place.record;
  info.offset = place.offset;
  return Status(std::move(info));
}

void UnexplainedRows::Add(const plan::Program& program,
                          std::string_view payload, const RowPlace& place,
                          ErrorCode code, std::vector<Status>* errors) {
  // An error that is not the record's fault is explained without the record.
  if (!IsRowError(code)) payload = {};
  if (payload.size() > kMaxBytes - payloads_.size()) {
    Explain(program, errors);
    if (payload.size() > kMaxBytes) {
      errors->push_back(ExplainAt(program, payload, place, code));
      return;
    }
  }
  payloads_ += payload;
  rows_.push_back({place, code, payloads_.size()});
}

void UnexplainedRows::Explain(const plan::Program& program,
                              std::vector<Status>* errors) {
  for (; next_ < rows_.size(); ++next_) {
    const Row& row = rows_[next_];
    const size_t begin = next_ == 0 ? 0 : rows_[next_ - 1].end;
    Status error = ExplainAt(
        program, std::string_view(payloads_).substr(begin, row.end - begin),
        row.place, row.code);
    // Memory ran out while explaining, not while decoding the row: reading has
    // gone on since.
    if (error.code() == ErrorCode::kOutOfMemory) {
      ErrorInfo info = *error.info();
      info.code = row.code;
      info.message = "no memory to say why";
      error = Status(std::move(info));
    }
    errors->push_back(std::move(error));
  }
  Clear();
}

void UnexplainedRows::Clear() {
  rows_.clear();
  payloads_.clear();
  next_ = 0;
}

}  // namespace headrace::reader
