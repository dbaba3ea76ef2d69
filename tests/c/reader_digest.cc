// Prints what examples/c/digest.c prints, of the C++ reader's columns, without
// Arrow.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/reader.h"

namespace headrace::testing {
namespace {

constexpr uint64_t kBasis = 0xcbf29ce484222325;

class Hash {
 public:
  void Add(const void* bytes, size_t size) {
    for (const char byte :
         std::string_view(static_cast<const char*>(bytes), size)) {
      value_ = (value_ ^ static_cast<uint8_t>(byte)) * 0x100000001b3;
    }
  }
  void Add(uint64_t number) { Add(&number, sizeof(number)); }
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = kBasis;
};

// Of the arrays that Arrow has for a column: its lists, its steps, its values.
struct ColumnHashes {
  Hash rows;
  Hash steps;
  Hash values;
};

void AddLengths(const int32_t* offsets, size_t count, auto is_null,
                Hash* hash) {
  for (size_t i = 0; i < count; ++i) {
    hash->Add(is_null(i) ? ~uint64_t{0}
                         : static_cast<uint64_t>(offsets[i + 1] - offsets[i]));
  }
}

void AddValues(const Column& column, Hash* hash) {
  hash->Add(column.int64s().data(), column.int64s().size_bytes());
  hash->Add(column.floats().data(), column.floats().size_bytes());
  for (const std::string_view value : column.bytes()) {
    hash->Add(uint64_t{value.size()});
    hash->Add(value.data(), value.size());
  }
}

void Add(const Column& column, ColumnHashes* hashes) {
  if (column.offsets == nullptr) return;  // no values are known
  AddLengths(
      column.offsets, column.num_rows,
      [&](size_t row) { return column.IsNull(row); }, &hashes->rows);
  if (column.step_offsets != nullptr) {
    AddLengths(
        column.step_offsets, column.num_steps(),
        [&](size_t step) { return column.IsNullStep(step); }, &hashes->steps);
  }
  AddValues(column, &hashes->values);
}

// A column of kind kNull is one array of no values; below ##SEQUENCE## it is a
// list of these.
void AddHashes(const ColumnField& column, const ColumnHashes& hashes,
               Hash* digest) {
  digest->Add(hashes.rows.value());
  if (column.kind == Kind::kNull && !column.in_sequence) return;
  if (column.in_sequence) digest->Add(hashes.steps.value());
  if (column.kind != Kind::kNull) digest->Add(hashes.values.value());
}

int Print(const std::vector<std::string>& paths) {
  auto reader = Reader::Open(paths);
  uint64_t rows = 0;
  std::vector<ColumnHashes> hashes;
  while (reader.ok()) {
    const auto batch = reader->Next();
    if (!batch) break;
    rows += batch->num_rows();
    hashes.resize(batch->columns().size());
    for (size_t i = 0; i < hashes.size(); ++i) {
      Add(batch->columns()[i], &hashes[i]);
    }
  }
  const Status status = reader.ok() ? reader->status() : reader.status();
  if (!status.ok()) {
    std::fprintf(stderr, "digest: %s\n", status.ToString().c_str());
    return 1;
  }
  Hash digest;
  if (rows > 0) digest.Add(kBasis);  // the struct of all columns
  bool in_sequence = false;
  for (size_t i = 0; i < hashes.size(); ++i) {
    const ColumnField& column = reader->columns()[i];
    // The struct ##SEQUENCE## has the feature lists, which come last.
    if (column.in_sequence && !in_sequence) digest.Add(kBasis);
    in_sequence = column.in_sequence;
    AddHashes(column, hashes[i], &digest);
  }
  if (rows > 0 && !in_sequence && reader->plan().has_sequence_struct()) {
    digest.Add(kBasis);
  }
  std::printf("%" PRIu64 " rows, digest %016" PRIx64 "\n", rows,
              digest.value());
  return 0;
}

}  // namespace
}  // namespace headrace::testing

int main(int argc, char** argv) {
  return headrace::testing::Print({argv + 1, argv + argc});
}
