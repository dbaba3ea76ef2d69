#include "src/plan/program.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "src/base/quote.h"
#include "wire/utf8.h"

namespace headrace::plan {
namespace {

// The table is this many times larger than the plan, so most lookups end at
// the first entry.
constexpr size_t kTableFactor = 4;
// Seeds tried for a table in which no lookup is longer than kGoodProbe.
constexpr uint64_t kSeeds = 16;
constexpr size_t kGoodProbe = 4;

Status BadSpec(const std::string& name, const std::string& what) {
  return Status(ErrorInfo{.code = ErrorCode::kBadSpec,
                          .message = "column " + Quote(name) + " " + what,
                          .feature = name});
}

}  // namespace

uint64_t HashKey(const uint8_t* key, size_t size, uint64_t seed) {
  return XXH3_64bits_withSeed(key, size, seed);
}

Status Program::Check() const {
  absl::flat_hash_map<std::string_view, size_t> seen;
  seen.reserve(columns_.size());
  for (size_t i = 0; i < columns_.size(); ++i) {
    const std::string& name = columns_[i].name;
    const auto [first, is_new] = seen.emplace(name, i);
    if (!is_new) {
      return BadSpec(name, "is listed twice, as number " +
                               std::to_string(first->second) + " and " +
                               std::to_string(i));
    }
    if (!wire::IsUtf8(
            {reinterpret_cast<const uint8_t*>(name.data()), name.size()})) {
      return BadSpec(name, "is not UTF-8, so no record can have it");
    }
  }
  return Status();
}

size_t Program::FillTable(uint64_t seed) {
  std::fill(table_.begin(), table_.end(), Entry());
  seed_ = seed;
  size_t longest = 0, name = 0;
  for (size_t slot = 0; slot < columns_.size(); ++slot) {
    const std::string& key = columns_[slot].name;
    const uint64_t hash =
        HashKey(reinterpret_cast<const uint8_t*>(key.data()), key.size(), seed);
    size_t i = hash & mask_, probe = 1;
    for (; table_[i].slot != kNoSlot; i = (i + 1) & mask_) ++probe;
    table_[i] = {static_cast<uint32_t>(slot), static_cast<uint32_t>(hash >> 32),
                 name, key.size()};
    longest = std::max(longest, probe);
    name += key.size();
  }
  return longest;
}

Result<std::shared_ptr<const Program>> Program::Compile(
    std::vector<ColumnField> columns, bool collect_late) {
  if (columns.size() >= kNoSlot / (2 * kTableFactor)) {
    return Status(ErrorCode::kBadSpec, "too many columns");
  }
  auto program = std::make_shared<Program>();
  program->columns_ = std::move(columns);
  program->collect_late_ = collect_late;
  if (Status status = program->Check(); !status.ok()) return status;
  if (program->columns_.empty()) return {std::move(program)};

  for (const ColumnField& column : program->columns_) {
    program->names_ += column.name;
  }
  const size_t size = std::bit_ceil(kTableFactor * program->columns_.size());
  program->table_.resize(size);
  program->mask_ = size - 1;
  // Always the same seeds: the same plan must behave the same everywhere.
  uint64_t best = 0;
  size_t best_probe = ~size_t{0};
  for (uint64_t seed = 0; seed < kSeeds && best_probe > kGoodProbe; ++seed) {
    const size_t probe = program->FillTable(seed);
    if (probe < best_probe) {
      best = seed;
      best_probe = probe;
    }
  }
  program->FillTable(best);
  return {std::move(program)};
}

std::string Program::ToString() const {
  std::string text =
      "columns of tf.train.Example: " + std::to_string(columns_.size()) + "\n";
  for (const ColumnField& column : columns_) {
    text += "  " + Quote(column.name) + ": ";
    text += column.kind == Kind::kNull
                ? "null"
                : "list<" + std::string(KindName(column.kind)) + ">";
    text += "\n";
  }
  return text;
}

}  // namespace headrace::plan

namespace headrace {

Result<Plan> Plan::ForColumns(std::vector<ColumnField> columns) {
  auto program =
      plan::Program::Compile(std::move(columns), /*collect_late=*/false);
  if (!program.ok()) return program.status();
  return Plan(*std::move(program));
}

const std::vector<ColumnField>& Plan::columns() const {
  return program_->columns();
}

MessageType Plan::message() const { return MessageType::kExample; }

std::string Plan::ToString() const { return program_->ToString(); }

}  // namespace headrace
