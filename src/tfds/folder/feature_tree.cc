#include "src/tfds/folder/feature_tree.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "src/base/text/quote.h"
#include "src/plan/spec/json_value.h"
#include "src/tfds/folder/feature_class.h"
#include "src/tfds/folder/fields.h"

namespace headrace::tfds {

using spec::Describe;
using spec::JsonMember;
using spec::JsonValue;

namespace {

Node Unreadable(Node node, std::string problem) {
  return {.name = std::move(node.name),
          .path = std::move(node.path),
          .class_name = std::move(node.class_name),
          .problem = std::move(problem)};
}

// The part of a feature that belongs to its class.
struct Body {
  const JsonValue::Object* fields = nullptr;
  // The older form (F3): the features of a dict are the fields themselves, and
  // a null length is unknown.
  bool is_plain = false;
};

class TreeParser {
 public:
  // Parses a feature; `node` has its name and path.
  Node Parse(const JsonValue& value, Node node);
  // Whether there are more than kMaxFeatures features; the rest are skipped.
  bool has_too_many() const { return num_features_ > kMaxFeatures; }

 private:
  Node ParseClass(const JsonValue::Object& object, Node node);
  std::optional<Body> FindBody(const JsonValue::Object& object,
                               const FeatureClass& known, Fields* fields);
  std::optional<Body> OlderBody(Fields* fields);
  std::optional<Body> TextBody(const std::string& text, bool is_plain,
                               Fields* fields);

  Node ParseLeaf(const FeatureClass& known, const Body& body, Node node);
  Node ParseDict(const Body& body, Node node);
  Node ParseSequence(const Body& body, Node node);
  Node ParseVideo(const Body& body, Node node);
  Node ParseTranslation(const Body& body, Node node);
  Node ParseChild(const std::string& name, const JsonValue& value,
                  const Node& parent);

