#include "src/plan/function/chain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "src/base/cast.h"
#include "src/base/text/numbers.h"
#include "src/plan/function/fingerprint.h"
#include "src/plan/function/number_functions.h"

namespace headrace::function {
namespace {

// Values between two functions stay in the first cache.
constexpr size_t kBlockOfValues = 256;

constexpr int64_t kMaxId = std::numeric_limits<int64_t>::max();

// What a function takes and returns.
struct Values {
  DType type;
  bool are_ids = false;  // no function takes them
  // Of kInt64.
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();
};

Values Ids(int64_t least, int64_t most) {
  return {.type = DType::kInt64, .are_ids = true, .least = least, .most = most};
}

Status BadFunction(std::string_view name, const std::string& what) {
  return Status(ErrorCode::kBadSpec, std::string(name) + " " + what);
}

Status NotTaken(std::string_view name, const Values& values,
                std::string_view taken) {
  return BadFunction(
      name, "takes " + std::string(taken) + ", not " +
                (values.are_ids ? "ids" : std::string(DTypeName(values.type))));
}

// ------------------------------------------------------------------- compile

// Each returns what the function returns for these values, or why it is wrong.
// A function may be put into the form that is applied.

bool IsKey(const Values& values) {
  return !values.are_ids && values.type != DType::kFloat;
}
bool IsNumber(const Values& values) {
  return !values.are_ids && values.type != DType::kBytes;
}

Result<Values> Compiled(const Values& values, Hash& hash) {
  if (!IsKey(values)) return NotTaken("hash_bucket", values, "bytes or int64");
  if (hash.buckets < 1 || hash.buckets > uint64_t{kMaxId}) {
    return BadFunction("hash_bucket", "needs 1 to 2^63 - 1 buckets, not " +
                                          Grouped(hash.buckets));
  }
  return Ids(0, static_cast<int64_t>(hash.buckets - 1));
}

Result<Values> Compiled(const Values& values, LookUp& look_up) {
  constexpr std::string_view kName = "vocabulary";
  if (!IsKey(values)) return NotTaken(kName, values, "bytes or int64");
  if (look_up.vocabulary == nullptr) {
    return BadFunction(kName, "needs a file or keys");
  }
  if (look_up.vocabulary->type() != values.type) {
    return BadFunction(
        kName,
        "has keys of " + std::string(DTypeName(look_up.vocabulary->type())) +
            ", but the values are " + std::string(DTypeName(values.type)));
  }
  const auto last = static_cast<int64_t>(look_up.vocabulary->size() - 1);
  if (look_up.default_id.has_value() == (look_up.oov_buckets > 0)) {
    return BadFunction(kName, "needs either oov_buckets or a default");
  }
  if (look_up.default_id) {
    if (look_up.oov_first) {
      return BadFunction(kName, "has no buckets that could be first");
    }
    return Ids(std::min<int64_t>(0, *look_up.default_id),
               std::max(last, *look_up.default_id));
  }
  if (look_up.oov_buckets > static_cast<uint64_t>(kMaxId - last)) {
    return BadFunction(
        kName, "has too many oov_buckets: " + Grouped(look_up.oov_buckets));
  }
  return Ids(0, last + static_cast<int64_t>(look_up.oov_buckets));
}

Result<Values> Compiled(const Values& values, Bucketize& bucketize) {
  constexpr std::string_view kName = "bucketize";
  if (!IsNumber(values)) return NotTaken(kName, values, "float or int64");
  const std::vector<float>& boundaries = bucketize.boundaries;
  for (size_t i = 0; i < boundaries.size(); ++i) {
    if (std::isnan(boundaries[i])) {
      return BadFunction(kName, "must not have NaN as a boundary");
    }
    if (i > 0 && boundaries[i] < boundaries[i - 1]) {
      return BadFunction(kName, "needs boundaries that ascend, not " +
                                    NumberText(double{boundaries[i]}) +
                                    " after " +
                                    NumberText(double{boundaries[i - 1]}));
    }
  }
  return Ids(0, static_cast<int64_t>(boundaries.size()));
}

Result<Values> Compiled(const Values& values, Clip& clip) {
  constexpr std::string_view kName = "clip";
  if (!IsNumber(values)) return NotTaken(kName, values, "float or int64");
  const auto* const lo = std::get_if<int64_t>(&clip.lo);
  const auto* const hi = std::get_if<int64_t>(&clip.hi);
  if (values.type == DType::kInt64) {
    if (lo == nullptr || hi == nullptr) {
      return BadFunction(kName, "of int64 needs bounds that are integers");
    }
    if (*lo > *hi) {
      return BadFunction(kName, "needs bounds that ascend, not " +
                                    IntText(*lo) + " and " + IntText(*hi));
    }
    // The range of the values may lie outside of the bounds.
    return Values{.type = DType::kInt64,
                  .least = std::clamp(values.least, *lo, *hi),
                  .most = std::clamp(values.most, *lo, *hi)};
  }
  for (Clip::Bound* bound : {&clip.lo, &clip.hi}) {
    if (const auto* const integer = std::get_if<int64_t>(bound)) {
      *bound = static_cast<float>(*integer);
    }
  }
  const float least = std::get<float>(clip.lo);
  const float most = std::get<float>(clip.hi);
  if (!(least <= most)) {
    return BadFunction(kName, "needs bounds that ascend, not " +
                                  NumberText(double{least}) + " and " +
                                  NumberText(double{most}));
  }
  return Values{.type = DType::kFloat};
}

Result<Values> Compiled(const Values& values, Log1p&) {
  if (!IsNumber(values)) return NotTaken("log1p", values, "float or int64");
  return Values{.type = DType::kFloat};
}

Result<Values> Compiled(const Values& values, Scale& scale) {
  constexpr std::string_view kName = "scale";
  if (!IsNumber(values)) return NotTaken(kName, values, "float or int64");
  if (!std::isfinite(scale.mean)) {
    return BadFunction(kName, "needs a finite mean");
  }
  if (!std::isfinite(scale.std) || scale.std == 0) {
    return BadFunction(kName, "needs a finite std other than 0");
  }
  return Values{.type = DType::kFloat};
}

// --------------------------------------------------------------------- apply

// The input of a function, and where its results go.
struct Block {
  DType type;
  const void* values;
  size_t size;
  void* out;

