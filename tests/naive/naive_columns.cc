#include "tests/naive/naive_columns.h"

#include <functional>
#include <map>

namespace headrace::testing {

namespace {

// Features and feature lists have their kinds by key.
struct Kinds {
  std::map<std::string, Kind> features;
  std::map<std::string, Kind> feature_lists;

  Kind& Of(const ColumnField& field) {
    return (field.in_sequence ? feature_lists : features)[field.name];
  }
};

// Where nothing is known of a key's kind, nothing is wrong.
bool IsWrong(const std::map<std::string, Kind>& kinds, const std::string& key,
             const NaiveFeature& feature) {
  const auto known = kinds.find(key);
  return known != kinds.end() && known->second != Kind::kNull &&
         feature.kind != Kind::kNull && feature.kind != known->second;
}

// These keys have another kind than `kinds` says.
std::set<std::string> WrongKinds(const NaiveMessage& message,
                                 const Kinds& kinds) {
  std::set<std::string> wrong;
  for (const auto& [key, feature] : message.features) {
    if (IsWrong(kinds.features, key, feature)) wrong.insert(key);
  }
  for (const auto& [key, steps] : message.feature_lists) {
    for (const NaiveFeature& step : steps) {
      if (IsWrong(kinds.feature_lists, key, step)) wrong.insert(key);
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

// A column of another kind, or of kind kNull, never shows anything.
std::optional<NaiveFeature> Shown(const NaiveFeature& feature, Kind kind) {
  if (kind == Kind::kNull || feature.kind != kind) return std::nullopt;
  return feature;
}

void AddRow(const NaiveMessage& message, NaiveColumn* column) {
  if (!column->in_sequence) {
    const auto found = message.features.find(column->name);
    column->rows.push_back(found == message.features.end()
                               ? std::nullopt
                               : Shown(found->second, column->kind));
    return;
  }
  const auto found = message.feature_lists.find(column->name);
  column->lists.emplace_back();
  if (found == message.feature_lists.end()) return;
  NaiveSteps& steps = column->lists.back().emplace();
  for (const NaiveFeature& step : found->second) {
    steps.push_back(Shown(step, column->kind));
  }
}

// Adds the keys that are new, and kinds where only keys were known.
void Learn(const NaiveMessage& message, std::map<std::string, Kind>* kinds) {
  for (const auto& [key, feature] : message.features) {
    Kind& kind = (*kinds)[key];
    if (kind == Kind::kNull) kind = feature.kind;
  }
}

using ParseRecord =
    std::function<std::optional<NaiveMessage>(std::string_view record)>;

// `skipped` gets the errors of skipped records.
NaiveResult Decode(std::span<const std::string_view> records,
                   std::span<const ColumnField> columns,
                   const ParseRecord& parse,
                   std::vector<NaiveResult>* skipped) {
  NaiveResult result;
  Kinds kinds;
  for (const ColumnField& field : columns) {
    kinds.Of(field) = field.kind;
    result.columns.push_back({field.name, field.kind, field.in_sequence});
  }
  for (size_t i = 0; i < records.size(); ++i) {
    const auto message = parse(records[i]);
    NaiveResult error = ErrorOf(message, kinds, i);
    if (!error.ok()) {
      skipped->push_back(error);
      continue;
    }
    ++result.num_rows;
    for (NaiveColumn& column : result.columns) AddRow(*message, &column);
  }
  return result;
}

// A plan of these columns is for this message.
MessageType MessageOf(std::span<const ColumnField> columns) {
  for (const ColumnField& column : columns) {
    if (column.in_sequence) return MessageType::kSequence;
  }
  return MessageType::kExample;
}

}  // namespace

NaiveResult NaiveDecodeSkipping(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns,
                                std::vector<NaiveResult>* skipped) {
  const MessageType type = MessageOf(columns);
  return Decode(
      records, columns,
      [type](std::string_view record) { return NaiveParse(record, type); },
      skipped);
}

NaiveResult NaiveDecodeSelected(std::span<const std::string_view> records,
                                std::span<const ColumnField> columns) {
  const MessageType type = MessageOf(columns);
  NaiveSelection selected;
  for (const ColumnField& column : columns) {
    (column.in_sequence ? selected.feature_lists : selected.features)
        .insert(column.name);
  }
  std::vector<NaiveResult> errors;
  NaiveResult result = Decode(
      records, columns,
      [&](std::string_view record) {
        return NaiveParseSelected(record, type, selected);
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
      Learn(*message, &kinds.features);
    }
  }
  std::vector<ColumnField> fields;
  for (const auto& [name, kind] : kinds.features)
    fields.push_back({name, kind});
  return fields;
}

NaiveResult NaiveDecodeAny(std::span<const std::string_view> records) {
  return NaiveDecode(records, NaiveFields(records));
}

}  // namespace headrace::testing
