// FeatureClass reads the fields that a class has in features.json into a leaf.

#ifndef HEADRACE_SRC_TFDS_FOLDER_FEATURE_CLASS_H_
#define HEADRACE_SRC_TFDS_FOLDER_FEATURE_CLASS_H_

#include <string_view>

#include "headrace/tfds.h"
#include "src/tfds/folder/fields.h"

namespace headrace::tfds {

struct FeatureClass {
  std::string_view name;
  std::string_view field;  // the field of its message (F1), in snake_case
  // Fills a leaf; null for classes that hold other features.
  void (*read)(Fields* fields, Node* leaf);
};

// Returns null if headrace does not know the class.
const FeatureClass* FindClass(std::string_view name);

// Returns "Audio, BBoxFeature, ..." for messages.
std::string ClassNames();

void ReadImage(Fields* fields, Node* leaf);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_FEATURE_CLASS_H_
