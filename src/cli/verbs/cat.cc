// headrace cat: writes every record as one line of JSON, or its payload
// unchanged.

#include "headrace/output_file.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/exchange/json/json_lines.h"

namespace headrace::cli {
namespace {

constexpr char kCatNotes[] =
    R"(The lines lose nothing: headrace convert --from jsonl reads them back.

Example:
  headrace cat train.tfrecord | jq -c '.age')";

enum class CatFormat : uint8_t { kJsonl, kRaw };

struct CatOptions {
  InputOptions input;
  CatFormat format = CatFormat::kJsonl;
};

Status WriteRecords(const CatOptions& options, const Console& console,
                    RecordInput* input, OutputFile* out) {
  Progress progress("cat", console, "-");
  const bool raw_bytes = options.format == CatFormat::kRaw;
  const bool to_terminal = StandardOutputIsTerminal();
  JsonLineWriter writer(input->message());
  std::string line;
  auto record = input->Next();
  for (; record; record = input->Next()) {
    progress.Update(input->stored_position(), input->stored_size());
    line.clear();
    if (raw_bytes) {
      line = record->record.payload;
    } else {
      Status status = writer.Append(record->record.payload, &line);
      if (!status.ok()) {
        status = input->SkipRow(input->WithPlace(status, *record));
        if (!status.ok()) return status;
        continue;
      }
    }
    if (to_terminal) line = ForStandardOutput(line);
    if (!raw_bytes) line += '\n';
    if (Status status = out->Write(line); !status.ok()) return status;
  }
  return record.status();
}

ExitCode Cat(CatOptions options) {
  const Console console = options.input.console();
  if (const Status status = FindFolders(&options.input); !status.ok()) {
    return Complain(status);
  }
  Result<RecordInput> input = RecordInput::Open(options.input);
  if (!input) return Complain(input.status());
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  if (options.format == CatFormat::kJsonl) input->DecideMessage(console);
  const Status status = WriteRecords(options, console, &*input, &*out);
  // Rows before an error are written first, and the error is still reported.
  const Status closed = out->Close();
  if (!closed.ok() && StandardOutputIsGone()) return kExitOk;
  ListLosses(input->report(), console);
  if (!status.ok()) return ComplainAboutInput(status, *input);
  return ExitCodeOfOutput(closed);
}

}  // namespace

void AddCat(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<CatOptions>(
      app, action, "cat", "Print every record as a line of JSON", kCatNotes,
      Cat);
  AddFiles(verb, &options->input);
  AddEnum<CatFormat>(
      verb, "--format", &options->format,
      {{"jsonl", CatFormat::kJsonl}, {"raw", CatFormat::kRaw}},
      "jsonl (default), or raw: the payloads one after another, with nothing "
      "between them");
  AddReading(verb, &options->input, {"message", "compression", "byte_range"});
  AddPolicies(verb, &options->input, /*has_rows=*/true);
}

}  // namespace headrace::cli
