#include "src/plan/compile/feature_chain.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "src/base/text/numbers.h"
#include "src/plan/compile/feature_check.h"

namespace headrace::plan {
namespace {

using Keys = Result<std::shared_ptr<const function::Vocabulary>>;

Status Bad(std::string what) {
  return Status(ErrorCode::kBadSpec, std::move(what));
}

Keys KeysOf(const DefaultValues& keys) {
  if (const auto* ints = std::get_if<std::vector<int64_t>>(&keys)) {
    return function::Vocabulary::FromKeys(std::span<const int64_t>(*ints));
  }
  if (const auto* strings = std::get_if<std::vector<std::string>>(&keys)) {
    const std::vector<std::string_view> views(strings->begin(), strings->end());
    return function::Vocabulary::FromKeys(
        std::span<const std::string_view>(views));
  }
  return Bad("vocabulary has keys that are neither bytes nor int64");
}

Keys Open(const Vocabulary& vocabulary, DType dtype) {
  if (vocabulary.keys.has_value() == !vocabulary.file.empty()) {
    return Bad("vocabulary needs either a file or keys");
  }
  if (vocabulary.size && (vocabulary.keys || *vocabulary.size < 0)) {
    return Bad("vocabulary has a size of " + IntText(*vocabulary.size) +
               ", but only a file can be cut, to at least one line");
  }
  if (vocabulary.keys) return KeysOf(*vocabulary.keys);
  if (dtype == DType::kFloat) {
    return Bad("vocabulary takes bytes or int64, not float");
  }
  std::optional<uint64_t> size;
  if (vocabulary.size) size = static_cast<uint64_t>(*vocabulary.size);
  return function::Vocabulary::FromFile(vocabulary.file, dtype, size);
}

// Each returns the form that a Chain takes.
Result<function::Function> Compiled(const HashBucket& hash, DType) {
  if (hash.buckets < 1) {
    return Bad("hash_bucket needs 1 to 2^63 - 1 buckets, not " +
               IntText(hash.buckets));
  }
  return function::Function(
      function::Hash{static_cast<uint64_t>(hash.buckets)});
}
Result<function::Function> Compiled(const Vocabulary& vocabulary, DType dtype) {
  if (vocabulary.oov_buckets < 0) {
    return Bad("vocabulary has " + IntText(vocabulary.oov_buckets) +
               " oov_buckets");
  }
  Keys keys = Open(vocabulary, dtype);
  if (!keys.ok()) return keys.status();
  return function::Function(function::LookUp{
      .vocabulary = *std::move(keys),
      .oov_buckets = static_cast<uint64_t>(vocabulary.oov_buckets),
      .oov_first = vocabulary.oov_first,
      .default_id = vocabulary.default_id});
}
Result<function::Function> Compiled(const Bucketize& bucketize, DType) {
  return function::Function(function::Bucketize{bucketize.boundaries});
}
Result<function::Function> Compiled(const Clip& clip, DType) {
  return function::Function(function::Clip{clip.lo, clip.hi});
}
Result<function::Function> Compiled(const Log1p&, DType) {
  return function::Function(function::Log1p{});
}
Result<function::Function> Compiled(const Scale& scale, DType) {
  return function::Function(function::Scale{scale.mean, scale.std});
}

Status CheckDefaults(const function::Chain& chain, const DefaultValues& values,
                     DType as, bool exact) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&values)) {
    const std::vector<std::string_view> views(strings->begin(), strings->end());
    return chain.CheckDefaults(views.data(), views.size(), as, exact);
  }
  return std::visit(
      [&](const auto& list) {
        return chain.CheckDefaults(list.data(), list.size(), as, exact);
      },
      values);
}

Result<std::shared_ptr<const function::Chain>> Compile(
    const FeatureConfig& config, DType as, bool exact) {
  std::vector<function::Function> functions;
  for (const ValueFunction& each : config.map) {
    Result<function::Function> compiled = std::visit(
        [&](const auto& f) { return Compiled(f, config.dtype); }, each);
    if (!compiled.ok()) return compiled.status();
    functions.push_back(*std::move(compiled));
  }
  auto chain = function::Chain::Compile(config.dtype, std::move(functions));
  if (!chain.ok()) return chain.status();
  Status status = chain->CheckFits(as, exact);
  if (status.ok() && config.default_values) {
    status = CheckDefaults(*chain, *config.default_values, as, exact);
  }
  if (!status.ok()) return status;
  return {std::make_shared<const function::Chain>(*std::move(chain))};
}

}  // namespace

Result<std::shared_ptr<const function::Chain>> CompileChain(
    const NamedFeature& feature, DType as, bool exact) {
  if (feature.config.map.empty()) {
    return {std::shared_ptr<const function::Chain>()};
  }
  auto chain = Compile(feature.config, as, exact);
  if (chain.ok() || chain.status().code() != ErrorCode::kBadSpec) return chain;
  ErrorInfo info = *chain.status().info();
  Status named =
      BadFeature(feature, "cannot be mapped: " + info.message, "B10");
  ErrorInfo told = *named.info();
  told.file = info.file;
  return Status(std::move(told));
}

}  // namespace headrace::plan
