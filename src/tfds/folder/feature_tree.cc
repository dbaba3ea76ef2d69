// ParseFeatures makes a tree of nodes from features.json. kClasses lists the
// classes of features that it knows: leaves, and classes that hold other
// features.

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "src/base/text/quote.h"
#include "src/plan/spec/json_value.h"
#include "src/tfds/folder/fields.h"
#include "src/tfds/folder/metadata.h"

namespace headrace::tfds {

using spec::Describe;
using spec::JsonMember;
using spec::JsonValue;

namespace {

// A class of features, and how its fields in features.json are read.
struct FeatureClass {
  std::string_view name;
  // The field of the feature that holds the parameters of the class (F1), in
  // snake_case.
  std::string_view field;
  // Fills a leaf; null for classes that hold other features.
  void (*read)(Fields* fields, Node* leaf);
};

void ReadDType(Fields* fields, Node* leaf) {
  leaf->dtype = fields->Text("dtype");
  if (leaf->dtype.empty()) fields->Complain("\"dtype\" is missing (F5)");
  if (leaf->dtype == "object") leaf->dtype = "string";
}

void ReadEncoding(Fields* fields, Node* leaf) {
  std::string name = fields->Text("encoding");
  for (char& c : name) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (name == "bytes") {
    leaf->encoding = Encoding::kRaw;
  } else if (name == "zlib") {
    leaf->encoding = Encoding::kZlib;
  } else if (!name.empty() && name != "none") {
    fields->Complain("\"encoding\" is " + Quote(name) +
                     "; it takes \"none\", \"bytes\" or \"zlib\" (F5)");
  }
}

void ReadTensor(Fields* fields, Node* leaf) {
  leaf->shape = fields->Shape();
  ReadDType(fields, leaf);
  ReadEncoding(fields, leaf);
  leaf->optional = fields->Flag("optional");
}

void ReadText(Fields* fields, Node* leaf) {
  leaf->content = Content::kText;
  leaf->dtype = "string";
  if (fields->Get("use_encoder") != nullptr) {
    fields->Complain(
        "its text was encoded with a vocabulary (\"use_encoder\"), which "
        "TensorFlow Datasets itself no longer reads (F2)");
  }
}

void ReadClasses(Fields* fields, Node* leaf) {
  const auto number = fields->Whole("num_classes");
  if (number && *number < 0) fields->Complain("\"numClasses\" is negative");
  leaf->num_classes = number.value_or(-1);
}

void ReadLabel(Fields* fields, Node* leaf) {
  leaf->content = Content::kLabel;
  leaf->dtype = "int64";
  ReadClasses(fields, leaf);
}

void ReadBox(Fields*, Node* leaf) {
  leaf->content = Content::kBox;
  leaf->dtype = "float32";
  leaf->shape = {4};
}

void ReadImage(Fields* fields, Node* leaf) {
  leaf->content = Content::kImage;
  leaf->is_file = true;
  leaf->shape = fields->Shape();
  leaf->dtype = fields->Text("dtype");
  if (leaf->dtype.empty()) leaf->dtype = "uint8";
  leaf->format = fields->Text("encoding_format");
}

void ReadLabeledImage(Fields* fields, Node* leaf) {
  ReadImage(fields, leaf);
  const auto* const label = fields->Object("label");
  if (label == nullptr) return ReadClasses(fields, leaf);
  Fields classes(*label);
  ReadClasses(&classes, leaf);
  fields->Complain(classes.problem());
}

void ReadAudio(Fields* fields, Node* leaf) {
  ReadTensor(fields, leaf);
  leaf->content = Content::kAudio;
  leaf->format = fields->Text("file_format");
  leaf->is_file = fields->Flag("lazy_decode");
}

constexpr FeatureClass kClasses[] = {
    {"Audio", "audio", ReadAudio},
    {"BBoxFeature", "bounding_box", ReadBox},
    {"ClassLabel", "class_label", ReadLabel},
    {"Dataset", "sequence", nullptr},
    {"FeaturesDict", "features_dict", nullptr},
    {"Image", "image", ReadImage},
    {"LabeledImage", "image", ReadLabeledImage},
    {"Scalar", "tensor", ReadTensor},
    {"Sequence", "sequence", nullptr},
    {"Tensor", "tensor", ReadTensor},
    {"Text", "text", ReadText},
    {"Translation", "translation", nullptr},
    {"TranslationVariableLanguages", "translation", nullptr},
    {"Video", "video", nullptr},
};

// Returns null if headrace does not know the class.
const FeatureClass* FindClass(std::string_view name) {
  const auto* const found =
      std::ranges::find(kClasses, name, &FeatureClass::name);
  return found == std::end(kClasses) ? nullptr : found;
}

// Returns "Audio, BBoxFeature, ..." for messages.
std::string ClassNames() {
  std::string names;
  for (const FeatureClass& known : kClasses) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

Node Unreadable(Node node, std::string problem) {
  return {.name = std::move(node.name),
          .path = std::move(node.path),
          .class_name = std::move(node.class_name),
          .problem = std::move(problem)};
}

// The fields of a feature that are specific to its class.
struct Body {
  const JsonValue::Object* fields = nullptr;
  // Whether the feature has the older form (F3): the fields of a dict are its
  // features, and a length that is null is unknown.
  bool is_plain = false;
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

class TreeParser {
 public:
  // Parses a feature; `node` has its name and path.
  Node Parse(const JsonValue& value, Node node) {
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

  // Whether there are more than kMaxFeatures features; the rest are skipped.
  bool has_too_many() const { return num_features_ > kMaxFeatures; }

 private:
  Node ParseClass(const JsonValue::Object& object, Node node) {
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
    if (known->read != nullptr) {
      return ParseLeaf(*known, *body, std::move(node));
    }
    if (known->name == "FeaturesDict") return ParseDict(*body, std::move(node));
    if (known->name == "Video") return ParseVideo(*body, std::move(node));
    if (known->field == "translation") {
      return ParseTranslation(*body, std::move(node));
    }
    return ParseSequence(*body, std::move(node));
  }

  std::optional<Body> FindBody(const JsonValue::Object& object,
                               const FeatureClass& known, Fields* fields) {
    if (Find(object, "type") != nullptr) return OlderBody(fields);
    if (const auto* const json = fields->Object("json_feature")) {
      Fields inner(*json);
      const std::string text = inner.Text("json");
      fields->Complain(inner.problem());
      return TextBody(text, true, fields);
    }
    const auto* const message = fields->Object(known.field);
    if (message == nullptr) {
      fields->Complain(Quote(known.field) + ", which a " +
                       std::string(known.name) + " needs, is missing (F1)");
      return std::nullopt;
    }
    return Body{message, false};
  }

  std::optional<Body> OlderBody(Fields* fields) {
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

  std::optional<Body> TextBody(const std::string& text, bool is_plain,
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

  Node ParseLeaf(const FeatureClass& known, const Body& body, Node node) {
    Fields fields(*body.fields);
    known.read(&fields, &node);
    if (fields.problem().empty()) return node;
    return Unreadable(std::move(node), fields.problem());
  }

  Node ParseDict(const Body& body, Node node) {
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

  Node ParseSequence(const Body& body, Node node) {
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

  Node ParseVideo(const Body& body, Node node) {
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

  Node ParseTranslation(const Body& body, Node node) {
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
        if (name == nullptr) {
          fields.Complain("a language is " + Describe(language) +
                          ", not a string");
        } else {
          dict.children.push_back(TextLeaf(Inside(node, *name)));
        }
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

  Node ParseChild(const std::string& name, const JsonValue& value,
                  const Node& parent) {
    return Parse(value, Inside(parent, name));
  }

  size_t num_features_ = 0;
  int depth_ = 0;
  bool in_sequence_ = false;
  // JSON that was parsed from texts inside the JSON. A Body points into it, so
  // it must not move.
  std::deque<JsonValue> texts_;
};

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
