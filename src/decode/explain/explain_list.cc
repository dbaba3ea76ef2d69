// Says in words what is wrong with a list of Examples: splits the list and asks
// ExplainPart about its messages.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/decode/explain/explain.h"
#include "src/decode/tensor/list_checker.h"
#include "src/plan/compile/list_parts.h"
#include "wire/cursor.h"
#include "wire/wire.h"

namespace headrace::tensor {
namespace {

// The messages of a list. The concatenated pieces of its context are one
// message.
struct Parts {
  std::string context;
  std::vector<std::string_view> examples;
  int depth = 0;  // messages around each of these
};

ErrorInfo Malformed(const wire::Cursor& cursor, std::string_view payload) {
  const auto at = static_cast<size_t>(
      reinterpret_cast<const char*>(cursor.position()) - payload.data());
  return {.code = ErrorCode::kMalformed,
          .message = "ExampleListWithContext: " +
                     std::string(wire::FaultText(cursor.fault())) +
                     ", at byte " + std::to_string(at) + " of the message"};
}

ErrorInfo Split(std::string_view payload, Parts* parts) {
  parts->depth = 1;
  wire::Cursor cursor(wire::SpanOf(payload));
  const bool ok =
      wire::ForEachPart(&cursor, [parts](uint32_t number, wire::Span part) {
        if (number == 1) {
          parts->examples.push_back(wire::TextOf(part));
        } else {
          parts->context += wire::TextOf(part);
        }
        return true;
      });
  return ok ? ErrorInfo() : Malformed(cursor, payload);
}

// Returns the error of the Example around the list, if it has one. Otherwise
// parses it into `message`, which must outlive the parts.
ErrorInfo Unwrap(const plan::Program& wrapper, std::string_view payload,
                 ErrorCode code, Message* message, Parts* parts) {
  ErrorInfo info = ExplainPart(wrapper, payload, /*depth=*/0, code);
  if (info.code != ErrorCode::kOk) return info;
  Result<Message> parsed = ParseMessage(payload, MessageType::kExample);
  if (!parsed.ok()) return *parsed.status().info();
  *message = *std::move(parsed);
  const Feature& context = message->features[plan::kContextKey];
  if (!context.bytes.empty()) parts->context = context.bytes.front();
  for (const std::string& bytes : message->features[plan::kExamplesKey].bytes) {
    parts->examples.push_back(bytes);
  }
  return {};
}

ErrorInfo In(const std::string& place, ErrorInfo info) {
  info.message = place + ": " + info.message;
  return info;
}

// Examples beyond list_size are errors only if they are malformed.
ErrorInfo ExplainExamples(const plan::Program& program, const Parts& parts,
                          ErrorCode code) {
  const plan::ListParts& lists = *program.lists();
  for (size_t i = 0; i < parts.examples.size(); ++i) {
    const bool is_cut = lists.list_size > 0 && i >= lists.list_size;
    ErrorInfo info = ExplainPart(is_cut ? *lists.unread : *lists.examples,
                                 parts.examples[i], parts.depth, code);
    if (info.code == ErrorCode::kOutOfMemory) return info;
    if (info.code != code) continue;
    return In("Example " + std::to_string(i) + " of the list", info);
  }
  return {};
}

}  // namespace

ErrorInfo ExplainShortList(const plan::Program& program, size_t size,
                           size_t places) {
  const plan::Program& examples = *program.lists()->examples;
  const Required required = FindRequired(examples);
  const std::string& name =
      examples.tensors()[required.output->field].feature.name;
  const std::string reason =
      program.lists()->list_size > 0 ? "list_size is " + std::to_string(places)
      : size == 0
          ? "tensors have a place for one"
          : "the longest one of the batch has " + std::to_string(places);
  return {.code = required.code,
          .message = "feature " + Quote(name) + ": the list has " +
                     Counted(size, "Example") + ", " + reason +
                     ", and the feature has no default to fill it up; set a "
                     "default",
          .feature = name,
          .expected = Counted(places, "Example"),
          .found = std::to_string(size)};
}

ErrorInfo ExplainList(const plan::Program& program, std::string_view payload,
                      ErrorCode code) {
  // Everything below uses one copy of the record, whose bytes may be changing.
  const std::string copy(payload);
  const plan::ListParts& lists = *program.lists();
  Message message;
  Parts parts;
  ErrorInfo info = lists.wrapper
                       ? Unwrap(*lists.wrapper, copy, code, &message, &parts)
                       : Split(copy, &parts);
  if (info.code != ErrorCode::kOk) return info;
  info = ExplainExamples(program, parts, code);
  if (info.code != ErrorCode::kOk) return info;
  info = ExplainPart(program, parts.context, parts.depth, code);
  if (info.code == ErrorCode::kOutOfMemory) return info;
  if (info.code == code) return In("context", info);
  const size_t places = ListPlaces(lists.list_size, 0);
  const Required required = FindRequired(*lists.examples);
  if (required.output != nullptr && code == required.code &&
      parts.examples.size() < places) {
    return ExplainShortList(program, parts.examples.size(), places);
  }
  return {};
}

}  // namespace headrace::tensor
