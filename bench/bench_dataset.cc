// Records by number, all of a file in random order: Dataset::Take beside bare
// loops over the same records, and beside Reader, which has them in order.
// docs/performance.md says how to read the tables.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_data.h"
#include "bench/decode_report.h"
#include "bench/measure.h"
#include "bench/race.h"
#include "bench/sides/headrace_side.h"
#include "bench/sides/record_loops.h"
#include "bench/table.h"
#include "headrace/dataset.h"
#include "headrace/order.h"
#include "headrace/plan.h"
#include "src/read/reader/build_info.h"
#include "tests/support/temporary_file.h"

namespace headrace::bench {
namespace {

constexpr char kUsage[] =
    "usage: bench_dataset [--mib=N] [--rounds=N]\n"
    "\n"
    "  --mib     size of the file, 256 by default\n"
    "  --rounds  each runs all sides over all records, one after another; 9 "
    "by\n"
    "            default\n";

constexpr size_t kBatch = 256;
// Blocks of consecutive records have about so many bytes, and so many blocks
// are mixed.
constexpr uint64_t kBlockBytes = uint64_t{256} << 10;
constexpr uint64_t kWindow = 32;
// A side takes another order in each pass, until these are used up.
constexpr uint64_t kOrders = 4;

// Says how many times as fast `fast` is as `slow`.
struct Pair {
  const char* fast;
  const char* slow;
};

constexpr Pair kPairs[] = {
    {"Take, raw", "pread loop"},
    {"Take, raw, mapped", "memcpy loop"},
    {"Take, columns", "Reader, columns"},
    {"Take, columns, mapped", "Reader, columns"},
    {"Take of blocks, columns", "Reader, columns"},
    {"Take of blocks, columns, mapped", "Reader, columns"},
    {"Take of blocks, raw", "Reader, raw"},
};

// The rows of whole epochs, made before anything is timed.
class Epochs {
 public:
  static Result<Epochs> Make(OrderOptions options) {
    Epochs epochs;
    for (; options.epoch < kOrders; ++options.epoch) {
      const auto order = Order::Make(options);
      if (!order.ok()) return order.status();
      auto& rows = epochs.rows_.emplace_back(order->size());
      if (Status status = order->Rows(0, rows); !status.ok()) return status;
    }
    return epochs;
  }

  std::span<const uint64_t> Of(size_t pass) const {
    return rows_[pass % rows_.size()];
  }

 private:
  std::vector<std::vector<uint64_t>> rows_;
};

Result<uint64_t> TakeAll(std::span<const uint64_t> rows,
                         const TakeOptions& options, Dataset* dataset) {
  uint64_t count = 0;
  while (!rows.empty()) {
    const auto part = rows.first(std::min(rows.size(), kBatch));
    const Result<Batch> batch = dataset->Take(part, options);
    if (!batch.ok()) return batch.status();
    count += batch->num_rows();
    rows = rows.subspan(part.size());
  }
  return count;
}

// Every pass of the side gets the rows of another epoch.
template <class Pass>
Side OfEpochs(const char* name, const Epochs& epochs, Pass pass) {
  return {name, [&epochs, pass, number = size_t{0}]() mutable {
            return pass(epochs.Of(number++));
          }};
}

// The datasets of a race, by what they make and how they read.
struct Datasets {
  Dataset raw, raw_mapped, columns, columns_mapped;

