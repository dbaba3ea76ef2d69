#include "src/tfds/folder/feature_class.h"

#include <algorithm>
#include <string>

#include "src/base/text/quote.h"

namespace headrace::tfds {
namespace {

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

}  // namespace

void ReadImage(Fields* fields, Node* leaf) {
  leaf->content = Content::kImage;
  leaf->is_file = true;
  leaf->shape = fields->Shape();
  leaf->dtype = fields->Text("dtype");
  if (leaf->dtype.empty()) leaf->dtype = "uint8";
  leaf->format = fields->Text("encoding_format");
}

const FeatureClass* FindClass(std::string_view name) {
  const auto* const found =
      std::ranges::find(kClasses, name, &FeatureClass::name);
  return found == std::end(kClasses) ? nullptr : found;
}

std::string ClassNames() {
  std::string names;
  for (const FeatureClass& known : kClasses) {
    if (!names.empty()) names += ", ";
    names += known.name;
  }
  return names;
}

}  // namespace headrace::tfds
