// Checks the parsed message again by the rules that decoding checked the
// columns by (row_rules.h), and puts the first broken rule into words.

#include "src/decode/explain/explain.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "headrace/message.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/decode/example/decode_block.h"
#include "src/decode/tensor/inflated_row.h"
#include "src/decode/tensor/row_rules.h"
#include "src/decode/tensor/tensor_proto.h"
#include "src/input/deflate/zlib_value.h"
#include "src/plan/compile/group_check.h"

namespace headrace::tensor {
namespace {

using column::CellState;
using plan::Output;

// Maximum number of names that an error suggests in place of a missing feature.
constexpr size_t kSuggestions = 3;

// The View (row_rules.h) of the parsed message of a record.
class MessageRow {
 public:
  MessageRow(const plan::Program& program, const Message& message)
      : program_(program), message_(message) {}

  CellState Find(uint32_t slot) const {
    const plan::Slot& wanted = program_.slots()[slot];
    if (wanted.in_sequence) {
      return ListOf(slot) ? CellState::kTyped : CellState::kAbsent;
    }
    const Feature* const feature = FeatureOf(slot, 0);
    if (feature == nullptr) return CellState::kAbsent;
    return feature->kind == Kind::kNull ? CellState::kUnset : CellState::kTyped;
  }
  size_t Steps(uint32_t slot) const {
    const std::vector<Feature>* const list = ListOf(slot);
    return list ? list->size() : 0;
  }
  Values ValuesOf(uint32_t slot, size_t step) const {
    const Feature* const feature = FeatureOf(slot, step);
    if (feature == nullptr) return {};
    const void* data = nullptr;
    if (feature->kind == Kind::kInt64) data = feature->int64s.data();
    if (feature->kind == Kind::kFloat) data = feature->floats.data();
    return {data, feature->size()};
  }
  size_t FindOtherStep(uint32_t slot, size_t size) const {
    size_t step = 0;
    while (step < Steps(slot) && ValuesOf(slot, step).size == size) ++step;
    return step;
  }
  // Only counts the bytes of a zlib stream, so they take no memory.
  Unpacked Unpack(const Output& output, size_t i, size_t wanted) const {
    const std::string_view value = ValueOf(output, i);
    if (output.encoding == Encoding::kRaw) return {.size = value.size()};
    if (output.encoding == Encoding::kTensorProto) {
      return UnpackTensor(output, value, &proto_);
    }
    Unpacked unpacked;
    compression::ZlibValue zlib;
    unpacked.end = EndOf(zlib.Count(value, wanted, &unpacked.size));
    return unpacked;
  }
  std::string_view ValueOf(const Output& output, size_t i) const {
    return FeatureOf(output.slot, 0)->bytes[i];
  }

 private:
  const std::vector<Feature>* ListOf(uint32_t slot) const {
    const auto it = message_.feature_lists.find(program_.slots()[slot].key);
    return it == message_.feature_lists.end() ? nullptr : &it->second;
  }
  const Feature* FeatureOf(uint32_t slot, size_t step) const {
    const plan::Slot& wanted = program_.slots()[slot];
    if (wanted.in_sequence) return &(*ListOf(slot))[step];
    const auto it = message_.features.find(wanted.key);
    return it == message_.features.end() ? nullptr : &it->second;
  }

  const plan::Program& program_;
  const Message& message_;
  mutable TensorProto proto_;
};

class Explainer {
 public:
  Explainer(const plan::Program& program, const Message& message)
      : program_(program), message_(message), row_(program, message) {}

  // Describes the fault of the output that has the code `code`; returns kOk if
  // there is none.
  ErrorInfo Explain(const Output& output, ErrorCode code) const {
    Fault fault = CheckLayout(row_, output, [](size_t, size_t) {});
    const auto is_said = [&] {
      return fault.code() == code || fault.rule == Rule::kNoMemory;
    };
    if (output.is_member()) {
      fault = CheckMember(row_, output, fault);
    } else if (!is_said()) {
      fault = CheckRange(row_, output);
    }
    if (!is_said()) fault = CheckGroupOf(output);
    if (fault.rule == Rule::kNoMemory) {
      return decode::ExplainNoRoom(ErrorCode::kOutOfMemory);
    }
    return fault.code() == code ? Describe(output, fault) : ErrorInfo();
  }