  size_t num_features_ = 0;
  int depth_ = 0;
  bool in_sequence_ = false;
  // JSON parsed from texts inside the JSON. Bodies point to the objects in it,
  // so they must not move.
  std::deque<JsonValue> texts_;
};

std::string LastPart(const std::string& name) {
  return name.substr(name.rfind('.') + 1);
}

Node Inside(const Node& parent, const std::string& name) {
  return {.name = name,
          .path = parent.path.empty() ? name : parent.path + "/" + name};
}

Node TextLeaf(Node node) {
  node.class_name = "Text";
  node.content = Content::kText;
  node.dtype = "string";
  return node;
}

Node TreeParser::Parse(const JsonValue& value, Node node) {
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr) {
    return Unreadable(std::move(node),
                      "it is " + Describe(value) + ", not a feature (F1)");
  }
  if (depth_ == kDeepestFeature) {
    return Unreadable(std::move(node), "more than " +
                                           std::to_string(kDeepestFeature) +
                                           " features inside one another");
  }
  if (node.path.size() > kLongestPath) {
    node.path.resize(kLongestPath);
    return Unreadable(
        std::move(node),
        "the path has more than " + std::to_string(kLongestPath) + " bytes");
  }
  ++num_features_;
  ++depth_;
  const size_t num_texts = texts_.size();
  Node parsed = ParseClass(*object, std::move(node));
  texts_.resize(num_texts);
  --depth_;
  return parsed;
}

Node TreeParser::ParseClass(const JsonValue::Object& object, Node node) {
  Fields fields(object);
  std::string name = fields.Text("python_class_name");
  if (name.empty()) name = fields.Text("type");
  node.class_name = LastPart(name);
  const FeatureClass* const known = FindClass(node.class_name);
  if (name.empty()) {
    fields.Complain("it has no \"pythonClassName\" (F1)");
  } else if (known == nullptr) {
    fields.Complain("headrace does not know the class " + Quote(name) +
                    "; it knows " + ClassNames() + " (F2)");
  }
  std::optional<Body> body;
  if (known != nullptr) body = FindBody(object, *known, &fields);
  if (!fields.problem().empty() || !body) {
    return Unreadable(std::move(node), fields.problem());
  }
  if (known->read != nullptr) return ParseLeaf(*known, *body, std::move(node));
  if (known->name == "FeaturesDict") return ParseDict(*body, std::move(node));
  if (known->name == "Video") return ParseVideo(*body, std::move(node));
  if (known->field == "translation") {
    return ParseTranslation(*body, std::move(node));
  }
  return ParseSequence(*body, std::move(node));
}

std::optional<Body> TreeParser::FindBody(const JsonValue::Object& object,
                                         const FeatureClass& known,
                                         Fields* fields) {
  if (Find(object, "type") != nullptr) return OlderBody(fields);
  if (const auto* const json = fields->Object("json_feature")) {
    Fields inner(*json);
    const std::string text = inner.Text("json");
    fields->Complain(inner.problem());
    return TextBody(text, true, fields);
  }
  const auto* const message = fields->Object(known.field);
  if (message == nullptr) {
    fields->Complain("a " + std::string(known.name) + " has " +
                     Quote(known.field) + ", which is missing (F1)");
    return std::nullopt;
  }
  return Body{message, false};
}

std::optional<Body> TreeParser::OlderBody(Fields* fields) {
  const JsonValue* const content = fields->Get("content");
  if (content == nullptr) {
    fields->Complain("\"content\" is missing (F3)");
    return std::nullopt;
  }
  const bool is_plain = fields->Text("proto_cls").empty();
  if (const auto* const text = content->As<std::string>()) {
    return TextBody(*text, is_plain, fields);
  }
  const auto* const object = fields->Object("content");
  if (object == nullptr) return std::nullopt;
  return Body{object, is_plain};
}

std::optional<Body> TreeParser::TextBody(const std::string& text, bool is_plain,
                                         Fields* fields) {
  Result<JsonValue> json = spec::ParseJson(text, kDeepestJson);
  if (!json) {
    fields->Complain("its text is not valid JSON: " +
                     std::string(json.status().message()) + " (F3)");
    return std::nullopt;
  }
  texts_.push_back(*std::move(json));
  const auto* const object = texts_.back().As<JsonValue::Object>();
  if (object == nullptr) {
    fields->Complain("its text is not a JSON object (F3)");
    return std::nullopt;
  }
  return Body{object, is_plain};
}

Node TreeParser::ParseLeaf(const FeatureClass& known, const Body& body,
                           Node node) {
  Fields fields(*body.fields);
  known.read(&fields, &node);
  if (fields.problem().empty()) return node;
  return Unreadable(std::move(node), fields.problem());
}

Node TreeParser::ParseChild(const std::string& name, const JsonValue& value,
                            const Node& parent) {
  return Parse(value, Inside(parent, name));
}

Node TreeParser::ParseDict(const Body& body, Node node) {
  node.kind = NodeKind::kDict;
  Fields fields(*body.fields);
  // Protobuf leaves out an empty map.
  const auto* const members =
      body.is_plain ? body.fields : fields.Object("features");
  if (!fields.problem().empty()) {
    return Unreadable(std::move(node), fields.problem());
  }
  if (members == nullptr) return node;
  for (const JsonMember& member : *members) {
    if (has_too_many()) break;
    node.children.push_back(ParseChild(member.key, member.value, node));
  }
  return node;
}

Node TreeParser::ParseSequence(const Body& body, Node node) {
  const bool is_dataset = node.class_name == "Dataset";
  node.kind = is_dataset ? NodeKind::kDataset : NodeKind::kSequence;
  Fields fields(*body.fields);
  const JsonValue* const element = fields.Get("feature");
  if (element == nullptr) fields.Complain("\"feature\" is missing (F1)");
  // Protobuf leaves out 0 (F6).
  node.length = fields.Whole("length").value_or(body.is_plain ? -1 : 0);
  if (node.length < -1) fields.Complain("\"length\" is less than -1 (F6)");
  if (is_dataset && in_sequence_) {
    fields.Complain(
        "a Dataset is in a Sequence or in another Dataset, so its steps "
        "have no place in a row (F2)");
  }
  if (!fields.problem().empty()) {
    return Unreadable(std::move(node), fields.problem());
  }
  const bool was_in_sequence = std::exchange(in_sequence_, true);
  node.children.push_back(Parse(*element, {.path = node.path}));
  in_sequence_ = was_in_sequence;
  return node;
}

Node TreeParser::ParseVideo(const Body& body, Node node) {
  node.kind = NodeKind::kSequence;
  Node frame = {.path = node.path, .class_name = "Image"};
  Fields fields(*body.fields);
  ReadImage(&fields, &frame);
  if (frame.shape.empty()) fields.Complain("\"shape\" is missing (F5)");
  if (!fields.problem().empty()) {
    return Unreadable(std::move(node), fields.problem());
  }
  node.length = frame.shape.front();
  frame.shape.erase(frame.shape.begin());
  node.children.push_back(std::move(frame));
  return node;
}

Node TreeParser::ParseTranslation(const Body& body, Node node) {
  Fields fields(*body.fields);
  const auto* const languages = fields.List("languages");
  const bool is_variable = node.class_name != "Translation";
  Node dict = {.path = node.path, .kind = NodeKind::kDict};
  if (is_variable) {
    dict.children = {TextLeaf(Inside(node, "language")),
                     TextLeaf(Inside(node, "translation"))};
  } else if (languages == nullptr) {
    fields.Complain("\"languages\" is missing (F1)");
  } else {
    num_features_ += languages->size();
    for (const JsonValue& language : *languages) {
      if (has_too_many()) break;
      const auto* const name = language.As<std::string>();
      if (name == nullptr) fields.Complain("a language is not a text");
      if (name != nullptr)
        dict.children.push_back(TextLeaf(Inside(node, *name)));
    }
  }
  if (!fields.problem().empty()) {
    return Unreadable(std::move(node), fields.problem());
  }
  node.kind = is_variable ? NodeKind::kSequence : NodeKind::kDict;
  if (is_variable) {
    dict.class_name = "FeaturesDict";
    node.children.push_back(std::move(dict));
  } else {
    node.children = std::move(dict.children);
  }
  return node;
}

}  // namespace

Result<Node> ParseFeatures(std::string_view text) {
  Result<JsonValue> json = spec::ParseJson(text, kDeepestJson);
  if (!json) return json.status();
  TreeParser parser;
  Node root = parser.Parse(*json, {});
  if (parser.has_too_many()) {
    return Status(ErrorCode::kBadSpec,
                  "more than " + std::to_string(kMaxFeatures) + " features");
  }
  if (!root.problem.empty()) {
    return Status(ErrorCode::kBadSpec, std::move(root.problem));
  }
  return root;
}

}  // namespace headrace::tfds
