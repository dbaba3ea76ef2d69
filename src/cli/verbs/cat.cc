// headrace cat: writes every record as one line of JSON, or its payload
// unchanged.

#include <memory>
#include <string>

#include "headrace/output_file.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/process/console.h"
#include "src/cli/progress.h"
#include "src/cli/record_input.h"
#include "src/exchange/json/json_lines.h"

namespace headrace::cli {
namespace {

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
  const Console console(options.input.quiet);
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
  auto options = std::make_shared<CatOptions>();
  CLI::App* const verb =
      AddVerb(app, "cat", "Print every record as a line of JSON");
  AddFiles(verb, &options->input);
  AddEnum<CatFormat>(
      verb, "--format", &options->format,
      {{"jsonl", CatFormat::kJsonl}, {"raw", CatFormat::kRaw}},
      "jsonl (default), or raw: the payloads one after another, with nothing "
      "between them");
  AddReading(verb, &options->input, "message");
  AddCompression(verb, &options->input.compression,
                 "Of the input (default auto: found from the bytes)");
  AddReading(verb, &options->input, "byte_range");
  AddPolicies(verb, &options->input, /*has_rows=*/true);
  Finish(
      verb,
      "The lines lose nothing: headrace convert --from jsonl reads them back.\n"
      "\n"
      "Example:\n"
      "  headrace cat train.tfrecord | jq -c '.age'",
      action, [options] { return Cat(*options); });
}

}  // namespace headrace::cli
