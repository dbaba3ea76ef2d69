#include "bench/decode_options.h"

#include <cstdio>
#include <cstdlib>
#include <regex>
#include <string_view>

namespace headrace::bench {
namespace {

constexpr char kUsage[] =
    R"(usage: bench_decode [--shapes NAME,...] [--mib N] [--batch N] [--rounds N]
                    [--min-time SECONDS] [--seed N] [--target NAME]
                    [--json FILE] [--require]

  --shapes    floats ids hashes blobs criteo criteo-shuffled criteo-6 scalars
  --mib       size of each file; 4 for input that stays in cache
  --batch     rows of a batch
  --rounds    each round runs all sides, one after another
  --min-time  of one side in one round
  --target    as if the CPU had nothing better than this SIMD target
  --json      also write all samples there
  --require   fail when a figure that must hold is lost
)";

bool AddShapes(std::string_view names, std::vector<Shape>* shapes) {
  while (!names.empty()) {
    const size_t comma = names.find(',');
    const std::string_view name = names.substr(0, comma);
    names.remove_prefix(comma == names.npos ? names.size() : comma + 1);
    bool known = false;
    for (Shape shape : kShapes) {
      if (ShapeName(shape) != name) continue;
      shapes->push_back(shape);
      known = true;
    }
    if (!known) return false;
  }
  return true;
}

void FilterShapes(const std::string& pattern, std::vector<Shape>* shapes) {
  const std::regex regex(pattern);
  for (Shape shape : kShapes) {
    const std::string name(ShapeName(shape));
    if (std::regex_search(name, regex)) shapes->push_back(shape);
  }
}

bool ParseSize(const std::string& text, size_t* value) {
  char* end = nullptr;
  *value = std::strtoull(text.c_str(), &end, 10);
  return *end == '\0' && *value > 0;
}

bool ParseSeconds(const std::string& text, double* value) {
  char* end = nullptr;
  *value = std::strtod(text.c_str(), &end);
  // Google Benchmark lets the unit be written.
  return end != text.c_str() && *value >= 0 &&
         (*end == '\0' || std::string_view(end) == "s");
}

// Sets one option; false when it is unknown or its value is wrong.
bool SetOption(const std::string& name, const std::string& value,
               DecodeBenchOptions* options) {
  if (name == "--shapes") return AddShapes(value, &options->shapes);
  if (name == "--batch") return ParseSize(value, &options->batch_size);
  if (name == "--rounds") return ParseSize(value, &options->rounds);
  if (name == "--seed") return ParseSize(value, &options->seed);
  if (name == "--min-time") return ParseSeconds(value, &options->min_time);
  if (name == "--mib") {
    if (!ParseSize(value, &options->file_bytes)) return false;
    options->file_bytes <<= 20;
    return true;
  }
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

}  // namespace

std::optional<DecodeBenchOptions> ParseDecodeOptions(int argc, char** argv) {
  DecodeBenchOptions options;
  bool filtered = false;
  for (int i = 1; i < argc; ++i) {
    std::string name = argv[i];
    std::optional<std::string> value;
    if (const size_t equals = name.find('='); equals != name.npos) {
      value = name.substr(equals + 1);
      name.resize(equals);
    }
    if (name == "--require" && !value) {
      options.require = true;
      continue;
    }
    if (name.starts_with("--benchmark_")) {
      if (name == "--benchmark_filter" && value) {
        FilterShapes(*value, &options.shapes);
        filtered = true;
      } else if (name == "--benchmark_min_time" && value) {
        ParseSeconds(*value, &options.min_time);
      }
      continue;
    }
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value || !SetOption(name, *value, &options)) {
      std::fprintf(stderr, "bench_decode: %s\n%s", argv[i], kUsage);
      return std::nullopt;
    }
  }
  if (options.shapes.empty() && !filtered) {
    options.shapes.assign(std::begin(kShapes), std::end(kShapes));
  }
  return options;
}

}  // namespace headrace::bench