 private:
  const std::string& KeyOf(uint32_t slot) const {
    return program_.slots()[slot].key;
  }
  // Sets *length to the row's length in its outermost dimension, or returns the
  // rule that the row breaks.
  Fault Measure(const Output& output, size_t* length) const {
    const Fault fault =
        CheckLayout(row_, output, [length](size_t level, size_t rows) {
          if (level == 0) *length = rows;
        });
    return fault.rule == Rule::kNone ? CheckRange(row_, output) : fault;
  }
  // Compares lengths in the group. A row that breaks another rule has no
  // length.
  Fault CheckGroupOf(const Output& output) const {
    if (output.group == plan::kNoGroup) return {};
    size_t first = 0, length = 0;
    Fault fault = Measure(program_.outputs()[output.group], &first);
    if (fault.rule == Rule::kNone) fault = Measure(output, &length);
    if (fault.rule == Rule::kNone) return CheckGroup(first, length);
    return fault.rule == Rule::kNoMemory ? fault : Fault();
  }
  const std::string& NameOf(const Output& output) const {
    return program_.FeatureOf(output).name;
  }
  std::string WhereOf(const Output& output, const Fault& fault) const;
  void DescribeArray(const Output& output, const Fault& fault,
                     ErrorInfo* info) const;
  std::string DescribeTensor(const Output& output, const Fault& fault,
                             ErrorInfo* info) const;
  void DescribePartition(const Fault& fault, ErrorInfo* info) const;
  void DescribeRange(const Output& output, const Fault& fault,
                     ErrorInfo* info) const;
  // Fills in what was expected and found, and returns a sentence with both.
  std::string DescribeRule(const Output& output, const Fault& fault,
                           ErrorInfo* out) const;
  ErrorInfo Describe(const Output& output, const Fault& fault) const;
  std::string NearNames(const Output& output) const;
  std::string MissingText(const Output& output) const;

