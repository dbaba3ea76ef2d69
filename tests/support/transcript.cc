#include "tests/support/transcript.h"

#include <string_view>

#include "gtest/gtest.h"
#include "tests/naive/batch_tensors.h"

namespace headrace::testing {
namespace {

template <class T>
std::string BitsOf(std::span<const T> values, size_t begin, size_t end) {
  return {reinterpret_cast<const char*>(values.data() + begin),
          (end - begin) * sizeof(T)};
}

std::string ValuesToText(const Column& column, size_t begin, size_t end) {
  if (begin == end) return "[]";
  if (column.kind == Kind::kInt64) return BitsOf(column.int64s(), begin, end);
  if (column.kind == Kind::kFloat) return BitsOf(column.floats(), begin, end);
  std::string text;
  for (size_t i = begin; i < end; ++i) {
    text += std::to_string(column.bytes()[i].size()) + ":";
    text += column.bytes()[i];
  }
  return text;
}

std::string StepToText(const Column& column, size_t step) {
  if (column.IsNullStep(step)) return "null,";
  return ValuesToText(column, static_cast<size_t>(column.step_offsets[step]),
                      static_cast<size_t>(column.step_offsets[step + 1])) +
         ",";
}

}  // namespace

void AddRows(const Batch& batch, Transcript* transcript) {
  for (size_t row = 0; row < batch.num_rows(); ++row) {
    const RowOrigin& origin = batch.origins()[row];
    std::string text = ToText(origin);
    for (const Column& column : batch.columns()) {
      text += " " + std::string(column.name) + "=" + CellToText(column, row);
    }
    transcript->rows.push_back(std::move(text));
    transcript->origins.push_back(origin);
  }
  if (!batch.tensors().empty()) {
    transcript->tensors.push_back(ToText(TensorsOf(batch)));
  }
}

std::string ToText(const RowOrigin& origin) {
  return std::to_string(origin.file) + ":" + std::to_string(origin.record) +
         "@" + std::to_string(origin.offset) + (origin.recovered ? "r" : "");
}

std::string CellToText(const Column& column, size_t row) {
  if (column.IsNull(row)) return "null";
  if (column.offsets == nullptr) return "";
  const auto begin = static_cast<size_t>(column.offsets[row]);
  const auto end = static_cast<size_t>(column.offsets[row + 1]);
  if (!column.in_sequence) return ValuesToText(column, begin, end);
  std::string text = "steps ";
  for (size_t step = begin; step < end; ++step) {
    text += StepToText(column, step);
  }
  return text;
}

std::string EndToText(const Reader& reader) {
  const ReadReport& report = reader.report();
  std::string text = reader.status().ToString() + "\nregions " +
                     std::to_string(report.num_regions) + "\n";
  for (const FileRegion& region : report.regions) {
    text += region.file + " " + std::to_string(region.region.begin) + " " +
            std::to_string(region.region.end) + " " +
            std::string(NameOf(region.region.reason)) + "\n";
  }
  text += "rows " + std::to_string(report.num_rows) + "\n";
  for (const Status& row : report.rows) text += row.ToString() + "\n";
  text += "late " + std::to_string(report.num_late) + "\n";
  for (const LateFeature& late : report.late) {
    text += late.name + " " + std::to_string(late.rows) + " " +
            std::string(KindName(late.kind)) +
            (late.in_sequence ? " in lists\n" : "\n");
  }
  return text + std::to_string(reader.num_records()) + " records, " +
         std::to_string(reader.num_bytes()) + " bytes\n";
}

Transcript ReadAll(const std::vector<std::string>& paths,
                   const ReadOptions& options, const Plan* plan) {
  Transcript transcript;
  auto reader =
      plan ? Reader::Open(paths, *plan, options) : Reader::Open(paths, options);
  if (!reader.ok()) {
    transcript.status = reader.status();
    transcript.end = transcript.status.ToString();
    return transcript;
  }
  while (auto batch = reader->Next()) AddRows(*batch, &transcript);
  transcript.status = reader->status();
  transcript.report = reader->report();
  transcript.end = EndToText(*reader);
  for (int i = 0; i < 3; ++i) {
    const auto again = reader->Next();
    EXPECT_FALSE(again);
    EXPECT_EQ(again.status().ToString(), transcript.status.ToString());
    EXPECT_EQ(EndToText(*reader), transcript.end);
  }
  return transcript;
}

}  // namespace headrace::testing
