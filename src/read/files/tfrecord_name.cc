// Judges files by their names: which ones count as TFRecord, and which are
// never data.

#include <algorithm>
#include <string>

#include "headrace/types.h"
#include "src/read/files/folder.h"
#include "src/read/files/paths.h"

namespace headrace {
namespace {

using reader::IsHiddenName;

constexpr std::string_view kTfrecord[] = {
    ".tfrecord",   ".tfrecords", ".tfrec",      ".tfrecs",
    ".tfr",        ".tf_record", ".tf_records", ".tfexample",
    ".tfexamples", ".record",    ".records"};
// File names of Spark and Hadoop, without the number that follows.
constexpr std::string_view kParts[] = {"part", "part-r", "part-m"};

bool DropTfrecord(std::string_view* name) {
  for (const std::string_view ending : kTfrecord) {
    if (!name->ends_with(ending) || *name == ending) continue;
    name->remove_suffix(ending.size());
    return true;
  }
  return false;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || c == '_'; }

void DropCompression(std::string_view* name) {
  if (CompressionOfName(*name)) *name = name->substr(0, name->rfind('.'));
}

bool DropNumber(std::string_view before, std::string_view* name) {
  std::string_view rest = *name;
  while (!rest.empty() && IsDigit(rest.back())) rest.remove_suffix(1);
  if (rest.size() == name->size() || !rest.ends_with(before)) return false;
  rest.remove_suffix(before.size());
  *name = rest;
  return true;
}

// TensorFlow's checkpoints (x.data-00000-of-00001) and files of tfds
// (x.array_record-00000-of-00010) have an extension; "v1.2-train" does not.
bool HasExtension(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot + 1 == name.size()) return false;
  const std::string_view extension = name.substr(dot + 1);
  return std::all_of(extension.begin(), extension.end(), IsLetter);
}

// Whether `name` may precede the number of a TFRecord file: -00000-of-00010 if
// `is_of_set`, otherwise -00000 or _00000.
bool IsBeforeNumber(std::string_view name, bool is_of_set) {
  if (!is_of_set && std::ranges::find(kParts, name) != std::end(kParts)) {
    return true;
  }
  DropCompression(&name);
  return DropTfrecord(&name) || (is_of_set && !HasExtension(name));
}

}  // namespace

bool HasTfrecordName(std::string_view given) {
  if (IsHiddenName(given)) return false;
  std::string lower(given);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + ('a' - 'A'));
  }
  std::string_view name = lower;
  DropCompression(&name);
  std::string_view rest = name;
  if (DropTfrecord(&rest)) return true;
  if (DropNumber("-of-", &rest)) {
    return DropNumber("-", &rest) && IsBeforeNumber(rest, /*is_of_set=*/true);
  }
  return (DropNumber("-", &rest) || DropNumber("_", &rest)) &&
         IsBeforeNumber(rest, /*is_of_set=*/false);
}

bool IsSideFile(std::string_view name) {
  return IsHiddenName(name) || reader::IsIndexName(name);
}

namespace reader {

bool IsIndexName(std::string_view name) {
  if (!name.ends_with(".hri") && !name.ends_with(".idx")) return false;
  return HasTfrecordName(name.substr(0, name.size() - 4));
}

bool IsEventFile(std::string_view path) {
  return path.substr(path.rfind('/') + 1).find(".tfevents.") !=
         std::string_view::npos;
}

}  // namespace reader
}  // namespace headrace