  template <class T>
  std::span<const T> Of() const {
    return {static_cast<const T*>(values), size};
  }
  int64_t* ints() const { return static_cast<int64_t*>(out); }
  float* floats() const { return static_cast<float*>(out); }

  // Calls `apply` with the numbers as floats.
  template <class Apply>
  void WithFloats(const Apply& apply) const {
    if (type == DType::kFloat) return apply(Of<float>());
    float floats[kBlockOfValues];
    RoundToFloat(Of<int64_t>().data(), size, floats);
    apply(std::span<const float>(floats, size));
  }
  // Calls `apply` with the keys, which are bytes or integers.
  template <class Apply>
  void WithKeys(const Apply& apply) const {
    if (type == DType::kBytes) return apply(Of<std::string_view>());
    apply(Of<int64_t>());
  }
};

void Run(const Hash& hash, const Block& block) {
  block.WithKeys(
      [&](auto keys) { HashBuckets(keys, hash.buckets, block.ints()); });
}

void Run(const LookUp& look_up, const Block& block) {
  int64_t* const ids = block.ints();
  const int64_t first =
      look_up.oov_first ? static_cast<int64_t>(look_up.oov_buckets) : 0;
  const int64_t first_bucket =
      look_up.oov_first ? 0 : static_cast<int64_t>(look_up.vocabulary->size());
  block.WithKeys([&](auto keys) {
    look_up.vocabulary->Find(keys, ids);
    for (size_t i = 0; i < keys.size(); ++i) {
      if (ids[i] != kNoLine) {
        ids[i] += first;
      } else if (look_up.default_id) {
        ids[i] = *look_up.default_id;
      } else {
        ids[i] = first_bucket + HashBucket(keys[i], look_up.oov_buckets);
      }
    }
  });
}

void Run(const Bucketize& bucketize, const Block& block) {
  block.WithFloats([&](auto values) {
    BucketizeFloats(values, bucketize.boundaries, block.ints());
  });
}

void Run(const Clip& clip, const Block& block) {
  if (block.type == DType::kInt64) {
    return ClipInts(block.Of<int64_t>(), std::get<int64_t>(clip.lo),
                    std::get<int64_t>(clip.hi), block.ints());
  }
  ClipFloats(block.Of<float>(), std::get<float>(clip.lo),
             std::get<float>(clip.hi), block.floats());
}

void Run(const Log1p&, const Block& block) {
  block.WithFloats([&](auto values) { Log1pFloats(values, block.floats()); });
}

void Run(const Scale& scale, const Block& block) {
  block.WithFloats([&](auto values) {
    ScaleFloats(values, scale.mean, scale.std, block.floats());
  });
}

bool ReturnsFloats(const Function& function, DType type) {
  return std::holds_alternative<Log1p>(function) ||
         std::holds_alternative<Scale>(function) ||
         (std::holds_alternative<Clip>(function) && type == DType::kFloat);
}

// The largest integer up to which a float type holds all; 0 for other types.
uint64_t LargestExact(DType dtype) {
  switch (dtype) {
    case DType::kFloat64:
      return uint64_t{1} << 53;
    case DType::kFloat:
      return uint64_t{1} << 24;
    case DType::kFloat16:
      return uint64_t{1} << 11;
    case DType::kBfloat16:
      return uint64_t{1} << 8;
    default:
      return 0;
  }
}

bool IsAbove(int64_t value, uint64_t limit) {
  const auto bits = static_cast<uint64_t>(value);
  return (value < 0 ? 0 - bits : bits) > limit;
}

Status CannotCast(DType output, DType as) {
  return Status(ErrorCode::kBadSpec, "the last function of map returns " +
                                         std::string(DTypeName(output)) +
                                         ", which cannot become " +
                                         std::string(DTypeName(as)));
}

}  // namespace

Result<Chain> Chain::Compile(DType input, std::vector<Function> functions) {
  if (functions.empty()) {
    return Status(ErrorCode::kBadSpec, "map needs at least one function");
  }
  Values values = {.type = input};
  for (Function& function : functions) {
    auto compiled =
        std::visit([&](auto& kind) { return Compiled(values, kind); },
                   static_cast<Function::Base&>(function));
    if (!compiled.ok()) return compiled.status();
    values = *compiled;
  }
  return Chain(input, values.type, {values.least, values.most},
               std::move(functions));
}

Status Chain::CheckFits(DType as, bool exact) const {
  if (!CanCast(output_, as)) return CannotCast(output_, as);
  if (output_ == DType::kFloat) return Status();
  const int64_t ends[] = {range_.first, range_.second};
  const uint64_t largest = LargestExact(as);
  const bool rounds = exact && largest > 0 &&
                      (IsAbove(ends[0], largest) || IsAbove(ends[1], largest));
  if (!rounds && FindUncastable(output_, as, false, ends, 2) == 2) {
    return Status();
  }
  return Status(ErrorCode::kBadSpec,
                "map returns integers from " + IntText(ends[0]) + " to " +
                    IntText(ends[1]) + ", which " + std::string(DTypeName(as)) +
                    (rounds ? " does not hold exactly" : " cannot hold"));
}

Status Chain::CheckDefaults(const void* values, size_t count, DType as,
                            bool exact) const {
  if (!CanCast(output_, as)) return CannotCast(output_, as);
  const auto* const from = static_cast<const uint8_t*>(values);
  alignas(int64_t) uint8_t result[sizeof(int64_t)];
  for (size_t i = 0; i < count; ++i) {
    Apply(from + i * DTypeSize(input_), 1, result);
    if (FindUncastable(output_, as, exact, result, 1) == 0) {
      return Status(ErrorCode::kBadSpec,
                    "after map, default " + Grouped(uint64_t{i} + 1) +
                        " does not fit " + std::string(DTypeName(as)));
    }
  }
  return Status();
}

void Chain::Apply(const void* values, size_t count, void* out) const {
  const auto* const from = static_cast<const uint8_t*>(values);
  auto* const to = static_cast<uint8_t*>(out);
  for (size_t begin = 0; begin < count; begin += kBlockOfValues) {
    ApplyToBlock(from + begin * DTypeSize(input_),
                 std::min(kBlockOfValues, count - begin),
                 to + begin * DTypeSize(output_));
  }
}

void Chain::ApplyToBlock(const void* values, size_t count, void* out) const {
  // Functions between others work in place.
  int64_t ints[kBlockOfValues];
  float floats[kBlockOfValues];
  Block block = {.type = input_, .values = values, .size = count, .out = out};
  for (const Function& function : functions_) {
    const bool to_floats = ReturnsFloats(function, block.type);
    if (&function != &functions_.back()) {
      block.out = to_floats ? static_cast<void*>(floats) : ints;
    } else {
      block.out = out;
    }
    std::visit([&](const auto& kind) { Run(kind, block); },
               static_cast<const Function::Base&>(function));
    block.type = to_floats ? DType::kFloat : DType::kInt64;
    block.values = block.out;
  }
}

}  // namespace headrace::function
