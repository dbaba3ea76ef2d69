#include "tests/random/random_lists.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "tests/support/example_builder.h"
#include "tests/support/wire_writer.h"

namespace headrace::testing {

namespace {

FeatureSpec Alone(const std::vector<NamedFeature>& features) {
  FeatureSpec spec;
  for (const auto& [name, config] : features) spec.Add(name, config);
  return spec;
}

}  // namespace

FeatureSpec RandomLists::NextSpec(MessageType message) {
  FeatureSpec spec(message);
  const FeatureSpec context = tensors_.NextSpec(MessageType::kExample);
  const FeatureSpec examples = tensors_.NextSpec(MessageType::kExample);
  if (!random_.OneIn(6)) {
    for (const auto& [name, config] : context.features()) {
      spec.Add(name, config);
    }
  }
  for (const auto& [name, config] : examples.features()) {
    FeatureConfig filled = config;
    // Short lists mostly find a default.
    if (filled.layout == Layout::kFixedLen && !filled.default_values &&
        random_.OneIn(2)) {
      filled = VarLen(filled.dtype);
      filled.column = config.column;
    }
    spec.AddToExamples(name, std::move(filled));
  }
  ListOptions lists;
  lists.list_size =
      random_.OneIn(2) ? 0 : 1 + static_cast<int64_t>(random_.Below(5));
  if (random_.OneIn(2)) lists.size_feature_name = "the size";
  if (random_.OneIn(2)) lists.mask_feature_name = "the mask";
  return std::move(spec).SetLists(std::move(lists));
}

std::string RandomLists::ListOf(const std::string& context,
                                const std::vector<std::string>& examples,
                                MessageType message) {
  std::string fields;
  if (message == MessageType::kElwc) {
    for (const std::string& example : examples) fields += LenField(1, example);
    return fields + LenField(2, context);
  }
  return ExampleOf(EntryField("serialized_context", BytesFeature({context})) +
                   EntryField("serialized_examples", BytesFeature(examples)));
}

// Fields come in any order, the context at times more than once, and unknown
// fields between them.
std::string RandomLists::InPieces(const std::string& context,
                                  const std::vector<std::string>& examples) {
  std::vector<std::string> fields;
  for (const std::string& example : examples) {
    fields.push_back(LenField(1, example));
  }
  const auto insert = [&](std::string field) {
    const auto at =
        static_cast<std::ptrdiff_t>(random_.Below(fields.size() + 1));
    fields.insert(fields.begin() + at, std::move(field));
  };
  if (random_.OneIn(8)) insert(LenField(2, tensors_.NextRecord(FeatureSpec())));
  if (!random_.OneIn(8)) insert(LenField(2, context));
  if (random_.OneIn(6)) insert(VarintField(7, random_.Bits()));
  if (random_.OneIn(12)) insert(Fixed32Field(1, 5));
  if (random_.OneIn(12)) insert(NestedGroups(3, 1 + random_.Below(4)));
  std::string record;
  for (const std::string& field : fields) record += field;
  return record;
}

std::string RandomLists::NextRecord(const FeatureSpec& spec) {
  const FeatureSpec examples = Alone(spec.example_features());
  std::vector<std::string> list;
  for (size_t i = random_.Below(random_.OneIn(4) ? 12 : 5); i > 0; --i) {
    list.push_back(random_.OneIn(12) ? "" : tensors_.NextRecord(examples));
  }
  const std::string context = tensors_.NextRecord(Alone(spec.features()));
  return spec.message() == MessageType::kElwc
             ? InPieces(context, list)
             : ListOf(context, list, spec.message());
}

}  // namespace headrace::testing