  static Result<Datasets> Open(const std::string& path, const Plan& plan) {
    const Plan raw = Plan::ForRaw();
    auto first = Dataset::Open({path}, raw);
    auto second = Dataset::Open({path}, raw, {.mmap = true});
    auto third = Dataset::Open({path}, plan);
    auto fourth = Dataset::Open({path}, plan, {.mmap = true});
    for (const auto* opened : {&first, &second, &third, &fourth}) {
      if (!opened->ok()) return opened->status();
    }
    return Datasets{*std::move(first), *std::move(second), *std::move(third),
                    *std::move(fourth)};
  }
};

Status Race(const std::string& path, const Plan& plan, RecordLoops* loops,
            size_t rounds, ShapeResult* result) {
  auto datasets = Datasets::Open(path, plan);
  if (!datasets.ok()) return datasets.status();
  const uint64_t rows = datasets->raw.size();
  const TakeOptions blocks = {
      .block = std::max<uint64_t>(kBlockBytes * rows / result->file_bytes, 1),
      .kept = kWindow};
  const auto shuffled = Epochs::Make({.rows = rows, .seed = 1});
  const auto by_blocks = Epochs::Make(
      {.rows = rows, .seed = 1, .block = blocks.block, .window = kWindow});
  for (const auto* made : {&shuffled, &by_blocks}) {
    if (!made->ok()) return made->status();
  }
  const auto take = [](Dataset* dataset, const TakeOptions& options) {
    return [dataset, options](std::span<const uint64_t> order) {
      return TakeAll(order, options, dataset);
    };
  };
  RunRace(
      {OfEpochs("pread loop", *shuffled,
                [loops](auto order) { return loops->Pread(order); }),
       OfEpochs("memcpy loop", *shuffled,
                [loops](auto order) { return loops->CopyMapped(order); }),
       OfEpochs("Take, raw", *shuffled, take(&datasets->raw, {})),
       OfEpochs("Take, raw, mapped", *shuffled,
                take(&datasets->raw_mapped, {})),
       OfEpochs("Take, columns", *shuffled, take(&datasets->columns, {})),
       OfEpochs("Take, columns, mapped", *shuffled,
                take(&datasets->columns_mapped, {})),
       OfEpochs("Take of blocks, raw", *by_blocks,
                take(&datasets->raw, blocks)),
       OfEpochs("Take of blocks, columns", *by_blocks,
                take(&datasets->columns, blocks)),
       OfEpochs("Take of blocks, columns, mapped", *by_blocks,
                take(&datasets->columns_mapped, blocks)),
       {"Reader, raw", [&] { return ReadFile(path, Plan::ForRaw(), kBatch); }},
       {"Reader, columns", [&] { return ReadFile(path, plan, kBatch); }}},
      rounds, /*min_time=*/0, result);
  return Status();
}

// Pages that must still be written would be written while sides are timed.
void WriteBack(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return;
  fdatasync(descriptor);
  close(descriptor);
}

std::string TextOf(const Spread& spread) {
  return Decimals(spread.median, 2) + " (" + Decimals(spread.min, 2) + ".." +
         Decimals(spread.max, 2) + ")";
}

void PrintResult(const ShapeResult& result) {
  std::printf("criteo: %.1f MiB, %zu records, batches of %zu, %.2f GHz\n",
              static_cast<double>(result.file_bytes) / (1 << 20),
              result.num_records, result.batch_size, result.clock / 1e9);
  if (result.cpu_share < 0.97) {
    std::printf("  (the machine is busy: this had %.0f %% of a core)\n",
                result.cpu_share * 100);
  }
  std::vector<std::vector<std::string>> rates = {
      {"side", "million records/s", "ns/record"}};
  for (const SideResult& side : result.sides) {
    std::vector<double> millions;
    for (const double seconds : side.seconds) {
      millions.push_back(static_cast<double>(result.num_records) / seconds /
                         1e6);
    }
    const Spread spread = SpreadOf(std::move(millions));
    rates.push_back(
        {side.name, TextOf(spread), Decimals(1e3 / spread.median, 0)});
  }
  std::printf("\n");
  PrintMarkdown(rates);
  std::vector<std::vector<std::string>> ratios = {
      {"side", "beside", "times as fast"}};
  for (const Pair& pair : kPairs) {
    ratios.push_back(
        {pair.fast, pair.slow, TextOf(result.Ratio(pair.fast, pair.slow))});
  }
  std::printf("\n");
  PrintMarkdown(ratios);
}

Status Run(const RaceOptions& options) {
  const BuildInfo info = GetBuildInfo();
  std::printf("headrace %s (%s), target %s, CRC %s\n", info.version.c_str(),
              info.compiler.c_str(), info.target.c_str(), info.crc.c_str());
  const auto shapes = Shapes();
  const auto criteo =
      std::find_if(shapes.begin(), shapes.end(),
                   [](const Shape& shape) { return shape.name == "criteo"; });
  auto data = MakeData(*criteo, options.mib << 20, 1);
  if (!data.ok()) return data.status();
  const auto plan = Plan::ForColumns(data->columns);
  if (!plan.ok()) return plan.status();
  const testing::TemporaryFile file(data->file, ".tfrecord");
  WriteBack(file.path());
  auto loops = RecordLoops::Open(file.path(), data->file);
  if (!loops.ok()) return loops.status();
  ShapeResult result{.shape = "criteo",
                     .file_bytes = data->file.size(),
                     .batch_size = kBatch,
                     .num_records = data->num_records,
                     .num_features = data->num_features};
  data->file = std::string();
  Status status =
      Race(file.path(), *plan, loops->get(), options.rounds, &result);
  if (status.ok()) PrintResult(result);
  return status;
}

}  // namespace
}  // namespace headrace::bench

int main(int argc, char** argv) {
  return headrace::bench::RunRaceProgram(
      argc, argv, "bench_dataset", headrace::bench::kUsage,
      {.mib = 256, .rounds = 9}, headrace::bench::Run);
}
