// A folder of TFDS: what it holds, which records make a split, and the spec
// that reads its features.
//
//   auto info = tfds::OpenFolder("mnist/3.0.1");
//   if (!info) return info.status();
//   auto slices = tfds::Select(*info, "train[:10%]+test");
//   const std::string wanted[] = {"image", "label"};
//   auto columns = tfds::Choose(*info, wanted);
//   if (!columns) return columns.status();
//   auto plan = Plan::Compile(columns->spec);
//
// TensorFlow Datasets writes such folders: dataset_info.json, features.json and
// TFRecord files. The rules (D1, S3, E6 and so on) are those of
// docs/formats/tfds.md; errors name them. Metadata are checked as far as
// possible. Wrong metadata fail with kBadSpec, with the file and, for a
// feature, its path. Any number of threads may call these functions.

#ifndef HEADRACE_TFDS_H_
#define HEADRACE_TFDS_H_

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "headrace needs C++20: compile with -std=c++20 or later"
#endif

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/export.h"
#include "headrace/feature_spec.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::tfds {

enum class NodeKind : uint8_t {
  kDict,      // named features
  kSequence,  // a list of elements of one feature; Video: a list of images
  kDataset,   // a list whose elements are steps
  kLeaf,
};

// The meaning of the values of a leaf.
enum class Content : uint8_t {
  kTensor,
  kText,   // a string
  kLabel,  // the number of a class, -1 for none
  kImage,  // an encoded file
  kAudio,  // samples, or an encoded file
  kBox,    // ymin, xmin, ymax, xmax
};

// One feature of features.json, with the features inside it (rules F1 to F6).
struct Node {
  std::string name = {};  // in its dict; empty for the root and for elements
  std::string path = {};  // names from the root on, joined by "/"
  std::string class_name = {};  // the name that TFDS uses, such as "Image"
  NodeKind kind = NodeKind::kLeaf;
  // kDict: the features, in the order of the file. kSequence, kDataset: only
  // the element, which has the same path.
  std::vector<Node> children = {};
  int64_t length = -1;  // kSequence, kDataset: -1 if it differs from row to row

  // The members below are only for leaves. If headrace cannot read the feature,
  // `problem` says why, and the node is a leaf, whatever its class.
  std::string problem = {};
  Content content = Content::kTensor;
  // The name of the type in numpy, or "string". For an image, `dtype` and
  // `shape` are those of its pixels.
  std::string dtype = {};
  std::vector<int64_t> shape = {};  // -1: differs from value to value
  // Set if each value is one bytes value that holds the elements in this
  // encoding.
  std::optional<Encoding> encoding = {};
  bool is_file = false;      // each value is an encoded file, as bytes
  bool optional = false;     // records may lack it
  std::string format = {};   // "png", "jpeg", "wav"; empty if not stated
  int64_t num_classes = -1;  // of labels; -1 if not stated
  // The names of the classes, num_classes of them; empty if there is no file of
  // names.
  std::vector<std::string> label_names = {};
};

struct Split {
  std::string name = {};
  std::vector<uint64_t> shard_lengths = {};  // records of each file
  std::vector<std::string> files = {};       // relative to the folder
  uint64_t num_examples = 0;                 // the sum of shard_lengths
  uint64_t num_bytes = 0;                    // of payloads; 0 if not stated
};

struct Info {
  std::string folder = {};  // the one that holds dataset_info.json
  std::string name = {};
  std::string version = {};
  std::string config = {};  // empty if there is none
  std::string file_format = {};
  std::vector<Split> splits = {};  // in the order of the file
  Node features = {};
};

struct FolderOptions {
  // Allow files outside the folder: the template of file names may lead out of
  // it by "..", an absolute path, or a link. By default such a file is
  // kInvalidArgument.
  bool outside_files = false;
};

// Reads the two JSON files and the names of labels; no other file is opened.
// `folder` may also hold versions, of which the highest is used (D1). kNotFound
// if the folder or one of the files does not exist.
HEADRACE_EXPORT Result<Info> OpenFolder(const std::string& folder,
                                        const FolderOptions& options = {});

// Makes an Info from the texts of the files, without folder and label names.
HEADRACE_EXPORT Result<Info> ParseInfo(std::string_view dataset_info,
                                       std::string_view features);

// Returns whether the path is a folder that OpenFolder would search: a folder
// that has dataset_info.json, or that holds folders of versions or configs. It
// never fails.
HEADRACE_EXPORT bool IsFolder(const std::string& path);

// A run of records of one file.
struct Slice {
  size_t split = 0;       // in Info::splits
  size_t shard = 0;       // in Split::files
  std::string path = {};  // with the folder in front
  uint64_t skip = 0;      // the first record of the run
  uint64_t take = 0;      // number of records, never 0
  uint64_t records = 0;   // number of records in the whole file (D5)
};

// Returns the runs that an expression such as "train[:10%]+test" names, in
// order; "all" is every split (rules S1 to S5). kInvalidArgument for text that
// is not an expression. If the Info has a folder, the files must exist: the
// folder is listed, but the files are not opened. kNotFound names the first
// missing file.
HEADRACE_EXPORT Result<std::vector<Slice>> Select(
    const Info& info, std::string_view expression,
    const FolderOptions& options = {});

// How a row holds the tensor of a leaf, which has the dimensions `lengths`,
// then `shape`.
struct Leaf {
  std::vector<std::string> names = {};  // the names of its path
  const std::string& path() const { return node.path; }
  Node node = {};
  std::vector<int64_t> lengths = {};  // of the sequences around it; -1 unknown
  std::vector<int64_t> shape = {};    // of a value: of `node`; [] for files
  std::string dtype = {};             // of a value; "string" for files
  // The path of the Dataset around it; lengths[0] is the number of its steps.
  std::optional<std::string> dataset = {};
};

// The spec has one feature for each leaf, in the same order, named by its path.
struct Columns {
  FeatureSpec spec = FeatureSpec();
  std::vector<Leaf> leaves = {};
  // The paths, as lists of names, of dicts without features: no leaf has such a
  // dict in its path (R5).
  std::vector<std::vector<std::string>> empty_dicts = {};
};

// Chooses leaves by path, in the order of the tree, and says how to read them
// (rules E1 to E10, X3). A path of a dict or sequence chooses all leaves inside
// it; * and ? match characters of one name ("steps/observation/*", "*/label").
// An empty list of patterns chooses all leaves. kInvalidArgument for a pattern
// that matches nothing, with a suggestion; kBadSpec for a chosen leaf that
// cannot be read.
HEADRACE_EXPORT Result<Columns> Choose(
    const Info& info, std::span<const std::string> patterns = {});

// Returns an indented tree for people: a line for each feature, with types and
// labels.
HEADRACE_EXPORT std::string ToTree(const Node& root);

// Return JSON of all members; docs/formats/tfds.md lists the keys.
HEADRACE_EXPORT std::string ToJson(const Info& info);
HEADRACE_EXPORT std::string ToJson(const Columns& columns);

}  // namespace headrace::tfds

#endif  // HEADRACE_TFDS_H_
