// The module headrace._core, with the C++ API as Python classes. Users import
// headrace/*.py, which wraps it.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "headrace/reader.h"
#include "headrace/record_writer.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/plan.h"
#include "python/src/saved.h"
#include "python/src/spec.h"
#include "src/base/leaves.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/base/text/visible_text.h"
#include "src/read/files/paths.h"
#include "src/read/reader/build_info.h"
#include "src/read/reader/byte_reader.h"

namespace headrace::python {

void BindDataset(nb::module_& m);
void BindOptions(nb::module_& m);
void BindOrder(nb::module_& m);
void BindIndex(nb::module_& m);
void BindParts(nb::module_& m);
void BindReader(nb::module_& m);
void BindSchema(nb::module_& m);
void BindStats(nb::module_& m);
void BindSteps(nb::module_& m);
void BindTfds(nb::module_& m);
void BindWriter(nb::module_& m);

namespace {

nb::dict BuildInfoDict() {
  const BuildInfo info = GetBuildInfo();
  nb::dict dict;
  dict["version"] = info.version;
  dict["compiler"] = info.compiler;
  dict["targets"] = info.targets;
  dict["target"] = info.target;
  dict["crc"] = info.crc;
  dict["inflate"] = info.inflate;
  return dict;
}

nb::list PathsOf(const std::vector<nb::bytes>& patterns) {
  std::vector<std::string> texts;
  for (const nb::bytes& pattern : patterns) {
    texts.emplace_back(pattern.c_str(), pattern.size());
  }
  nb::list paths;
  for (const std::string& path : Check(ExpandPaths(texts))) {
    paths.append(ToPath(path));
  }
  return paths;
}

// Whether a file is compressed, detected from its first bytes as readers do.
bool IsCompressed(const nb::bytes& path) {
  const auto file = ByteReader::Open({path.c_str(), path.size()});
  Check(file.status());
  return file->compression() != Compression::kNone;
}

nb::list TextsOf(std::span<const LeftOutFile> left_out) {
  nb::list texts;
  for (const std::string& text : DescribeLeftOut(left_out)) {
    texts.append(ToPath(text));
  }
  return texts;
}

// Returns the files of local folders, and texts to warn of: files that were
// left out and may have records.
nb::tuple LookForFilesOf(const nb::bytes& path) {
  const std::string pattern(path.c_str(), path.size());
  FoundFiles found = Check(LookForFiles({&pattern, 1}));
  nb::list files;
  for (const std::string& file : found.files) files.append(ToPath(file));
  std::erase_if(found.left_out,
                [](const LeftOutFile& left) { return !left.may_have_records; });
  return nb::make_tuple(files, TextsOf(found.left_out));
}

// Returns the same warnings for files of other file systems, each with its
// first bytes, or None if these are not known.
nb::list DescribeRest(const std::vector<std::string>& paths,
                      const std::vector<std::optional<nb::bytes>>& heads,
                      const std::vector<std::string>& folders) {
  std::vector<LeftOutFile> left_out;
  for (size_t i = 0; i < paths.size(); ++i) {
    LeftOutFile left = {.path = paths[i],
                        .reason = "not named as TFRecord, and not looked at"};
    if (heads[i]) {
      const auto* const data =
          reinterpret_cast<const uint8_t*>(heads[i]->c_str());
      left = Check(JudgeLeftOut(paths[i], {data, heads[i]->size()}));
    }
    if (left.may_have_records) left_out.push_back(std::move(left));
  }
  for (const std::string& folder : folders) {
    left_out.push_back(
        {.path = folder,
         .reason = "a folder; folders in a folder are not read"});
  }
  return TextsOf(left_out);
}

nb::list RemoveStaleIndexesOf(const nb::bytes& path) {
  nb::list left;
  for (const std::string& index :
       RemoveStaleIndexes({path.c_str(), path.size()})) {
    left.append(ToPath(index));
  }
  return left;
}

bool MatchesGlobOf(const std::string& pattern, const std::string& path) {
  return Check(MatchesGlob(pattern, path));
}

}  // namespace
}  // namespace headrace::python

NB_MODULE(_core, m) {
  using namespace headrace::python;
  // Arrays in other libraries may outlive the interpreter.
  nb::set_leak_warnings(false);
  BindTensor(m);
  BindSparseAndRagged(m);
  BindColumn(m);
  BindBatch(m);
  BindSaved(m);
  BindSpec(m);
  BindPlan(m);
  BindDataset(m);
  BindOptions(m);
  BindOrder(m);
  BindIndex(m);
  BindReader(m);
  BindParts(m);
  BindSchema(m);
  nb::dict left_out;
  if constexpr (headrace::kHasStats) {
    BindStats(m);
  } else {
    left_out["stats"] = headrace::kStatsLeftOut;
  }
  if constexpr (headrace::kHasTfds) {
    BindSteps(m);
    BindTfds(m);
  } else {
    left_out["tfds"] = headrace::kTfdsLeftOut;
  }
  m.attr("LEFT_OUT") = left_out;
  BindWriter(m);
  m.def("build_info", &BuildInfoDict);
  m.def("expand_paths", &PathsOf);
  m.def("is_compressed", &IsCompressed);
  m.def("remove_stale_indexes", &RemoveStaleIndexesOf);
  m.def("look_for_files", &LookForFilesOf);
  m.def("describe_rest", &DescribeRest);
  m.def("matches_glob", &MatchesGlobOf);
  m.def("is_side_file", &headrace::IsSideFile);
  m.def("has_tfrecord_name", &headrace::HasTfrecordName);
  m.def("is_visible", &headrace::IsVisible, nb::arg("code_point"));
  m.def("did_you_mean",
        nb::overload_cast<std::string_view, const std::vector<std::string>&>(
            &headrace::DidYouMean));
  m.def("counted", &headrace::Counted);
}
