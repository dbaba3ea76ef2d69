#include "bench/decode/list_columns.h"

namespace headrace::bench {
namespace {

void AddLists(std::span<const uint32_t> ends, std::span<const uint8_t> valid,
              Fingerprint* fingerprint) {
  uint32_t begin = 0;
  for (size_t i = 0; i < ends.size(); ++i) {
    fingerprint->AddList(valid[i] != 0, ends[i] - begin);
    begin = ends[i];
  }
}

}  // namespace

void ListColumn::AddTo(Fingerprint* fingerprint) const {
  AddLists(row_ends, row_valid, fingerprint);
  AddLists(step_ends, step_valid, fingerprint);
  for (int64_t value : int64s) fingerprint->Add(value);
  for (float value : floats) fingerprint->Add(value);
  size_t begin = 0;
  for (size_t end : value_ends) {
    fingerprint->Add(std::string_view(bytes).substr(begin, end - begin));
    begin = end;
  }
}

void ListColumn::Clear() {
  int64s.clear();
  floats.clear();
  bytes.clear();
  value_ends.clear();
  step_ends.clear();
  step_valid.clear();
  row_ends.clear();
  row_valid.clear();
}

ListColumns::ListColumns(std::span<const ColumnField> fields, size_t batch_size)
    : batch_size_(batch_size) {
  for (const ColumnField& field : fields) {
    ListColumn& column = columns_.emplace_back();
    column.key = field.name;
    column.in_sequence = field.in_sequence;
  }
}

void ListColumns::Start(std::vector<Fingerprint>* fingerprints) {
  fingerprints_ = fingerprints;
  if (fingerprints != nullptr) {
    fingerprints->assign(columns_.size(), Fingerprint());
  }
}

void ListColumns::EndBatch() {
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (fingerprints_ != nullptr) columns_[i].AddTo(&(*fingerprints_)[i]);
    // The compiler must believe that the columns are used.
    asm volatile("" : : "r"(&columns_[i]) : "memory");
    columns_[i].Clear();
  }
  rows_ = 0;
}

}  // namespace headrace::bench