  const plan::Program& program_;
  const Message& message_;
  const MessageRow row_;
};

// Lists names in the record that are similar to the missing one.
std::string Explainer::NearNames(const Output& output) const {
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
  return text.empty() ? "" : "; the record has" + text;
}

// Describes a required feature or feature list that is missing.
std::string Explainer::MissingText(const Output& output) const {
  std::string hint = "set a default or ";
  if (output.in_sequence) hint = "allow it to be missing or ";
  if (output.reinterpret) hint = "";  // raw bytes have no default
  return "required " + std::string(DTypeName(output.from)) + " feature" +
         (output.in_sequence ? " list" : "") + " is missing" +
         NearNames(output) + "; " + hint + "skip bad rows";
}

// Names the part of the feature that is at fault, if it is not its values.
std::string Explainer::WhereOf(const Output& output, const Fault& fault) const {
  switch (fault.rule) {
    case Rule::kBytes:
    case Rule::kBytesMultiple:
    case Rule::kMoreBytes:
    case Rule::kZlib:
    case Rule::kTensor:
    case Rule::kTensorType:
      if (output.layout == Layout::kFixedLen) return {};
      return ", value " + std::to_string(fault.value);
    case Rule::kItemShapes:
    case Rule::kItemDimension:
      return ", item shapes " + Quote(KeyOf(fault.slot));
    case Rule::kIndexCount:
    case Rule::kIndexRange:
      return ", index " + Quote(KeyOf(fault.slot));
    case Rule::kSteps:
      return ", partition " + Quote(KeyOf(fault.slot));
    case Rule::kWeights:
      return ", weights " + Quote(KeyOf(fault.slot));
    case Rule::kPartition:
    case Rule::kRowLength:
    case Rule::kRowCount: {
      const std::string where =
          ", " + std::string(PartitionTypeName(fault.cut->type));
      return fault.slot == plan::kNoSlot
                 ? where
                 : where + " " + Quote(KeyOf(fault.slot));
    }
    default:
      return {};
  }
}

// Says what is wrong with the bytes of a value, or with the shape of its array.
void Explainer::DescribeArray(const Output& output, const Fault& fault,
                              ErrorInfo* info) const {
  const bool is_zlib = output.encoding == Encoding::kZlib;
  const std::string of = is_zlib ? " inflated" : "";
  switch (fault.rule) {
    case Rule::kBytes:
      info->expected = Counted(fault.wanted, "byte") + of;
      break;
    case Rule::kMoreBytes:
      info->expected = Counted(fault.wanted, "byte") + of;
      info->found = "more";
      break;
    case Rule::kBytesMultiple:
      info->expected = "a multiple of " + Counted(fault.wanted, "byte") + of;
      break;
    case Rule::kZlib:
      info->expected = "one whole zlib stream";
      info->found = "one that is damaged, cut or followed by other bytes";
      break;
    case Rule::kItemShapes:
      info->expected = Counted(fault.wanted, "number") + ", a shape per value";
      break;
    default: {
      const auto known = static_cast<int64_t>(fault.wanted);
      info->expected = known < 0 ? "a dimension of 0 or more"
                                 : "a dimension of " + std::to_string(known);
      info->found =
          std::to_string(row_.ValuesOf(fault.slot, 0)
                             .int64s()[static_cast<size_t>(fault.found)]);
      break;
    }
  }
}

// Reads the TensorProto at fault again, and returns a sentence about it.
std::string Explainer::DescribeTensor(const Output& output, const Fault& fault,
                                      ErrorInfo* info) const {
  TensorProto proto;
  const auto asked = AskedShape(output);
  const TensorFault found =
      proto.Read(row_.ValueOf(output, fault.value), output.to, asked);
  const std::string type(DTypeName(output.to));
  info->found = proto.Explain(found);
  if (found == TensorFault::kOtherType) {
    info->expected = "a tensor of " + type;
    info->found = "one of " + info->found;
  } else if (found == TensorFault::kOtherShape) {
    info->expected = "a tensor of shape " + plan::ShapeText(asked);
  } else {
    info->expected = "a tensor of " + type;
    return "the value is not a tensor: " + info->found;
  }
  return "expected " + info->expected + ", found " + info->found;
}

void Explainer::DescribePartition(const Fault& fault, ErrorInfo* info) const {
  Values numbers;
  if (fault.slot != plan::kNoSlot) {
    numbers = row_.ValuesOf(fault.slot, fault.step);
  }
  Misfit misfit = FindMisfit(*fault.cut, numbers.int64s(),
                             static_cast<size_t>(fault.wanted));
  info->expected = std::move(misfit.expected);
  info->found = std::move(misfit.found);
}

// Says which value the type of the tensor cannot hold.
void Explainer::DescribeRange(const Output& output, const Fault& fault,
                              ErrorInfo* info) const {
  const Values values = row_.ValuesOf(output.slot, fault.step);
  const bool is_exact = output.member.exact;
  info->expected = (is_exact ? "values that fit " : "values of ") +
                   std::string(DTypeName(output.to)) +
                   (is_exact ? " exactly" : "");
  info->found =
      output.from == DType::kInt64
          ? std::to_string(values.int64s()[static_cast<size_t>(fault.found)])
          : std::to_string(static_cast<const float*>(values.data)[fault.found]);
}

std::string Explainer::DescribeRule(const Output& output, const Fault& fault,
                                    ErrorInfo* out) const {
  ErrorInfo& info = *out;
  const std::string wanted = std::to_string(fault.wanted);
  switch (fault.rule) {
    case Rule::kNone:
    case Rule::kNoRoom:
    case Rule::kNoMemory:
    case Rule::kTensor:
    case Rule::kTensorType:
      break;  // not covered: only broken rules are explained, tensors elsewhere
    case Rule::kPresence:
      info.expected = DTypeName(output.from);
      info.found = "a feature without a kind";
      if (row_.Find(output.slot) == CellState::kAbsent) {
        info.found = "no such feature";
        return MissingText(output);
      }
      break;
    case Rule::kCount:
    case Rule::kUniformCount:
      info.expected = Counted(fault.wanted, "value");
      break;
    case Rule::kBytes:
    case Rule::kBytesMultiple:
    case Rule::kMoreBytes:
    case Rule::kZlib:
    case Rule::kItemShapes:
    case Rule::kItemDimension:
      DescribeArray(output, fault, out);
      break;
    case Rule::kMultiple:
      info.expected = "a multiple of " + Counted(fault.wanted, "value");
      break;
    case Rule::kAtMost:
      info.expected = "at most " + Counted(fault.wanted, "value");
      break;
    case Rule::kIndexCount:
      info.expected = "as many indices as values, " + wanted;
      break;
    case Rule::kIndexRange:
      info.expected = "an index in [0, " +
                      std::to_string(static_cast<int64_t>(fault.wanted)) + ")";
      info.found =
          std::to_string(row_.ValuesOf(fault.slot, 0)
                             .int64s()[static_cast<size_t>(fault.found)]);
      break;
    case Rule::kSteps:
      info.expected = "as many steps as the values have, " + wanted;
      break;
    case Rule::kUniformLength:
      info.expected = "a multiple of the uniform row length " + wanted;
      break;
    case Rule::kPartition:
      DescribePartition(fault, out);
      break;
    case Rule::kRowLength:
      info.expected = "rows of length " + wanted;
      break;
    case Rule::kRowCount:
      info.expected = Counted(fault.wanted, "row");
      break;
    case Rule::kGroup:
      info.expected = "the length of feature " +
                      Quote(NameOf(program_.outputs()[output.group])) +
                      " in its group, " + wanted;
      break;
    case Rule::kWeights:
      info.expected = "as many weights as values, " + wanted;
      break;
    case Rule::kRange:
      DescribeRange(output, fault, out);
      break;
  }
  return "expected " + info.expected + ", found " + info.found;
}

ErrorInfo Explainer::Describe(const Output& output, const Fault& fault) const {
  const std::string& name = NameOf(output);
  ErrorInfo info{.code = fault.code(),
                 .feature = name,
                 .found = std::to_string(fault.found)};
  std::string where = WhereOf(output, fault);
  const bool is_tensor =
      fault.rule == Rule::kTensor || fault.rule == Rule::kTensorType;
  const std::string text = is_tensor ? DescribeTensor(output, fault, &info)
                                     : DescribeRule(output, fault, &info);
  const bool has_step = fault.rule != Rule::kPresence &&
                        fault.rule != Rule::kSteps &&
                        fault.rule != Rule::kWeights && output.in_sequence;
  if (has_step) where = ", step " + std::to_string(fault.step) + where;
  if (output.is_member()) {
    info.message =
        plan::GroupText(program_.tensors()[output.field].feature) + ", ";
  }
  info.message +=
      (output.in_sequence ? "feature list " : "feature ") + Quote(name);
  if (KeyOf(output.slot) != name) {
    info.message += " of key " + Quote(KeyOf(output.slot));
  }
  info.message += where + ": " + text;
  return info;
}

// Parses the message as the type that decoding walks it as.
Result<Message> ParseFor(const plan::Program& program, std::string_view payload,
                         int depth) {
  if (program.walked_message() != MessageType::kSequence) {
    return decode::ParseNested(payload, MessageType::kExample, depth);
  }
  Result<Message> message =
      decode::ParseNested(payload, MessageType::kSequence, depth);
  if (message.ok() || !program.guesses_examples()) return message;
  return decode::ParseNested(payload, MessageType::kExample, depth);
}

}  // namespace

ErrorInfo ExplainPart(const plan::Program& program, std::string_view payload,
                      int depth, ErrorCode code) {
  // Everything below uses one copy of the message, whose bytes may be changing.
  const Result<Message> message = ParseFor(program, payload, depth);
  if (!message.ok()) {
    // Decoding may not have checked values outside the plan. If it reported a
    // different error, that error is not about such values.
    const bool is_said = code == ErrorCode::kMalformed ||
                         code == ErrorCode::kWrongKind ||
                         message.status().code() == ErrorCode::kOutOfMemory;
    if (!is_said) return {.code = code};
    ErrorInfo info = *message.status().info();
    info.offset = kUnknown;  // was relative to the message; is in the text
    return info;
  }
  // A wrong kind takes precedence over a value that does not fit.
  ErrorInfo info = decode::ExplainKinds(program, *message);
  if (info.code != ErrorCode::kOk) return info;
  if (code == ErrorCode::kWrongKind)
    info = decode::ExplainLate(program, *message);
  if (info.code != ErrorCode::kOk) return info;
  const Explainer explainer(program, *message);
  for (const Output* const output : program.cells()) {
    info = explainer.Explain(*output, code);
    if (info.code != ErrorCode::kOk) return info;
  }
  return {};
}

ErrorInfo ExplainRow(const plan::Program& program, std::string_view payload,
                     ErrorCode code) {
  if (!IsRowError(code)) return decode::ExplainNoRoom(code);
  ErrorInfo info = program.lists()
                       ? ExplainList(program, payload, code)
                       : ExplainPart(program, payload, /*depth=*/0, code);
  if (info.code == ErrorCode::kMalformed) {
    decode::HintAtElwc(payload, program.message(), &info);
  }
  if (info.code != ErrorCode::kOk) return info;
  return {.code = code,
          .message = "the bytes of the record changed while they were read"};
}

}  // namespace headrace::tensor
