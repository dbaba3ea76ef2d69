// headrace split: prints parts of files, for tasks that share them.

#include "headrace/output_file.h"
#include "src/base/json/json_writer.h"
#include "src/cli/options.h"
#include "src/read/reader/parts.h"

namespace headrace::cli {
namespace {

constexpr char kSplitNotes[] =
    R"(A record belongs to the range in which it begins, so ranges may have any
bounds. A compressed file has one range, unless headrace wrote it or it has
an index. Several files have about N ranges together, and at least
one each.

Example:
  headrace split big.tfrecord -n 64
  headrace convert big.tfrecord --range 0:67108864 -o part-0.arrow)";

struct SplitOptions {
  InputOptions input;
  uint64_t parts = 0;
  bool json = false;
};

std::string SplitsJson(const std::vector<FilePart>& parts) {
  return JsonObject([&](JsonWriter& json) {
    json.AddList("splits", parts, [&](const FilePart& part) {
      json.Object([&] {
        json.Add("path", part.file);
        json.Add("begin", part.range.begin);
        if (part.range == ByteRange()) return json.AddNull("end");
        json.Add("end", part.range.end);
      });
    });
  });
}

// One line per part: the range as --range accepts it, a tab, the file.
std::string LineOf(const FilePart& part) {
  std::string end;
  if (part.range != ByteRange()) end = std::to_string(part.range.end);
  return std::to_string(part.range.begin) + ":" + end + "\t" + part.file + "\n";
}

ExitCode Split(const SplitOptions& options) {
  const auto files = FindInputs(options.input);
  if (!files) return Complain(files.status());
  const auto parts = CutFiles(*files, options.parts,
                              {.compression = options.input.compression});
  if (!parts) return Complain(parts.status());
  if (options.json) return PrintLines(SplitsJson(*parts) + "\n");
  std::string text;
  for (const FilePart& part : *parts) text += LineOf(part);
  return PrintLines(text);
}

}  // namespace

void AddSplit(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<SplitOptions>(
      app, action, "split", "Print ranges of bytes for tasks that share files",
      kSplitNotes, Split);
  AddFiles(verb, &options->input);
  AddCountOption(verb, "-n,--parts", &options->parts,
                 "How many ranges, of about equal size");
  AddJson(verb, &options->json);
  AddReading(verb, &options->input, {"compression"});
}

}  // namespace headrace::cli
