// arrow_dump DIR: writes what read_back_test.py reads. Every case in every
// form as CASE.BYTES.FORMAT and what must be in it as CASE.json, or CASE.nested
// for feature lists and tensors; likewise the batches that a Reader makes of
// reader.tfrecord.
//
// arrow_dump CASE file|stream: writes one case to standard output.

#include <bit>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/arrow.h"
#include "headrace/reader.h"
#include "nlohmann/json.hpp"
#include "src/exchange/arrow/ipc_writer.h"
#include "tests/arrow/cases.h"
#include "tests/arrow/column_maker.h"
#include "tests/arrow/nested_cases.h"
#include "tests/random/random_example.h"
#include "tests/support/hex.h"
#include "tests/support/record_file.h"

namespace headrace::testing {
namespace {

using nlohmann::json;

struct Form {
  BytesAs bytes_as;
  const char* name;
};
constexpr Form kForms[] = {{BytesAs::kBinary, "binary"},
                           {BytesAs::kLargeBinary, "large"},
                           {BytesAs::kBinaryView, "view"},
                           {BytesAs::kString, "string"}};
constexpr ArrowFormat kFormats[] = {ArrowFormat::kFile, ArrowFormat::kStream};

// Floats by their bits and bytes in hex: nothing is lost.
json ValueJson(const Column& column, size_t i) {
  if (column.kind == Kind::kInt64) return column.int64s()[i];
  if (column.kind == Kind::kFloat) {
    return std::bit_cast<uint32_t>(column.floats()[i]);
  }
  return ToHex(column.bytes()[i]);
}

void AppendRows(const Column& column, json* rows) {
  for (size_t row = 0; row < column.num_rows; ++row) {
    if (column.IsNull(row)) {
      rows->push_back(nullptr);
      continue;
    }
    json cell = json::array();
    const auto end = static_cast<size_t>(column.offsets[row + 1]);
    for (auto i = static_cast<size_t>(column.offsets[row]); i < end; ++i) {
      cell.push_back(ValueJson(column, i));
    }
    rows->push_back(std::move(cell));
  }
}

class Expected {
 public:
  explicit Expected(std::span<const ColumnField> fields) {
    for (const ColumnField& field : fields) {
      columns_.push_back({{"name", ToHex(field.name)},
                          {"kind", KindName(field.kind)},
                          {"rows", json::array()}});
    }
  }
  void Append(size_t num_rows, std::span<const Column> columns) {
    batches_.push_back(num_rows);
    for (size_t i = 0; i < columns.size(); ++i) {
      AppendRows(columns[i], &columns_[i]["rows"]);
    }
  }
  void Write(const std::string& path) const {
    std::ofstream(path) << json{{"batches", batches_}, {"columns", columns_}};
  }

 private:
  json batches_ = json::array();
  json columns_ = json::array();
};

std::string PathOf(const std::string& stem, const Form& form,
                   ArrowFormat format) {
  return stem + "." + form.name +
         (format == ArrowFormat::kFile ? ".file" : ".stream");
}

Status DumpCase(const Case& c, const std::string& dir) {
  const std::string stem = dir + "/" + c.name;
  Expected expected(c.columns->fields().columns);
  expected.Append(c.columns->batch().num_rows, c.columns->batch().columns);
  expected.Write(stem + ".json");
  for (const Form& form : kForms) {
    if (form.bytes_as == BytesAs::kString && !c.is_utf8) continue;
    for (const ArrowFormat format : kFormats) {
      auto writer = arrow::IpcWriter::Open(PathOf(stem, form, format), format,
                                           c.columns->fields(),
                                           {.bytes_as = form.bytes_as});
      if (!writer.ok()) return writer.status();
      Status status = writer->Write(c.columns->batch());
      if (status.ok()) status = writer->Close();
      if (!status.ok()) return status;
    }
  }
  return Status();
}

Status DumpNested(const NestedCase& c, const std::string& dir) {
  const std::string stem = dir + "/" + c.name;
  json types;
  for (const Form& form : kForms) types[form.name] = TypeIn(c, form.bytes_as);
  std::ofstream(stem + ".nested") << json{{"types", types}, {"rows", c.rows}};
  for (const Form& form : kForms) {
    for (const ArrowFormat format : kFormats) {
      auto writer =
          arrow::IpcWriter::Open(PathOf(stem, form, format), format, c.fields,
                                 {.bytes_as = form.bytes_as});
      if (!writer.ok()) return writer.status();
      Status status = writer->Write(c.batch);
      if (status.ok()) status = writer->Close();
      if (!status.ok()) return status;
    }
  }
  return Status();
}

std::string RandomFile() {
  RandomExample examples(11, {});
  std::vector<std::string> records;
  for (int i = 0; i < 500; ++i) records.push_back(examples.Next());
  return RecordFile(records);
}

// Random values are not UTF-8, so there is no string form.
Status DumpReader(const std::string& dir) {
  const std::string stem = dir + "/reader";
  const std::string input = stem + ".tfrecord";
  std::ofstream(input, std::ios::binary) << RandomFile();
  for (const Form& form : kForms) {
    if (form.bytes_as == BytesAs::kString) continue;
    for (const ArrowFormat format : kFormats) {
      auto reader = Reader::Open({input}, {.batch_size = 64});
      if (!reader.ok()) return reader.status();
      auto writer =
          ArrowWriter::Open(PathOf(stem, form, format), format, reader->plan(),
                            {.bytes_as = form.bytes_as});
      if (!writer.ok()) return writer.status();
      Expected expected(reader->columns());
      while (auto batch = reader->Next()) {
        expected.Append(batch->num_rows(), batch->columns());
        Status status = writer->Write(*batch);
        if (!status.ok()) return status;
      }
      if (!reader->status().ok()) return reader->status();
      Status status = writer->Close();
      if (!status.ok()) return status;
      expected.Write(stem + ".json");
    }
  }
  return Status();
}

Status DumpToStdout(std::string_view name, std::string_view format) {
  for (const Case& c : Cases()) {
    if (c.name != name) continue;
    auto writer = arrow::IpcWriter::Open(
        "-", format == "file" ? ArrowFormat::kFile : ArrowFormat::kStream,
        c.columns->fields(), {});
    if (!writer.ok()) return writer.status();
    Status status = writer->Write(c.columns->batch());
    return status.ok() ? writer->Close() : status;
  }
  return Status(ErrorCode::kInvalidArgument, "no such case");
}

Status Dump(const std::string& dir) {
  for (const Case& c : Cases()) {
    Status status = DumpCase(c, dir);
    if (!status.ok()) return status;
  }
  for (const NestedCase& c : NestedCases()) {
    Status status = DumpNested(c, dir);
    if (!status.ok()) return status;
  }
  return DumpReader(dir);
}

}  // namespace
}  // namespace headrace::testing

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: arrow_dump DIR | arrow_dump CASE file|stream\n";
    return 2;
  }
  const headrace::Status status =
      argc == 2 ? headrace::testing::Dump(argv[1])
                : headrace::testing::DumpToStdout(argv[1], argv[2]);
  if (!status.ok()) std::cerr << status.ToString() << '\n';
  return status.ok() ? 0 : 1;
}
