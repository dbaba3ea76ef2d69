// Reads dataset_info.json: the splits, and the names of their files, which
// templates make.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/base/text/quote.h"
#include "src/plan/spec/json_value.h"
#include "src/tfds/folder/fields.h"
#include "src/tfds/folder/metadata.h"

namespace headrace::tfds {

using spec::Describe;
using spec::JsonValue;

namespace {

constexpr std::string_view kDefaultTemplate =
    "{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}";

// Limits, because a few bytes of metadata could ask for very much memory.
constexpr size_t kMaxSplits = 10'000;
constexpr size_t kMaxShards = 1'000'000;  // of all splits
constexpr size_t kLongestFileName = 400;

constexpr std::string_view kWords[] = {"DATASET",    "SPLIT",
                                       "FILEFORMAT", "SHARD_INDEX",
                                       "NUM_SHARDS", "SHARD_X_OF_Y"};

// The values of the words in braces in a template, such as {SHARD_X_OF_Y}.
struct FileNameParts {
  std::string_view dataset;
  std::string_view split;
  std::string_view file_format;
  size_t shard = 0;
  size_t num_shards = 0;
};

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
                "the template of its file names has an unknown word, " +
                    Quote(word) + Suggestion(word, "the words", kWords) +
                    " (D4)");
}

// Returns the name of a shard's file (D4). kBadSpec if the template has an
// unknown word in braces, or if the name is empty, is too long or has a NUL.
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
                    "the template of its file names has a brace that is not "
                    "closed (D4)");
    }
    Result<std::string> word = WordText(file_template.substr(0, close), parts);
    if (!word) return word.status();
    name += *word;
    file_template.remove_prefix(close + 1);
  }
  if (name.empty() || name.size() > kLongestFileName) {
    return Status(ErrorCode::kBadSpec,
                  "its template makes a file name that is empty or longer "
                  "than " +
                      Counted(kLongestFileName, "byte") + " (D4)");
  }
  if (name.find('\0') != std::string::npos) {
    return Status(ErrorCode::kBadSpec,
                  "its template makes a file name with a zero byte (D4)");
  }
  return name;
}

Status BadInfo(std::string what) {
  return Status(ErrorCode::kBadSpec, std::move(what));
}

Status BadSplit(const Split& split, const std::string& what) {
  return BadInfo("split " + Quote(split.name) + ": " + what);
}

Status ReadShardLengths(const JsonValue::Array& lengths, Split* split) {
  split->shard_lengths.reserve(lengths.size());
  for (const JsonValue& value : lengths) {
    const auto length = ParseWhole(value);
    if (!length || *length < 0) {
      return BadSplit(*split, "a length in \"shardLengths\" is " +
                                  Describe(value) +
                                  ", not a number of records");
    }
    split->shard_lengths.push_back(static_cast<uint64_t>(*length));
    // Record numbers have 63 bits.
    int64_t sum = 0;
    if (__builtin_add_overflow(static_cast<int64_t>(split->num_examples),
                               *length, &sum)) {
      return BadSplit(*split, "the sum of \"shardLengths\" is 2^63 or more");
    }
    split->num_examples = static_cast<uint64_t>(sum);
  }
  return Status();
}

Status NameFiles(const Info& info, const std::string& file_template,
                 Split* split) {
  const size_t num_shards = split->shard_lengths.size();
  split->files.reserve(num_shards);
  for (size_t i = 0; i < num_shards; ++i) {
    Result<std::string> name = ShardFileName(
        file_template.empty() ? kDefaultTemplate : file_template,
        {info.name, split->name, info.file_format, i, num_shards});
    if (!name) return BadSplit(*split, std::string(name.status().message()));
    // All numbers have the same count of digits, so the names are sorted (D5).
    // Two of them are the same only if the template has no number.
    if (!split->files.empty() && split->files.back() == *name) {
      return BadSplit(*split, "its " + std::to_string(num_shards) +
                                  " files all have the name " + Quote(*name) +
                                  ": the template has no shard number (D4)");
    }
    split->files.push_back(*std::move(name));
  }
  return Status();
}

Status ReadSplit(const JsonValue& value, Info* info) {
  const auto* const object = value.As<JsonValue::Object>();
  if (object == nullptr) {
    return BadInfo("a split is " + Describe(value) + ", not an object (D3)");
  }
  Fields fields(*object);
  Split split = {.name = fields.Text("name")};
  if (split.name.empty()) fields.Complain("\"name\" is missing (D3)");
  const bool is_again = std::ranges::find(info->splits, split.name,
                                          &Split::name) != info->splits.end();
  if (is_again) fields.Complain("it is listed twice");
  const auto* const lengths = fields.List("shard_lengths");
  if (lengths == nullptr) {
    fields.Complain(
        "it has no \"shardLengths\", so its files are unknown "
        "(D8)");
  }
  const std::string file_template = fields.Text("filepath_template");
  const int64_t num_bytes = fields.Whole("num_bytes").value_or(0);
  if (num_bytes < 0) fields.Complain("\"numBytes\" is negative");
  size_t num_shards = lengths == nullptr ? 0 : lengths->size();
  for (const Split& other : info->splits) num_shards += other.files.size();
  if (num_shards > kMaxShards) {
    fields.Complain("up to this split there are more than " +
                    Counted(kMaxShards, "file"));
  }
  if (!fields.problem().empty()) return BadSplit(split, fields.problem());
  split.num_bytes = static_cast<uint64_t>(num_bytes);
  if (Status status = ReadShardLengths(*lengths, &split); !status.ok()) {
    return status;
  }
  if (Status status = NameFiles(*info, file_template, &split); !status.ok()) {
    return status;
  }
  info->splits.push_back(std::move(split));
  return Status();
}

Status CheckFormat(Info* info) {
  if (info->file_format.empty()) info->file_format = "tfrecord";
  if (info->file_format == "tfrecord") return Status();
  return BadInfo("the files are in the format " + Quote(info->file_format) +
                 "; headrace reads \"tfrecord\" (D3)");
}

}  // namespace

Status ReadDatasetInfo(std::string_view text, Info* info) {
  const Result<JsonValue> json = spec::ParseJson(text, kDeepestJson);
  if (!json) return json.status();
  const auto* const object = json->As<JsonValue::Object>();
  if (object == nullptr) {
    return BadInfo("it is " + Describe(*json) + ", not an object (D3)");
  }
  Fields fields(*object);
  info->name = fields.Text("name");
  info->version = fields.Text("version");
  info->config = fields.Text("config_name");
  info->file_format = fields.Text("file_format");
  const auto* const splits = fields.List("splits");
  if (!fields.problem().empty()) return BadInfo(fields.problem());
  if (Status status = CheckFormat(info); !status.ok()) return status;
  if (splits == nullptr) return Status();
  if (splits->size() > kMaxSplits) {
    return BadInfo("it has more than " + Counted(kMaxSplits, "split"));
  }
  for (const JsonValue& split : *splits) {
    if (Status status = ReadSplit(split, info); !status.ok()) return status;
  }
  return Status();
}

}  // namespace headrace::tfds
