// Templates of the names of shards (D4).

#include <algorithm>
#include <string>
#include <string_view>

#include "src/base/text/near_miss.h"
#include "src/base/text/quote.h"
#include "src/tfds/folder/dataset_info.h"

namespace headrace::tfds {
namespace {

constexpr std::string_view kWords[] = {"DATASET",    "SPLIT",
                                       "FILEFORMAT", "SHARD_INDEX",
                                       "NUM_SHARDS", "SHARD_X_OF_Y"};

std::string WithZeros(size_t number, size_t digits) {
  const std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

Result<std::string> WordText(std::string_view word,
                             const FileNameParts& parts) {
  const size_t digits =
      std::max<size_t>(5, std::to_string(parts.num_shards).size());
  const std::string index = WithZeros(parts.shard, digits);
  const std::string number = WithZeros(parts.num_shards, digits);
  if (word == "DATASET") return std::string(parts.dataset);
  if (word == "SPLIT") return std::string(parts.split);
  if (word == "FILEFORMAT") return std::string(parts.file_format);
  if (word == "SHARD_INDEX") return index;
  if (word == "NUM_SHARDS") return number;
  if (word == "SHARD_X_OF_Y") return index + "-of-" + number;
  return Status(ErrorCode::kBadSpec,
                "the template of its files has " + Quote(word) + " in braces" +
                    Suggestion(word, "the words", kWords) + " (D4)");
}

}  // namespace

Result<std::string> ShardFileName(std::string_view file_template,
                                  const FileNameParts& parts) {
  std::string name;
  while (!file_template.empty() && name.size() <= kLongestFileName) {
    const size_t open = file_template.find('{');
    name += file_template.substr(0, open);
    if (open == std::string_view::npos) break;
    file_template.remove_prefix(open + 1);
    const size_t close = file_template.find('}');
    if (close == std::string_view::npos) {
      return Status(ErrorCode::kBadSpec,
                    "a brace of the template of its files is not closed (D4)");
    }
    Result<std::string> word = WordText(file_template.substr(0, close), parts);
    if (!word) return word.status();
    name += *word;
    file_template.remove_prefix(close + 1);
  }
  if (name.empty() || name.size() > kLongestFileName) {
    return Status(ErrorCode::kBadSpec,
                  "the name of a file is empty, or has more than " +
                      std::to_string(kLongestFileName) + " bytes (D4)");
  }
  if (name.find('\0') != std::string::npos) {
    return Status(ErrorCode::kBadSpec, "the name of a file has a NUL (D4)");
  }
  return name;
}

}  // namespace headrace::tfds
