// Nobody writes these schemas and specs by hand. Parsing may end in an error:
// what counts is when.

#include <memory>
#include <utility>

#include "bench/attacks/attack.h"
#include "headrace/feature_spec.h"
#include "headrace/plan.h"
#include "headrace/schema.h"

namespace headrace::bench {
namespace {

Work ParsingSchema(std::string text) {
  const size_t bytes = text.size();
  auto shared = std::make_shared<const std::string>(std::move(text));
  return {bytes, [shared] {
            // It need not be a schema.
            Schema::FromText(*shared).status();
            return Status();
          }};
}

// Numbers take the place of '@' in `piece`, which repeats as often as fits.
std::string Numbered(std::string_view piece, size_t bytes) {
  const size_t at = piece.find('@');
  std::string text;
  text.reserve(bytes + piece.size());
  for (size_t i = 0; text.size() < bytes; ++i) {
    text.append(piece.substr(0, at)).append(std::to_string(i));
    text.append(piece.substr(at + 1));
  }
  return text;
}

constexpr std::string_view kFeature =
    "feature { name: \"feature@\" type: INT presence { min_count: 1 } }\n";

Work PlainSchema(size_t bytes) {
  return ParsingSchema(Numbered(kFeature, bytes));
}

Work NestedSchema(size_t bytes) {
  const std::string open = Repeated("feature { struct_domain { ", 49 * 26);
  const std::string close = Repeated("} } ", 49 * 4);
  return ParsingSchema(Repeated(open + close, bytes));
}

Work UnclosedSchema(size_t bytes) {
  return ParsingSchema(Repeated("feature { struct_domain { ", bytes));
}

Work OpaqueSchema(size_t bytes) {
  return ParsingSchema("annotation { extra_metadata { [a.com/b.C] " +
                       Repeated("{ x ", bytes));
}

Work EscapedSchema(size_t bytes) {
  return ParsingSchema("feature { name: \"" + Repeated("\\303\\251", bytes) +
                       "\" }");
}

Work PiecedSchema(size_t bytes) {
  return ParsingSchema("feature { name: " + Repeated("'x' ", bytes) + "}");
}

Work CommentedSchema(size_t bytes) {
  return ParsingSchema(Repeated("#\n", bytes));
}

Work LongWordSchema(size_t bytes) {
  return ParsingSchema(std::string(bytes, 'x'));
}

Work LongNumberSchema(size_t bytes) {
  return ParsingSchema(
      "feature { presence { min_count: " + std::string(bytes, '1') + " } }");
}

Work OpenStringSchema(size_t bytes) {
  return ParsingSchema("feature { name: \"" + std::string(bytes, 'x'));
}

Work DimensionsSchema(size_t bytes) {
  return ParsingSchema("feature { shape { " +
                       Repeated("dim { size: 1 } ", bytes) + "} }");
}

Work TensorsSchema(size_t bytes) {
  return ParsingSchema(
      "tensor_representation_group { key: \"\" value { " +
      Numbered("tensor_representation { key: \"@\" value { dense_tensor { "
               "column_name: \"c\" } } } ",
               bytes) +
      "} }");
}

Work GroupsSchema(size_t bytes) {
  return ParsingSchema(Numbered(
      "tensor_representation_group { key: \"@\" value { } }\n", bytes));
}

// The schema is parsed before the time begins.
Work CompilingSchema(const std::string& text) {
  auto schema = std::make_shared<Result<Schema>>(Schema::FromText(text));
  return {text.size(), [schema]() -> Status {
            if (!schema->ok()) return schema->status();
            return Plan::Compile(**schema).status();
          }};
}

Work PlanOfSchema(size_t bytes) {
  return CompilingSchema(Numbered(kFeature, bytes));
}

Work PlanOfTensors(size_t bytes) {
  return CompilingSchema(
      Numbered("feature { name: \"f@\" type: INT }\n", bytes / 4) +
      "tensor_representation_group { key: \"\" value { " +
      Numbered("tensor_representation { key: \"t@\" value { "
               "varlen_sparse_tensor { column_name: \"f0\" } } } ",
               bytes) +
      "} }");
}

Work ParsingSpec(std::string text) {
  const size_t bytes = text.size();
  auto shared = std::make_shared<const std::string>(std::move(text));
  return {bytes, [shared] {
            FeatureSpec::FromJson(*shared).status();
            return Status();
          }};
}

Work SpecWith(const std::string& features) {
  return ParsingSpec("{\"features\": [" + features +
                     "{\"name\": \"\", \"kind\": \"var_len\", "
                     "\"dtype\": \"int64\"}]}");
}

Work PlainSpec(size_t bytes) {
  return SpecWith(Numbered(
      "{\"name\": \"f@\", \"kind\": \"var_len\", \"dtype\": \"int64\"},\n",
      bytes));
}

// The spec has one more feature, with all that is required and these fields.
Work SpecWithField(const std::string& field, const std::string& shape = "[]") {
  return SpecWith(
      "{\"name\": \"a\", \"kind\": \"fixed_len\", \"dtype\": \"int64\", "
      "\"shape\": " +
      shape + field + "},");
}

Work NestedSpec(size_t bytes) {
  const std::string nested = std::string(60, '[') + std::string(60, ']') + ",";
  return SpecWithField(", \"default\": [" + Repeated(nested, bytes) + "1]");
}

Work UnclosedSpec(size_t bytes) { return ParsingSpec(std::string(bytes, '[')); }

Work LongNameSpec(size_t bytes) {
  return SpecWithField(", \"column\": \"" + Repeated("\\u00e9", bytes) + "\"");
}

Work LongNumberSpec(size_t bytes) {
  return SpecWithField(", \"default\": " + std::string(bytes, '9'));
}

Work LongFractionSpec(size_t bytes) {
  return SpecWithField(", \"default\": 0." + std::string(bytes, '9'));
}

Work DefaultsSpec(size_t bytes) {
  return SpecWithField(", \"default\": [" + Repeated("1, ", bytes) + "1]");
}

Work DimensionsSpec(size_t bytes) {
  return SpecWithField("", "[" + Repeated("1, ", bytes) + "1]");
}

Work KeysSpec(size_t bytes) {
  return ParsingSpec("{" + Numbered("\"@\": 0,\n", bytes) +
                     "\"features\": []}");
}

Work LinesSpec(size_t bytes) {
  return ParsingSpec(std::string(bytes, '\n') + "[");
}

constexpr Attack kAttacks[] = {
    {"schema, nested", "schema", NestedSchema, PlainSchema},
    {"schema, never closed", "schema", UnclosedSchema, PlainSchema},
    {"schema, skipped messages", "schema", OpaqueSchema, PlainSchema},
    {"schema, a name of escapes", "schema", EscapedSchema, PlainSchema},
    {"schema, a name of pieces", "schema", PiecedSchema, PlainSchema},
    {"schema, empty comments", "schema", CommentedSchema, PlainSchema},
    {"schema, one word", "schema", LongWordSchema, PlainSchema},
    {"schema, one number", "schema", LongNumberSchema, PlainSchema},
    {"schema, a string never closed", "schema", OpenStringSchema, PlainSchema},
    {"schema, dimensions", "schema", DimensionsSchema, PlainSchema},
    {"schema, tensors", "schema", TensorsSchema, PlainSchema},
    {"schema, groups of tensors", "schema", GroupsSchema, PlainSchema},
    {"plan of many tensors", "plan of a schema", PlanOfTensors, PlanOfSchema},
    {"spec, nested", "spec", NestedSpec, PlainSpec},
    {"spec, never closed", "spec", UnclosedSpec, PlainSpec},
    {"spec, a name of escapes", "spec", LongNameSpec, PlainSpec},
    {"spec, one number", "spec", LongNumberSpec, PlainSpec},
    {"spec, one fraction", "spec", LongFractionSpec, PlainSpec},
    {"spec, default values", "spec", DefaultsSpec, PlainSpec},
    {"spec, dimensions", "spec", DimensionsSpec, PlainSpec},
    {"spec, keys", "spec", KeysSpec, PlainSpec},
    {"spec, lines", "spec", LinesSpec, PlainSpec},
};

}  // namespace

std::span<const Attack> TextAttacks() { return kAttacks; }

}  // namespace headrace::bench
