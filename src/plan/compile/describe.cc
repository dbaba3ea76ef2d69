// Program::ToString describes a plan, a line for each tensor or column.

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/json/json_text.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/plan/compile/program.h"
#include "src/plan/compile/shape.h"
#include "src/plan/spec/function_names.h"

namespace headrace::plan {
namespace {

std::string ColumnText(const ColumnField& column) {
  std::string type = column.kind == Kind::kNull
                         ? "null"
                         : "list<" + std::string(KindName(column.kind)) + ">";
  if (column.in_sequence) type = "list<" + type + ">";
  return type;
}

std::string CutText(const Program& program, const Cut& cut) {
  return std::string(PartitionTypeName(cut.type)) + " " +
         Quote(program.slots()[cut.slot].key);
}

// Leaves out the shape of rows if all its dimensions are unknown.
std::string RaggedText(const Program& program, const Output& output) {
  const RaggedShape& ragged = output.ragged;
  const auto shape = std::span(ragged.dimensions).first(ragged.array_begin);
  std::string text;
  if (std::any_of(shape.begin(), shape.end(),
                  [](int64_t dimension) { return dimension >= 0; })) {
    text += ", rows of shape " + ShapeText(shape);
  }
  if (ragged.has_arrays) {
    text += ", arrays of shape " +
            ShapeText(std::span(ragged.dimensions).subspan(ragged.array_begin));
  }
  if (output.item_shape_slot != kNoSlot) {
    text += " in key " + Quote(program.slots()[output.item_shape_slot].key);
  }
  if (output.group != kNoGroup) {
    text += ", group " +
            Quote(program.tensors()[output.field].feature.config.group);
  }
  return text;
}

// More boundaries than these are known by their digest.
constexpr size_t kMostBoundaries = 8;

std::string DigestText(uint64_t digest) {
  std::array<char, 17> text;
  std::snprintf(text.data(), text.size(), "%016llx",
                static_cast<unsigned long long>(digest));
  return text.data();
}

std::string FloatText(float number) {
  std::string text;
  AppendJsonFloat(number, &text);
  return text;
}

// Each returns what a function depends on, so that the texts of plans that
// return other values differ.
std::string ArgumentsOf(const function::Hash& hash) {
  return " " + std::to_string(hash.buckets);
}
std::string ArgumentsOf(const function::LookUp& look_up) {
  const std::string other =
      look_up.default_id ? "default " + std::to_string(*look_up.default_id)
                         : Counted(look_up.oov_buckets, "bucket") +
                               (look_up.oov_first ? " before" : " after");
  return " of " + Counted(look_up.vocabulary->size(), "key") + " " +
         DigestText(look_up.vocabulary->digest()) + ", " + other;
}
std::string ArgumentsOf(const function::Bucketize& bucketize) {
  const std::vector<float>& boundaries = bucketize.boundaries;
  std::string text = " at " + Grouped(boundaries.size()) +
                     (boundaries.size() == 1 ? " boundary" : " boundaries");
  if (boundaries.size() > kMostBoundaries) {
    const size_t size = boundaries.size() * sizeof(float);
    return text + " " +
           DigestText(uint64_t{XXH3_64bits(boundaries.data(), size)});
  }
  for (const float boundary : boundaries) text += " " + FloatText(boundary);
  return text;
}
std::string ArgumentsOf(const function::Clip& clip) {
  const auto text = [](const function::Clip::Bound& bound) {
    const auto* const whole = std::get_if<int64_t>(&bound);
    return whole ? std::to_string(*whole) : FloatText(std::get<float>(bound));
  };
  return " " + text(clip.lo) + " to " + text(clip.hi);
}
std::string ArgumentsOf(const function::Log1p&) { return ""; }
std::string ArgumentsOf(const function::Scale& scale) {
  return " by mean " + FloatText(scale.mean) + ", std " + FloatText(scale.std);
}

std::string FunctionsText(const Program& program, const Output& output) {
  std::string text;
  size_t i = 0;
  for (const ValueFunction& function : program.FeatureOf(output).config.map) {
    text += ", ";
    text += spec::FunctionName(function);
    if (output.chain == nullptr) continue;
    text += std::visit([](const auto& f) { return ArgumentsOf(f); },
                       output.chain->functions()[i++]);
  }
  return text;
}

std::string OutputText(const Program& program, const Output& output);

std::string MemberText(const Program& program, const Output& output) {
  const Membership& member = output.member;
  std::string text = OutputText(program, output);
  if (output.in_sequence) text += " of feature lists";
  text += FunctionsText(program, output);
  if (member.present) text += ", then a column of presence";
  if (member.most != Membership().most) {
    text += std::string(", the ") + (member.keeps_last ? "last " : "first ") +
            std::to_string(member.most);
  }
  if (member.weight_slot != kNoSlot) {
    text +=
        ", weights from key " + Quote(program.slots()[member.weight_slot].key);
  }
  return text;
}

std::string MembersText(const Program& program, const Output& output) {
  std::string text(" ");
  text += DTypeName(output.to);
  if (output.layout == Layout::kMatrix) {
    text += " [" + std::to_string(output.elements) + "]";
  } else {
    text +=
        output.int64_lengths ? " with int64 lengths" : " with int32 lengths";
    if (output.has_weights) text += " and weights";
  }
  for (const Output& member : output.members) {
    text += "\n    " + Quote(program.FeatureOf(member).name) + ": " +
            MemberText(program, member);
  }
  return text;
}

std::string OutputText(const Program& program, const Output& output) {
  std::string text(LayoutName(output.layout));
  if (IsGroup(output.layout)) return text + MembersText(program, output);
  text += " " + std::string(DTypeName(output.from));
  if (output.to != output.from) {
    text += " as " + std::string(DTypeName(output.to));
  }
  if (output.as_bits) text += " by bits";
  if (output.encoding != Encoding::kRaw) {
    text += " of " + std::string(EncodingName(output.encoding));
  }
  if (output.layout == Layout::kSparse) {
    text += " of size " + ShapeText(output.shape);
    for (const uint32_t slot : output.index_slots) {
      text += ", index " + Quote(program.slots()[slot].key);
    }
    if (output.already_sorted) text += ", already sorted";
  } else if (output.layout == Layout::kRagged && !output.is_member()) {
    text += output.int64_splits ? " with int64 splits" : " with int32 splits";
  } else if (output.layout == Layout::kFixedLen ||
             output.layout == Layout::kFixedLenSequence) {
    text += " " + ShapeText(output.shape);
  }
  for (const Cut& cut : output.cuts) {
    text += cut.type == PartitionType::kUniformRowLength
                ? ", uniform_row_length " + std::to_string(cut.uniform_length)
                : ", " + CutText(program, cut);
  }
  if (output.layout == Layout::kRagged) text += RaggedText(program, output);
  if (output.pad_to > 0) text += ", padded to " + std::to_string(output.pad_to);
  if (output.layout == Layout::kFixedLen) {
    text +=
        output.default_values != nullptr ? ", with a default" : ", required";
  } else if (output.layout == Layout::kFixedLenSequence &&
             !output.allow_missing) {
    text += ", required";
  }
  const Slot& slot = program.slots()[output.slot];
  text += ", from key " + Quote(slot.key);
  if (slot.form == SlotForm::kDense) text += " in place";
  return output.is_member() ? text : text + FunctionsText(program, output);
}

}  // namespace

// Returns a line for each output, or for each column outside feature lists.
std::string Program::DescribeFields() const {
  std::string text;
  for (const Output& output : outputs_) {
    text += "  " + Quote(tensors_[output.field].feature.name) + ": " +
            OutputText(*this, output) + "\n";
  }
  for (const ColumnField& column : columns_) {
    if (column.in_sequence) continue;
    text += "  " + Quote(column.name) + ": " + ColumnText(column) + "\n";
  }
  return text;
}

std::string Program::DescribeLists() const {
  const bool has_tensors = !tensors_.empty();
  std::string text = has_tensors ? "tensors of " : "columns of ";
  text += message_ == MessageType::kElwc
              ? "tensorflow.serving.ExampleListWithContext"
              : "lists in tf.train.Example";
  text += "\nof the context:\n" + DescribeFields() + "of the Examples";
  if (has_tensors) {
    text += lists_->list_size > 0
                ? ", " + std::to_string(lists_->list_size) + " of each list"
                : ", as many of each list as the longest has";
  }
  text += ":\n" + lists_->examples->DescribeFields();
  const size_t extra = size_t{lists_->has_sizes} + lists_->has_mask;
  for (size_t i = tensors_.size() - extra; i < tensors_.size(); ++i) {
    const bool is_sizes = lists_->has_sizes && i == tensors_.size() - extra;
    text += Quote(tensors_[i].feature.name) +
            (is_sizes ? ": sizes of the lists, int32\n"
                      : ": where the lists have Examples, bool\n");
  }
  return text;
}

std::string Program::ToString() const {
  if (message_ == MessageType::kRaw) {
    return "payloads of raw records: 1\n  " + Quote(columns_[0].name) +
           ": bytes\n";
  }
  if (lists() != nullptr) return DescribeLists();
  const std::string message = message_ == MessageType::kSequence
                                  ? "tf.train.SequenceExample"
                                  : "tf.train.Example";
  std::string text;
  if (outputs_.empty()) {
    text =
        "columns of " + message + ": " + std::to_string(columns_.size()) + "\n";
    for (const ColumnField& column : columns_) {
      text += "  " + std::string(column.in_sequence ? "##SEQUENCE##." : "") +
              Quote(column.name) + ": " + ColumnText(column) + "\n";
    }
    return text;
  }
  text = "tensors of " + message + ": " + std::to_string(outputs_.size()) +
         ", of " + std::to_string(slots_.size()) +
         (slots_.size() == 1 ? " key\n" : " keys\n");
  for (const Output& output : outputs_) {
    text += "  " + std::string(output.in_sequence ? "##SEQUENCE##." : "") +
            Quote(tensors_[output.field].feature.name) + ": " +
            OutputText(*this, output) + "\n";
  }
  return text;
}

}  // namespace headrace::plan
