// The module headrace._core. Other files bind the C++ API as Python classes.
// This file has functions about names of files, their indexes and parts, the
// order of rows, and texts. Users import headrace/*.py, which wraps the module.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "headrace/index.h"
#include "headrace/order.h"
#include "headrace/reader.h"
#include "headrace/record_writer.h"
#include "python/src/batch.h"
#include "python/src/error.h"
#include "python/src/ndarray.h"
#include "python/src/plan.h"
#include "python/src/reader/input.h"
#include "python/src/reader/options.h"
#include "python/src/spec.h"
#include "src/base/leaves.h"
#include "src/base/text/display_text.h"
#include "src/base/text/near_miss.h"
#include "src/base/text/numbers.h"
#include "src/read/files/paths.h"
#include "src/read/reader/build_info.h"
#include "src/read/reader/byte_reader.h"
#include "src/read/reader/parts.h"

namespace headrace::python {

void BindDataset(nb::module_& m);
void BindOptions(nb::module_& m);
void BindReader(nb::module_& m);
void BindStats(nb::module_& m);
void BindTfds(nb::module_& m);
void BindVocabulary(nb::module_& m);
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
  return ToList(Check(ExpandPaths(StringsOf(patterns))), &ToPath);
}

// Whether a file is compressed, detected from its first bytes as readers do.
bool IsCompressed(const nb::bytes& path) {
  const auto file = Check(ByteReader::Open(std::string(ViewOf(path))));
  return file.compression() != Compression::kNone;
}

// Returns the files that a local path stands for, and the texts of warnings:
// about files that were left out and may have records.
nb::tuple LookForFilesOf(const nb::bytes& path) {
  const std::string pattern(ViewOf(path));
  FoundFiles found = Check(LookForFiles({&pattern, 1}));
  std::erase_if(found.left_out,
                [](const LeftOutFile& left) { return !left.may_have_records; });
  return nb::make_tuple(ToList(found.files, &ToPath),
                        ToList(DescribeLeftOut(found.left_out), &ToPath));
}

// Returns the texts of the same warnings about files of other file systems.
// `heads` has the first bytes of each file, or None where they are not known.
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
        {.path = folder, .reason = "a folder; subfolders are not read"});
  }
  return ToList(DescribeLeftOut(left_out), &ToPath);
}

nb::list RemoveStaleIndexesOf(const nb::bytes& path) {
  return ToList(RemoveStaleIndexes(std::string(ViewOf(path))), &ToPath);
}

bool MatchesGlobOf(const std::string& pattern, const std::string& path) {
  return Check(MatchesGlob(pattern, path));
}

// The GIL must not be held.
Status BuildAndSave(const std::string& path, const std::string& index_path,
                    const IndexOptions& options) {
  Result<Index> index = Index::Build(path, options);
  return index.ok() ? index->Save(index_path, {.stays_in_folder = true})
                    : index.status();
}

// `progress` is called with the number of bytes done and of all bytes, and
// returns whether to stop.
void BuildIndex(const nb::bytes& path, const nb::bytes& index_path, bool verify,
                uint64_t checkpoint_bytes, size_t threads,
                const nb::object& opener, const nb::object& progress) {
  const auto pending = std::make_shared<PendingException>();
  IndexOptions options{.verify = verify,
                       .checkpoint_bytes = checkpoint_bytes,
                       .threads = threads};
  options.open_input = OpenByPython(opener, pending);
  options.progress = ReportTo(progress, pending);
  const std::string from(ViewOf(path)), to(ViewOf(index_path));
  pending->Check(WithoutGil([&] { return BuildAndSave(from, to, options); }));
}

// Cuts files into parts for headrace.split.
nb::list CutFilesIn(const std::vector<nb::bytes>& names, uint64_t count,
                    const nb::dict& given, const nb::object& opener) {
  const auto pending = std::make_shared<PendingException>();
  CutOptions options = OptionsFrom<CutOptions>(given);
  options.open_input = OpenByPython(opener, pending);
  const std::vector<std::string> paths = StringsOf(names);
  const auto cut = WithoutGil([&] { return CutFiles(paths, count, options); });
  pending->Check(cut.status());
  return ToList(*cut, [](const FilePart& part) {
    return nb::make_tuple(ToPath(part.file), part.range.begin,
                          ToEnd(part.range.end));
  });
}

using Positions =
    nb::ndarray<uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Replaces each position, which must be below `rows`, by the row at this
// position of an order.
void PositionsToRows(uint64_t rows, uint64_t seed, uint64_t epoch,
                     uint64_t block, uint64_t window,
                     const Positions& positions, uint64_t lanes,
                     uint64_t turn) {
  const std::span<uint64_t> values(positions.data(), positions.size());
  const OrderOptions options = {.rows = rows,
                                .seed = seed,
                                .epoch = epoch,
                                .block = block,
                                .window = window,
                                .lanes = lanes,
                                .turn = turn};
  Check(WithoutGil([&] {
    const Result<Order> order = Order::Make(options);
    return order ? order->RowsAt(values, values) : order.status();
  }));
}

}  // namespace
}  // namespace headrace::python

NB_MODULE(_core, m) {
  using namespace headrace::python;
  // Arrays in other libraries may outlive the interpreter.
  nb::set_leak_warnings(false);
  BindTensors(m);
  BindColumn(m);
  BindBatch(m);
  BindSpec(m);
  BindPlan(m);
  BindDataset(m);
  BindOptions(m);
  BindReader(m);
  nb::dict left_out;
  if constexpr (headrace::kHasStats) {
    BindStats(m);
  } else {
    left_out["stats"] = headrace::kStatsLeftOut;
  }
  if constexpr (headrace::kHasTfds) {
    BindTfds(m);
  } else {
    left_out["tfds"] = headrace::kTfdsLeftOut;
  }
  m.attr("LEFT_OUT") = left_out;
  BindVocabulary(m);
  BindWriter(m);
  m.def("build_info", &BuildInfoDict);
  m.def("build_index", &BuildIndex, nb::arg("path"), nb::arg("index_path"),
        nb::arg("verify"), nb::arg("checkpoint_bytes"), nb::arg("threads"),
        nb::arg("opener").none(), nb::arg("progress"));
  m.def("cut_files", &CutFilesIn, nb::arg("paths"), nb::arg("count"),
        nb::arg("options"), nb::arg("opener").none());
  m.def("order", &PositionsToRows, nb::arg("rows"), nb::arg("seed"),
        nb::arg("epoch"), nb::arg("block"), nb::arg("window"),
        nb::arg("positions").noconvert(), nb::arg("lanes") = 1,
        nb::arg("turn") = 1);
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
