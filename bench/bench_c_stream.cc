// The benchmark shows what the C interface costs: a file is read through
// headrace_stream, and beside that through ExportStream, in turns, one thread,
// batches of 256. docs/performance.md says how to read the table.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_data.h"
#include "bench/decode_report.h"
#include "bench/race.h"
#include "bench/table.h"
#include "headrace/arrow.h"
#include "headrace/c.h"
#include "headrace/reader.h"
#include "tests/support/temporary_file.h"

namespace headrace::bench {
namespace {

constexpr char kUsage[] =
    "usage: bench_c_stream [--mib=N] [--rounds=N]\n"
    "\n"
    "  --mib     size of each file, 64 by default\n"
    "  --rounds  each runs both sides over each file; 21 by default\n";

// Both sides find the columns themselves, and the consumer lets each array go.
Result<uint64_t> CountRows(ArrowArrayStream* stream) {
  uint64_t rows = 0;
  ArrowArray array;
  while (true) {
    if (stream->get_next(stream, &array) != 0) {
      Status failed(ErrorCode::kIo, stream->get_last_error(stream));
      stream->release(stream);
      return failed;
    }
    if (array.release == nullptr) break;
    rows += static_cast<uint64_t>(array.length);
    array.release(&array);
  }
  stream->release(stream);
  return rows;
}

Result<uint64_t> ReadByCpp(const std::string& path) {
  Result<Reader> reader = Reader::Open({path});
  if (!reader) return reader.status();
  ArrowArrayStream stream;
  const Status status = ExportStream(*std::move(reader), {}, &stream);
  return status.ok() ? CountRows(&stream) : status;
}

Result<uint64_t> ReadByC(const std::string& path) {
  const char* const paths[] = {path.c_str()};
  headrace_reader* reader = nullptr;
  headrace_error* error = nullptr;
  ArrowArrayStream stream = {};
  if (headrace_open(paths, 1, nullptr, &reader, &error) == HEADRACE_OK) {
    headrace_stream(reader, &stream, &error);
  }
  headrace_close(reader);
  if (error == nullptr) return CountRows(&stream);
  Status failed(ErrorCode::kIo, error->message);
  headrace_error_free(error);
  return failed;
}

Result<std::vector<std::string>> Race(const Shape& shape,
                                      const RaceOptions& options) {
  auto data = MakeData(shape, options.mib << 20, 1);
  if (!data) return data.status();
  const testing::TemporaryFile file(data->file, ".tfrecord");
  ShapeResult result{.shape = std::string(shape.name),
                     .file_bytes = data->file.size(),
                     .batch_size = 256,
                     .num_records = data->num_records,
                     .num_features = data->num_features};
  data->file = std::string();
  RunRace({{"C++", [&] { return ReadByCpp(file.path()); }},
           {"C", [&] { return ReadByC(file.path()); }}},
          options.rounds, /*min_time=*/0, &result);
  const Spread ratio = result.Ratio("C++", "C");
  return std::vector<std::string>{
      std::string(shape.name), Decimals(result.Rate("C++").median, 2),
      Decimals(result.Rate("C").median, 2), Decimals(ratio.median, 3),
      Decimals(ratio.min, 3) + ".." + Decimals(ratio.max, 3)};
}

Status Run(const RaceOptions& options) {
  std::vector<std::vector<std::string>> rows = {
      {"records", "C++, GB/s", "C, GB/s", "C's time / C++'s", "spread"}};
  for (const Shape& shape : Shapes()) {
    // Inflating would hide the difference; lists need a spec.
    if (shape.gzip || shape.lists || !shape.asked.empty()) continue;
    auto row = Race(shape, options);
    if (!row) return row.status();
    rows.push_back(*std::move(row));
  }
  PrintMarkdown(rows);
  return Status();
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) {
  return headrace::bench::RunRaceProgram(
      argc, argv, "bench_c_stream", headrace::bench::kUsage,
      {.mib = 64, .rounds = 21}, headrace::bench::Run);
}
