#include "bench/decode/decode_options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string_view>

namespace headrace::bench {
namespace {

constexpr char kUsage[] =
    R"(usage: bench_decode [--shapes NAME,...] [--mib N,...] [--batch N,...]
                    [--full] [--rounds N] [--min-time SECONDS] [--seed N]
                    [--target NAME] [--json FILE] [--require]

  --shapes    floats ids hashes blobs criteo criteo-shuffled criteo-hashed
              criteo-6 scalars scalars-lacking scalars-lacking-2 ragged
              sequence elwc gzip
  --mib       size of each file; 4 for input that stays in cache
  --batch     rows of a batch
  --full      files of 4, 64 and 256 MiB; of floats, ids and criteo also
              batches of 64 to 4096
  --rounds    each round runs all sides, one after another
  --min-time  of one side in one round
  --target    as if the CPU had nothing better than this SIMD target
  --json      also write all samples there
  --require   fail when a figure that must hold is lost
)";

// --full measures these with columns that fit the caches, and with some that do
// not.
constexpr std::string_view kSwept[] = {"floats", "ids", "criteo"};
constexpr size_t kUsualMib = 64;

// The options ask for these, which are then multiplied out; empty: the usual.
struct Axes {
  std::vector<const Shape*> shapes;
  bool filtered = false;  // if so, no shape may mean that none fits
  std::vector<size_t> mibs = {kUsualMib};
  std::vector<size_t> batches = {kUsualBatch};
  bool full = false;
};

// `add` gets the parts of a,b,c; false where it refuses one.
template <class Add>
bool ForEachPart(std::string_view list, Add add) {
  while (!list.empty()) {
    const size_t comma = list.find(',');
    if (!add(std::string(list.substr(0, comma)))) return false;
    list.remove_prefix(comma == list.npos ? list.size() : comma + 1);
  }
  return true;
}

bool AddShapes(std::string_view names, std::vector<const Shape*>* shapes) {
  return ForEachPart(names, [shapes](const std::string& name) {
    for (const Shape& shape : Shapes()) {
      if (shape.name != name) continue;
      shapes->push_back(&shape);
      return true;
    }
    return false;
  });
}

void FilterShapes(const std::string& pattern, Axes* axes) {
  const std::regex regex(pattern);
  for (const Shape& shape : Shapes()) {
    if (std::regex_search(std::string(shape.name), regex)) {
      axes->shapes.push_back(&shape);
    }
  }
  axes->filtered = true;
}

bool ParseSize(const std::string& text, size_t* value) {
  char* end = nullptr;
  *value = std::strtoull(text.c_str(), &end, 10);
  return *end == '\0' && *value > 0;
}

bool ParseSizes(const std::string& text, std::vector<size_t>* values) {
  values->clear();
  return ForEachPart(text, [values](const std::string& part) {
    return ParseSize(part, &values->emplace_back());
  });
}

bool ParseSeconds(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  // Google Benchmark lets the unit be written.
  return end != text.c_str() && *value >= 0 &&
         (*end == '\0' || std::string_view(end) == "s");
}

// False when the option is unknown or its value is wrong.
bool SetOption(const std::string& name, const std::string& value, Axes* axes,
               DecodeBenchOptions* options) {
  if (name == "--shapes") return AddShapes(value, &axes->shapes);
  if (name == "--mib") return ParseSizes(value, &axes->mibs);
  if (name == "--batch") return ParseSizes(value, &axes->batches);
  if (name == "--rounds") return ParseSize(value, &options->rounds);
  if (name == "--seed") return ParseSize(value, &options->seed);
  if (name == "--min-time") return ParseSeconds(value, &options->min_time);
  if (name == "--target") {
    options->target = value;
    return true;
  }
  if (name == "--json") {
    options->json = value;
    return true;
  }
  return false;
}

bool SetFlag(const std::string& name, Axes* axes, DecodeBenchOptions* options) {
  if (name == "--full") {
    axes->full = true;
  } else if (name == "--require") {
    options->require = true;
  } else {
    return false;
  }
  return true;
}

// False when it is no flag of Google Benchmark.
bool TakeBenchmarkFlag(const std::string& name,
                       const std::optional<std::string>& value, Axes* axes,
                       DecodeBenchOptions* options) {
  if (!name.starts_with("--benchmark_")) return false;
  if (name == "--benchmark_filter" && value) {
    FilterShapes(*value, axes);
  } else if (name == "--benchmark_min_time" && value) {
    ParseSeconds(*value, &options->min_time);
  }
  return true;
}

std::vector<DecodeCase> Cases(Axes axes) {
  if (axes.shapes.empty() && !axes.filtered) {
    for (const Shape& shape : Shapes()) axes.shapes.push_back(&shape);
  }
  if (axes.full) axes.mibs = {4, kUsualMib, 256};
  std::vector<DecodeCase> cases;
  for (const Shape* shape : axes.shapes) {
    const bool swept = std::find(std::begin(kSwept), std::end(kSwept),
                                 shape->name) != std::end(kSwept);
    for (size_t mib : axes.mibs) {
      std::vector<size_t> batches = axes.batches;
      if (axes.full) batches = {kUsualBatch};
      if (axes.full && swept && mib == kUsualMib) {
        batches = {64, kUsualBatch, 1024, 4096};
      }
      for (size_t batch : batches) cases.push_back({shape, mib << 20, batch});
    }
  }
  return cases;
}

}  // namespace

std::optional<DecodeBenchOptions> ParseDecodeOptions(int argc, char** argv) {
  DecodeBenchOptions options;
  Axes axes;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    std::optional<std::string> value;
    if (const size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (!value && SetFlag(name, &axes, &options)) continue;
    if (TakeBenchmarkFlag(name, value, &axes, &options)) continue;
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value || !SetOption(name, *value, &axes, &options)) {
      std::fprintf(stderr, "bench_decode: %s\n%s", argv[i], kUsage);
      return std::nullopt;
    }
  }
  options.cases = Cases(std::move(axes));
  return options;
}

}  // namespace headrace::bench
