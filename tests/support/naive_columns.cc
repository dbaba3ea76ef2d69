#include "tests/support/naive_columns.h"

#include <functional>
#include <map>

namespace headrace::testing {

namespace {

using Kinds = std::map<std::string, Kind>;

// Keys whose kind is not what `kinds` says. Where it says kNull nothing is
// known, so nothing is wrong.
std::set<std::string> WrongKinds(const NaiveMessage& message,
                                 const Kinds& kinds) {
  std::set<std::string> wrong;
  for (const auto& [key, feature] : message.features) {
    const auto known = kinds.find(key);
    if (known == kinds.end() || known->second == Kind::kNull) continue;
    if (feature.kind != Kind::kNull && feature.kind != known->second) {
      wrong.insert(key);
    }
  }
  return wrong;
}

NaiveResult ErrorOf(const std::optional<NaiveMessage>& message,
                    const Kinds& kinds, uint64_t record) {
  NaiveResult result;
  result.record = record;
  if (!message) {
    result.code = ErrorCode::kMalformed;
    return result;
  }
  result.features = WrongKinds(*message, kinds);
  if (!result.features.empty()) result.code = ErrorCode::kWrongKind;
  return result;
}

std::optional<NaiveFeature> Cell(const NaiveMessage& message,
                                 const NaiveColumn& column) {
  const auto found = message.features.find(column.name);
  if (found == message.features.end()) return std::nullopt;
  // Nothing is ever shown in a column of kind kNull.
  if (found->second.kind != column.kind) return std::nullopt;
  if (column.kind == Kind::kNull) return std::nullopt;
  return found->second;
}

// Adds the keys that are new, and kinds where only keys were known.
void Learn(const NaiveMessage& message, Kinds* kinds) {
  for (const auto& [key, feature] : message.features) {
    Kind& kind = (*kinds)[key];
    if (kind == Kind::kNull) kind = feature.kind;
  }
}

using Parse =
    std::function<std::optional<NaiveMessage>(std::string_view record)>;

// `skipped` gets the errors of the records left out.
NaiveResult Decode(std::span<const std::string_view> records,
                   std::span<const ColumnField> columns, const Parse& parse,
                   std::vector<NaiveResult>* skipped) {
  NaiveResult result;
  Kinds kinds;
  for (const ColumnField& field : columns) {
    kinds[field.name] = field.kind;
    result.columns.push_back({.name = field.name, .kind = field.kind});
  }
  for (size_t i = 0; i < records.size(); ++i) {
    const auto message = parse(records[i]);
    NaiveResult error = ErrorOf(message, kinds, i);
    if (!error.ok()) {
      skipped->push_back(error);
      continue;
    }
    ++result.num_rows;
    for (NaiveColumn& column : result.columns) {
      column.rows.push_back(Cell(*message, column));
    }
  }
  return result;
}

std::optional<NaiveMessage> ParseAll(std::string_view record) {
  return NaiveParse(record, MessageType::kExample);
}

}  // namespace

NaiveResult NaiveDecodeSkipping(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns,
                                std::vector<NaiveResult>* skipped) {
  return Decode(records, columns, &ParseAll, skipped);
}

NaiveResult NaiveDecodeSelected(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns) {
  std::set<std::string> selected;
  for (const ColumnField& column : columns) selected.insert(column.name);
  std::vector<NaiveResult> errors;
  NaiveResult result = Decode(
      records, columns,
      [&](std::string_view record) {
        return NaiveParseSelected(record, selected);
      },
      &errors);
  return errors.empty() ? result : errors.front();
}

NaiveResult NaiveDecode(std::span<const std::string_view> records,
                        std::span<const ColumnField> columns) {
  std::vector<NaiveResult> errors;
  NaiveResult result = NaiveDecodeSkipping(records, columns, &errors);
  return errors.empty() ? result : errors.front();
}

std::vector<ColumnField> NaiveFields(
    std::span<const std::string_view> records) {
  Kinds kinds;
  for (std::string_view record : records) {
    const auto message = NaiveParse(record, MessageType::kExample);
    if (message && WrongKinds(*message, kinds).empty()) {
      Learn(*message, &kinds);
    }
  }
  std::vector<ColumnField> fields;
  for (const auto& [name, kind] : kinds) fields.push_back({name, kind});
  return fields;
}

NaiveResult NaiveDecodeAny(std::span<const std::string_view> records) {
  return NaiveDecode(records, NaiveFields(records));
}

}  // namespace headrace::testing
