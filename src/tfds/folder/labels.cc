// Reads the names of classes from files beside features.json (E9).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "headrace/message.h"
#include "src/tfds/folder/leaves.h"
#include "src/tfds/folder/metadata.h"
#include "src/tfds/folder/shard_files.h"

namespace headrace::tfds {
namespace {

// Maximum bytes of all files of names together. The 21,000 classes of ImageNet
// take 0.3 MiB.
constexpr size_t kMaxLabelBytes = size_t{64} << 20;

bool HasLabels(const Node& leaf) {
  return leaf.content == Content::kLabel || leaf.class_name == "LabeledImage";
}

std::string_view WithoutBlanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  const size_t begin = line.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return std::string_view();
  return line.substr(begin, line.find_last_not_of(kBlanks) + 1 - begin);
}

void TakeLabels(const std::string& file, std::string_view text, Node* leaf) {
  leaf->label_names = ParseLabels(text);
  const auto number = static_cast<int64_t>(leaf->label_names.size());
  if (!IsUtf8(text)) {
    leaf->problem =
        "the names of its classes, " + file + ", are not UTF-8 (E9)";
  } else if (leaf->num_classes > 0 && leaf->num_classes != number) {
    leaf->problem = file + " has " + std::to_string(number) +
                    " names, but there are " +
                    std::to_string(leaf->num_classes) +
                    " classes (E9); if you remove the file, labels are read "
                    "as numbers";
  } else {
    leaf->num_classes = number;
  }
  if (!leaf->problem.empty()) leaf->label_names.clear();
}

}  // namespace

std::string LabelFileName(const std::vector<std::string>& names) {
  std::string file;
  for (const std::string& name : names) {
    if (!file.empty()) file += '-';
    file += name;
  }
  std::ranges::replace(file, '/', '.');
  return file + ".labels.txt";
}

std::vector<std::string> ParseLabels(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view name = WithoutBlanks(text.substr(0, end));
    if (!name.empty()) names.emplace_back(name);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

Status ReadLabels(const FolderOptions& options, Info* info) {
  FileFinder files(info->folder, options);
  size_t room = kMaxLabelBytes;
  Status failure;
  VisitLeaves(info->features, [&](Node& leaf, const LeafPlace& place) {
    if (!failure.ok() || !leaf.problem.empty() || !HasLabels(leaf)) return;
    const std::string name = LabelFileName(place.names);
    const Result<bool> is_there = files.Has(name);
    if (!is_there.ok()) failure = is_there.status();
    if (!is_there.ok() || !*is_there) return;
    const std::string path = JoinPath(info->folder, name);
    const Result<std::string> text = ReadSmallFile(path, room);
    if (!text.ok()) {
      failure = text.status();
      return;
    }
    room -= text->size();
    TakeLabels(name, *text, &leaf);
  });
  return failure;
}

}  // namespace headrace::tfds
