#include "src/plan/compile/list_parts.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "src/plan/spec/bad_spec.h"
#include "wire/utf8.h"

namespace headrace::plan {
namespace {

using Programs = Result<std::shared_ptr<const Program>>;

Programs CompileUnread() {
  return Program::ForColumns({}, MessageType::kExample,
                             /*sequence_struct=*/false, LateKeys::kIgnored);
}

// Compiles the program of the Example that wraps a list. The order of the
// features is that of the slots of ListParts::wrapper.
Programs CompileWrapper() {
  return Program::ForSpec(FeatureSpec()
                              .Add(kContextKey, FixedLen(DType::kBytes))
                              .Add(kExamplesKey, VarLen(DType::kBytes)));
}

// Appends the tensor of sizes or of the mask, if it has a name. No other tensor
// may have that name, or one of the two would be lost.
Status AddTensor(const std::optional<std::string>& name, const char* what,
                 FeatureConfig config, std::vector<TensorField>* tensors) {
  if (!name) return Status();
  const auto has_name = [&name](const TensorField& field) {
    return field.feature.name == *name;
  };
  if (std::ranges::any_of(*tensors, has_name)) {
    return BadSpec(what, *name, "has the name of another tensor", "Q3");
  }
  if (!wire::IsUtf8(*name)) return BadSpec(what, *name, "is not UTF-8", "Q3");
  tensors->push_back({.feature = {*name, std::move(config)}});
  return Status();
}

}  // namespace

Status MakeListParts(const FeatureSpec& spec, bool has_functions,
                     ListParts* parts, std::vector<TensorField>* tensors) {
  FeatureSpec examples;
  for (const NamedFeature& feature : spec.example_features()) {
    if (IsGroup(feature.config.layout)) {
      return BadSpec("feature", feature.name,
                     "is a group, which only features of the context can make",
                     "S15");
    }
    examples.Add(feature.name, feature.config);
    tensors->push_back(
        {.feature = feature, .in_sequence = true, .in_examples = true});
  }
  Programs program = Program::ForSpec(examples, has_functions);
  if (!program.ok()) return program.status();
  parts->examples = *std::move(program);
  program = CompileUnread();
  if (!program.ok()) return program.status();
  parts->unread = *std::move(program);
  if (spec.message() == MessageType::kExampleInExample) {
    program = CompileWrapper();
    if (!program.ok()) return program.status();
    parts->wrapper = *std::move(program);
  }
  const ListOptions& lists = spec.lists();
  // The tensors' coordinates have 32 bits.
  if (lists.list_size >= int64_t{1} << 31) {
    return Status(ErrorCode::kBadSpec, "list_size is " +
                                           std::to_string(lists.list_size) +
                                           "; it must be less than 2^31 (Q2)");
  }
  parts->list_size =
      static_cast<uint64_t>(std::max<int64_t>(lists.list_size, 0));
  parts->has_sizes = lists.size_feature_name.has_value();
  parts->has_mask = lists.mask_feature_name.has_value();
  FeatureConfig size = FixedLen(DType::kInt64);
  size.as = DType::kInt32;
  Status status = AddTensor(lists.size_feature_name, "size feature",
                            std::move(size), tensors);
  if (!status.ok()) return status;
  FeatureConfig mask = FixedLenSequence(DType::kInt64, {}, true);
  mask.as = DType::kBool;
  return AddTensor(lists.mask_feature_name, "mask feature", std::move(mask),
                   tensors);
}

Status MakeListParts(const std::vector<ColumnField>& columns,
                     LateKeys late_keys, ListParts* parts) {
  std::vector<ColumnField> of_examples;
  for (const ColumnField& column : columns) {
    if (!column.in_sequence) continue;
    of_examples.push_back({.name = column.name, .kind = column.kind});
  }
  Programs program =
      Program::ForColumns(std::move(of_examples), MessageType::kExample,
                          /*sequence_struct=*/false, late_keys);
  if (!program.ok()) return program.status();
  parts->examples = *std::move(program);
  program = CompileUnread();
  if (!program.ok()) return program.status();
  parts->unread = *std::move(program);
  return Status();
}

}  // namespace headrace::plan
