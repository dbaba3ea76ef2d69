#include "src/cli/folders.h"

#include <sys/stat.h>

#include <memory>

#include "absl/strings/str_split.h"
#include "src/base/leaves.h"

namespace headrace::cli {
namespace {

constexpr size_t kMaxLabels = 20;  // shown per feature

bool Exists(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0;
}

// A build without TFDS recognizes such folders by one file, to refuse them.
bool IsFolder(const std::string& path) {
  if constexpr (kHasTfds) {
    return tfds::IsFolder(path);
  } else {
    return Exists(path + "/dataset_info.json");
  }
}

// A FILE that is a TFDS folder, or a TFDS folder followed by ":" and a split.
// If the whole argument is a path that exists, it is not divided at a ":".
// `folder` is empty for any other FILE.
struct FolderArgument {
  std::string folder = {};
  std::string split = "all";
};

FolderArgument ParseFolder(const std::string& argument) {
  if (IsFolder(argument)) return {.folder = argument};
  if (Exists(argument)) return {};
  for (size_t colon = argument.find(':'); colon != std::string::npos;
       colon = argument.find(':', colon + 1)) {
    const std::string folder = argument.substr(0, colon);
    if (IsFolder(folder)) {
      return {.folder = folder, .split = argument.substr(colon + 1)};
    }
  }
  return {};
}

Status AddSlices(const FolderArgument& argument, InputOptions* options,
                 std::vector<std::string>* files) {
  const tfds::FolderOptions allowed = {options->outside_files};
  Result<tfds::Info> info = tfds::OpenFolder(argument.folder, allowed);
  if (!info) return info.status();
  Result<std::vector<tfds::Slice>> slices =
      Select(*info, argument.split, allowed);
  if (!slices) return slices.status();
  for (const tfds::Slice& slice : *slices) {
    files->push_back(slice.path);
    options->record_ranges.push_back(
        {slice.skip, slice.skip + slice.take, slice.records});
  }
  if (options->patterns.size() == 1) {
    options->dataset = std::make_shared<const tfds::Info>(*std::move(info));
  }
  return Status();
}

Status AddFolder(const FolderArgument& argument, InputOptions* options,
                 std::vector<std::string>* files) {
  if constexpr (kHasTfds) {
    return AddSlices(argument, options, files);
  } else {
    return Status(ErrorInfo{.code = ErrorCode::kInvalidArgument,
                            .message = kTfdsLeftOut,
                            .file = argument.folder});
  }
}

}  // namespace

Status FindFolders(InputOptions* options) {
  bool has_folder = false;
  std::vector<FolderArgument> folders;
  for (const std::string& pattern : options->patterns) {
    folders.push_back(ParseFolder(pattern));
    has_folder |= !folders.back().folder.empty();
  }
  if (!has_folder) return Status();
  if (options->range != ByteRange()) {
    return Status(ErrorCode::kInvalidArgument,
                  "--range is for one file, not for a TFDS folder; a slice "
                  "like :train[:100] selects some of its records");
  }
  std::vector<std::string> files;
  for (size_t i = 0; i < folders.size(); ++i) {
    Status status;
    if (!folders[i].folder.empty()) {
      status = AddFolder(folders[i], options, &files);
    } else {
      auto others = FindAndNote({&options->patterns[i], 1}, options->console());
      if (!others) return others.status();
      files.insert(files.end(), others->begin(), others->end());
      options->record_ranges.resize(files.size());
    }
    if (!status.ok()) return status;
  }
  options->patterns = std::move(files);
  options->has_folders = true;
  if (options->dataset && options->message == MessageType::kAuto) {
    options->message = MessageType::kExample;
  }
  return Status();
}

Result<std::vector<std::string>> FindFoldersAndFiles(InputOptions* options) {
  if (const Status status = FindFolders(options); !status.ok()) return status;
  return FindInputs(*options);
}

Status CheckHasFiles(const InputOptions& options) {
  if (!options.has_folders || !options.patterns.empty()) return Status();
  return Status(ErrorCode::kInvalidArgument, "the splits have no records");
}

Result<Plan> PlanOfFolder(const InputOptions& options,
                          const std::vector<std::string>& patterns) {
  if constexpr (kHasTfds) {
    const Result<tfds::Columns> columns = Choose(*options.dataset, patterns);
    if (!columns) return columns.status();
    return Plan::Compile(columns->spec);
  } else {
    return Status(ErrorCode::kInvalidArgument, kTfdsLeftOut);
  }
}

std::vector<std::string> KeysOf(const Plan& plan) {
  std::vector<std::string> keys;
  for (const ColumnField& column : plan.columns()) keys.push_back(column.name);
  for (const TensorField& tensor : plan.tensors()) {
    const std::vector<std::string> read = tensor.feature.keys();
    keys.insert(keys.end(), read.begin(), read.end());
  }
  return keys;
}

Status ReplaceByKeys(InputOptions* options) {
  if (!options->dataset || options->features.empty()) return Status();
  const Result<Plan> plan = PlanOfFolder(*options, options->features);
  if (!plan) return plan.status();
  options->features = KeysOf(*plan);
  return Status();
}

LabelNames::LabelNames(const tfds::Info& info) {
  std::vector<const tfds::Node*> waiting = {&info.features};
  while (!waiting.empty()) {
    const tfds::Node& node = *waiting.back();
    waiting.pop_back();
    for (const tfds::Node& child : node.children) waiting.push_back(&child);
    if (node.content != tfds::Content::kLabel || node.label_names.empty()) {
      continue;
    }
    names_[node.path] = node.label_names;
    names_[node.path + "/ragged_flat_values"] = node.label_names;
  }
}

const std::vector<std::string>* LabelNames::Find(std::string_view key) const {
  const auto found = names_.find(key);
  return found == names_.end() ? nullptr : &found->second;
}

std::string LabelNames::Describe(std::string_view key, const Feature& feature,
                                 size_t width) const {
  const std::vector<std::string>* const names = Find(key);
  const std::vector<int64_t>& labels = feature.int64s;
  if (names == nullptr || labels.empty()) return "";
  std::string text;
  for (size_t i = 0; i < labels.size() && i < kMaxLabels; ++i) {
    const int64_t label = labels[i];
    if (i > 0) text += ", ";
    text += std::to_string(label);
    if (label >= 0 && static_cast<size_t>(label) < names->size()) {
      text += " \"" + Printable((*names)[static_cast<size_t>(label)]) + "\"";
    }
  }
  if (labels.size() > kMaxLabels) text += ", ...";
  if (labels.size() > 1) text = "[" + text + "]";
  return Shortened(text, width);
}

std::string PathTree::AddFolders(std::string_view key,
                                 const std::string& indentation, Table* table) {
  const std::vector<std::string> names = absl::StrSplit(std::string(key), '/');
  size_t shared = 0;
  while (shared + 1 < names.size() && shared < open_.size() &&
         names[shared] == open_[shared]) {
    ++shared;
  }
  const auto shown = [&](size_t i) {
    return indentation + std::string(2 * i, ' ') + Printable(names[i]);
  };
  for (size_t i = shared; i + 1 < names.size(); ++i) {
    table->AddRow({shown(i) + "/"});
  }
  open_.assign(names.begin(), names.end() - 1);
  return shown(names.size() - 1);
}

}  // namespace headrace::cli
