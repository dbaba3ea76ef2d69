#include "src/tensor/explain.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "src/base/convert.h"
#include "src/base/near_miss.h"
#include "src/base/quote.h"
#include "src/decode/decode_block.h"
#include "src/tensor/partition.h"

namespace headrace::tensor {
namespace {

using plan::Output;

// Names suggested for a feature that is missing.
constexpr size_t kSuggestions = 3;

std::string Counted(size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

class Explainer {
 public:
  Explainer(const plan::Program& program, const Message& message)
      : program_(program), message_(message) {}

  // What is wrong with the output, of class `code`; kOk when nothing is.
  ErrorInfo Explain(const Output& output, ErrorCode code) const;

 private:
  const std::string& KeyOf(uint32_t slot) const {
    return program_.slots()[slot].key;
  }
  const Feature* FindFeature(uint32_t slot) const {
    const auto it = message_.features.find(KeyOf(slot));
    return it == message_.features.end() ? nullptr : &it->second;
  }
  const std::vector<Feature>* FindList(uint32_t slot) const {
    const auto it = message_.feature_lists.find(KeyOf(slot));
    return it == message_.feature_lists.end() ? nullptr : &it->second;
  }
  size_t SizeOf(uint32_t slot) const {
    const Feature* const feature = FindFeature(slot);
    return feature ? feature->size() : 0;
  }

  ErrorInfo Make(const Output& output, ErrorCode code, std::string expected,
                 std::string found, const std::string& where = {}) const;
  ErrorInfo Missing(const Output& output) const;
  ErrorInfo ExplainCount(const Output& output) const;
  ErrorInfo ExplainSteps(const Output& output) const;
  ErrorInfo ExplainMissing(const Output& output) const;
  ErrorInfo ExplainSparse(const Output& output) const;
  ErrorInfo ExplainPartition(const Output& output) const;
  ErrorInfo ExplainCut(const Output& output, size_t step,
                       const std::string& where) const;
  ErrorInfo ExplainRange(const Output& output) const;
  const Feature* StepOf(uint32_t slot, bool in_sequence, size_t step) const;

  const plan::Program& program_;
  const Message& message_;
};

ErrorInfo Explainer::Make(const Output& output, ErrorCode code,
                          std::string expected, std::string found,
                          const std::string& where) const {
  const std::string& name = program_.tensors()[output.field].feature.name;
  ErrorInfo info{.code = code,
                 .feature = name,
                 .expected = std::move(expected),
                 .found = std::move(found)};
  info.message =
      std::string(output.in_sequence ? "feature list " : "feature ") +
      Quote(name);
  if (KeyOf(output.slot) != name) {
    info.message += " of key " + Quote(KeyOf(output.slot));
  }
  info.message +=
      where + ": expected " + info.expected + ", found " + info.found;
  return info;
}

ErrorInfo Explainer::Missing(const Output& output) const {
  const bool is_unset = !output.in_sequence && FindFeature(output.slot);
  ErrorInfo info = Make(output, ErrorCode::kMissingFeature,
                        std::string(DTypeName(output.from)),
                        is_unset ? "one without a kind" : "no such feature");
  if (is_unset) return info;
  info.message += "; it is required but could not be found";
  std::vector<std::string_view> names;
  if (output.in_sequence) {
    for (const auto& [name, list] : message_.feature_lists) {
      names.push_back(name);
    }
  } else {
    for (const auto& [name, feature] : message_.features) names.push_back(name);
  }
  std::string text;
  for (const std::string_view name :
       NearMisses(KeyOf(output.slot), names, kSuggestions)) {
    text += (text.empty() ? " " : ", ") + Quote(std::string(name));
  }
  if (!text.empty()) info.message += "; the record has" + text;
  return info;
}

ErrorInfo Explainer::ExplainSteps(const Output& output) const {
  const std::vector<Feature>* const steps = FindList(output.slot);
  for (size_t i = 0; steps != nullptr && i < steps->size(); ++i) {
    if ((*steps)[i].size() != output.elements) {
      return Make(
          output, ErrorCode::kWrongCount, Counted(output.elements, "value"),
          std::to_string((*steps)[i].size()), ", step " + std::to_string(i));
    }
  }
  return {};
}

ErrorInfo Explainer::ExplainCount(const Output& output) const {
  if (output.in_sequence) {
    return output.layout == Layout::kFixedLenSequence ? ExplainSteps(output)
                                                      : ErrorInfo();
  }
  const Feature* const feature = FindFeature(output.slot);
  const size_t size = SizeOf(output.slot);
  const std::string found = std::to_string(size);
  switch (output.layout) {
    case Layout::kFixedLen: {
      const bool is_there =
          feature != nullptr &&
          (feature->kind != Kind::kNull || output.unset_is_empty);
      if (!is_there) return {};
      if (output.reinterpret) {
        const size_t bytes = output.elements * DTypeSize(output.to);
        if (size != 1) {
          return Make(output, ErrorCode::kWrongCount, "1 value", found);
        }
        if (feature->bytes[0].size() == bytes) return {};
        return Make(output, ErrorCode::kWrongCount, Counted(bytes, "byte"),
                    std::to_string(feature->bytes[0].size()));
      }
      if (size == output.elements) return {};
      return Make(output, ErrorCode::kWrongCount,
                  Counted(output.elements, "value"), found);
    }
    case Layout::kFixedLenSequence:
      if (size % output.elements == 0) return {};
      return Make(output, ErrorCode::kWrongCount,
                  "a multiple of " + Counted(output.elements, "value"), found);
    case Layout::kVarLen:
      if (output.pad_to == 0 || output.truncate || size <= output.pad_to) {
        return {};
      }
      return Make(output, ErrorCode::kWrongCount,
                  "at most " + Counted(output.pad_to, "value"), found);
    case Layout::kSparse:
    case Layout::kRagged:
      break;
  }
  return {};
}

ErrorInfo Explainer::ExplainMissing(const Output& output) const {
  if (output.in_sequence) {
    const bool is_missing = output.layout == Layout::kFixedLenSequence &&
                            !output.allow_missing && !FindList(output.slot);
    return is_missing ? Missing(output) : ErrorInfo();
  }
  if (output.layout != Layout::kFixedLen || output.default_values != nullptr) {
    return {};
  }
  const Feature* const feature = FindFeature(output.slot);
  const bool is_missing = feature == nullptr || (feature->kind == Kind::kNull &&
                                                 !output.unset_is_empty);
  return is_missing ? Missing(output) : ErrorInfo();
}

ErrorInfo Explainer::ExplainSparse(const Output& output) const {
  if (output.layout != Layout::kSparse) return {};
  const size_t size = SizeOf(output.slot);
  for (size_t i = 0; i < output.index_slots.size(); ++i) {
    const std::string where = ", index " + Quote(KeyOf(output.index_slots[i]));
    const size_t indices = SizeOf(output.index_slots[i]);
    if (indices != size) {
      return Make(output, ErrorCode::kBadSparseIndex,
                  "as many indices as values, " + std::to_string(size),
                  std::to_string(indices), where);
    }
    if (!output.check_indices || indices == 0) continue;
    const int64_t bound = output.shape[i];
    for (const int64_t index : FindFeature(output.index_slots[i])->int64s) {
      if (index >= 0 && (bound < 0 || index < bound)) continue;
      return Make(output, ErrorCode::kBadSparseIndex,
                  "an index in [0, " + std::to_string(bound) + ")",
                  std::to_string(index), where);
    }
  }
  return {};
}

const Feature* Explainer::StepOf(uint32_t slot, bool in_sequence,
                                 size_t step) const {
  if (!in_sequence) return FindFeature(slot);
  return &(*FindList(slot))[step];
}

ErrorInfo Explainer::ExplainCut(const Output& output, size_t step,
                                const std::string& where) const {
  const Feature* const values = StepOf(output.slot, output.in_sequence, step);
  size_t inner = values ? values->size() : 0;
  for (size_t k = output.uniform.size(); k-- > 0;) {
    const auto length = static_cast<uint64_t>(output.uniform[k]);
    if (inner % length != 0) {
      return Make(
          output, ErrorCode::kBadPartition,
          "a multiple of the uniform row length " + std::to_string(length),
          std::to_string(inner), where);
    }
    inner = static_cast<size_t>(inner / length);
  }
  for (size_t k = output.cuts.size(); k-- > 0;) {
    const plan::Cut& cut = output.cuts[k];
    std::vector<int64_t> partition;
    std::string key = " " + std::to_string(cut.uniform_length);
    if (cut.slot != plan::kNoSlot) {
      const Feature* const feature = StepOf(cut.slot, output.in_sequence, step);
      if (feature) partition = feature->int64s;
      key = " " + Quote(KeyOf(cut.slot));
    }
    const size_t values_inside = inner;
    if (!CountRows(cut, partition, inner, &inner)) {
      return Make(
          output, ErrorCode::kBadPartition,
          std::string(PartitionTypeName(cut.type)) + key + " to fit " +
              std::to_string(values_inside) + " values exactly",
          "entries that do not (" + std::to_string(partition.size()) + ")",
          where);
    }
  }
  return {};
}

ErrorInfo Explainer::ExplainPartition(const Output& output) const {
  if (output.layout != Layout::kRagged) return {};
  if (!output.in_sequence) return ExplainCut(output, 0, "");
  const std::vector<Feature>* const values = FindList(output.slot);
  const size_t steps = values ? values->size() : 0;
  for (const plan::Cut& cut : output.cuts) {
    if (cut.slot == plan::kNoSlot) continue;
    const std::vector<Feature>* const list = FindList(cut.slot);
    const size_t found = list ? list->size() : 0;
    if (found == steps) continue;
    return Make(output, ErrorCode::kBadPartition,
                "as many steps as of values, " + std::to_string(steps),
                std::to_string(found), ", partition " + Quote(KeyOf(cut.slot)));
  }
  for (size_t step = 0; step < steps; ++step) {
    ErrorInfo info = ExplainCut(output, step, ", step " + std::to_string(step));
    if (info.code != ErrorCode::kOk) return info;
  }
  return {};
}

// A value that the type of the tensor cannot hold.
ErrorInfo Explainer::ExplainRange(const Output& output) const {
  if (output.from == output.to || output.from == DType::kBytes) return {};
  const auto examine = [&](const Feature& feature, const std::string& where) {
    const bool ints = output.from == DType::kInt64;
    const size_t count = feature.size();
    const size_t unfit =
        ints ? FindUnfit(output.from, output.to, feature.int64s.data(), count)
             : FindUnfit(output.from, output.to, feature.floats.data(), count);
    if (unfit == count) return ErrorInfo();
    return Make(output, ErrorCode::kWrongKind,
                "values of " + std::string(DTypeName(output.to)),
                ints ? std::to_string(feature.int64s[unfit])
                     : std::to_string(feature.floats[unfit]),
                where);
  };
  if (!output.in_sequence) {
    const Feature* const feature = FindFeature(output.slot);
    return feature ? examine(*feature, "") : ErrorInfo();
  }
  const std::vector<Feature>* const steps = FindList(output.slot);
  for (size_t i = 0; steps != nullptr && i < steps->size(); ++i) {
    ErrorInfo info = examine((*steps)[i], ", step " + std::to_string(i));
    if (info.code != ErrorCode::kOk) return info;
  }
  return {};
}

ErrorInfo Explainer::Explain(const Output& output, ErrorCode code) const {
  switch (code) {
    case ErrorCode::kWrongKind:
      return ExplainRange(output);
    case ErrorCode::kWrongCount:
      return ExplainCount(output);
    case ErrorCode::kMissingFeature:
      return ExplainMissing(output);
    case ErrorCode::kBadSparseIndex:
      return ExplainSparse(output);
    case ErrorCode::kBadPartition:
      return ExplainPartition(output);
    default:
      return {};  // of the record as a whole, which has changed
  }
}

}  // namespace

ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code) {
  if (!IsRowError(code)) return decode::ExplainNoRoom(code);
  // One copy of what the record says now, for all that follows.
  const Result<Message> message =
      ParseMessage(payload, program.walked_message());
  if (!message.ok()) {
    // Of values outside the plan, which decoding may not have looked at,
    // nothing is said where it found something else.
    const bool is_said = code == ErrorCode::kMalformed ||
                         code == ErrorCode::kWrongKind ||
                         message.status().code() == ErrorCode::kOutOfMemory;
    if (!is_said) return {.code = code};
    ErrorInfo info = *message.status().info();
    info.offset = kUnknown;  // was within the message, and is in the text
    return info;
  }
  // A kind that the wire has goes before a value that does not fit.
  ErrorInfo info = decode::ExplainKinds(program, *message);
  if (info.code != ErrorCode::kOk) return info;
  if (code == ErrorCode::kWrongKind)
    info = decode::ExplainLate(program, *message);
  if (info.code != ErrorCode::kOk) return info;
  const Explainer explainer(program, *message);
  for (const Output& output : program.outputs()) {
    info = explainer.Explain(output, code);
    if (info.code != ErrorCode::kOk) return info;
  }
  return {.code = code,
          .message = "the bytes of the record changed while they were read"};
}

}  // namespace headrace::tensor
