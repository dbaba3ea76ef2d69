// headrace head: shows the first records to people.

#include <algorithm>
#include <optional>
#include <set>

#include "headrace/output_file.h"
#include "src/cli/folders.h"
#include "src/cli/options.h"
#include "src/cli/output/projection.h"
#include "src/cli/record_input.h"
#include "src/cli/text/display_text.h"
#include "src/cli/text/value_text.h"
#include "src/exchange/json/json_lines.h"

namespace headrace::cli {
namespace {

// The maximum number of records that may become a table; more records are shown
// one below the other.
constexpr uint64_t kMaxTableRows = 1000;
constexpr size_t kCellWidth = 40;

constexpr char kHeadNotes[] =
    R"(In a table - means that the record does not have the feature, null
that the feature has no kind; [] is an empty list. With --message raw,
payloads are shown as protobuf writes them, whatever message they hold:
one line per field, with its number, type and value.

Example:
  headrace head -n 3 --features age,name train.tfrecord)";

enum class HeadFormat : uint8_t { kTable, kJsonl };

struct HeadOptions {
  InputOptions input;
  uint64_t count = 10;
  uint64_t skip = 0;
  HeadFormat format = HeadFormat::kTable;
};

struct Shown {
  uint64_t number = 0;
  uint64_t size = 0;
  std::string file;
  Message message = {};
  std::string bytes = {};  // kRaw: the payload; kJsonl: the line
};

std::string ShownKey(const std::string& key) {
  return "  " + Shortened(Printable(key), kCellWidth);
}

// Returns how much of the width keys, kinds and counts leave for values.
size_t RoomForValues(const Message& message, size_t width) {
  size_t key_width = 0;
  size_t most = 0;
  const auto measure = [&](const auto& entries) {
    for (const auto& [key, values] : entries) {
      key_width = std::max(key_width, DisplayWidth(ShownKey(key)));
      most = std::max(most, values.size());
    }
  };
  measure(message.features);
  measure(message.feature_lists);
  constexpr size_t kKindWidth = 5;
  constexpr size_t kGaps = 3 * 2;
  const size_t used =
      key_width + kKindWidth + std::to_string(most).size() + kGaps;
  return width > used + kCellWidth ? width - used : kCellWidth;
}

// Turns the Examples of a list into steps, to show them feature by feature,
// with null where an Example lacks the feature.
void ShowByFeature(Message* message) {
  for (size_t i = 0; i < message->examples.size(); ++i) {
    for (const auto& [key, feature] : message->examples[i].features) {
      std::vector<Feature>& steps = message->feature_lists[key];
      steps.resize(i);
      steps.push_back(feature);
    }
  }
  for (auto& [key, steps] : message->feature_lists) {
    if (message->type != MessageType::kElwc) break;
    steps.resize(message->examples.size());
  }
}

class Head {
 public:
  Head(const HeadOptions& options, RecordInput input, OutputFile out)
      : options_(options),
        console_(options.input.console()),
        projection_(options.input.features),
        input_(std::move(input)),
        out_(std::move(out)) {
    if (options.input.dataset) labels_ = LabelNames(*options.input.dataset);
  }

  ExitCode Run();

 private:
  Status ShowAll();
  Status Show(Shown shown);
  // Writes the records that wait for a layout.
  Status ShowHeld();
  Result<std::optional<Shown>> Next();
  Status Read(const InputRecord& record, Shown* shown);
  std::string Block(const Shown& shown) const;
  // Returns labels of a folder with their names, other values unchanged.
  std::string Value(const std::string& key, const Feature& feature,
                    size_t width) const;
  std::string BlockTitle(const Shown& shown) const;
  // Returns the held records as rows of one table; empty if they do not fit.
  std::string Wide() const;

  HeadOptions options_;
  Console console_;
  Projection projection_;
  LabelNames labels_;
  RecordInput input_;
  OutputFile out_;
  std::optional<JsonLineWriter> writer_;
  std::vector<Shown> held_;
  uint64_t num_shown_ = 0;
};

Result<std::optional<Shown>> Head::Next() {
  while (true) {
    auto record = input_.Next();
    if (!record.ok()) return record.status();
    if (!record) return std::optional<Shown>();
    if (options_.skip > 0) {
      --options_.skip;
      continue;
    }
    Shown shown{.number = record->record.number,
                .size = record->record.payload.size(),
                .file = input_.files()[record->file]};
    Status status = Read(*record, &shown);
    if (status.ok()) return std::optional<Shown>(std::move(shown));
    status = input_.SkipRow(status);
    if (!status.ok()) return status;
  }
}

// Fills in the part of `shown` that its format needs.
Status Head::Read(const InputRecord& record, Shown* shown) {
  if (options_.format == HeadFormat::kJsonl) {
    return input_.WithPlace(
        writer_->Append(record.record.payload, &shown->bytes), record);
  }
  if (input_.message() == MessageType::kRaw) {
    shown->bytes = record.record.payload;
    return Status();
  }
  Result<Message> message = input_.Parse(record);
  if (!message.ok()) return message.status();
  shown->message = *std::move(message);
  projection_.Apply(&shown->message);
  ShowByFeature(&shown->message);
  return Status();
}

std::string Head::BlockTitle(const Shown& shown) const {
  std::string title =
      "record " + std::to_string(shown.number) + ", " + ByteSize(shown.size);
  if (input_.files().size() > 1) title += ", " + Printable(shown.file);
  return UseColor() ? "\x1b[1m" + title + "\x1b[0m\n" : title + "\n";
}

std::string Head::Value(const std::string& key, const Feature& feature,
                        size_t width) const {
  const std::string labels = labels_.Describe(key, feature, width);
  return labels.empty() ? DescribeFeature(feature, width) : labels;
}

std::string Head::Block(const Shown& shown) const {
  const size_t width = TerminalWidth();
  Table table({"", "", ">", ""});
  if (input_.message() == MessageType::kRaw) {
    return BlockTitle(shown) + WireText(shown.bytes, width);
  }
  const size_t room = RoomForValues(shown.message, width);
  PathTree tree;
  const char* const label =
      shown.message.type == MessageType::kElwc ? "list" : "steps";
  for (const auto& [key, feature] : shown.message.features) {
    std::string name = ShownKey(key);
    if (options_.input.dataset) name = tree.AddFolders(key, "  ", &table);
    table.AddRow({name, std::string(KindName(feature.kind)),
                  std::to_string(feature.size()), Value(key, feature, room)});
  }
  for (const auto& [key, steps] : shown.message.feature_lists) {
    table.AddRow({ShownKey(key), label, std::to_string(steps.size()),
                  DescribeSteps(steps, shown.message.type, room)});
  }
  return BlockTitle(shown) + table.ToString(width, false);
}

std::string Head::Wide() const {
  if (input_.message() == MessageType::kRaw) return "";
  std::set<std::string> context, lists;
  for (const Shown& shown : held_) {
    for (const auto& entry : shown.message.features) {
      context.insert(entry.first);
    }
    for (const auto& entry : shown.message.feature_lists) {
      lists.insert(entry.first);
    }
  }
  const size_t width = TerminalWidth();
  // Not even the gaps would fit.
  if (2 * (context.size() + lists.size()) > width) return "";
  std::vector<std::string> headings = {">record"};
  for (const std::string& name : context) headings.push_back(Printable(name));
  for (const std::string& name : lists) {
    headings.push_back(Printable(name) + "[]");
  }
  Table table(std::move(headings));
  for (const Shown& shown : held_) {
    const Message& message = shown.message;
    std::vector<std::string> cells = {std::to_string(shown.number)};
    for (const std::string& name : context) {
      const auto it = message.features.find(name);
      cells.push_back(it == message.features.end()
                          ? "-"
                          : Value(name, it->second, kCellWidth));
    }
    for (const std::string& name : lists) {
      const auto it = message.feature_lists.find(name);
      cells.push_back(
          it == message.feature_lists.end()
              ? "-"
              : DescribeSteps(it->second, message.type, kCellWidth));
    }
    table.AddRow(std::move(cells));
  }
  if (table.NaturalWidth() > width) return "";
  return table.ToString(width, UseColor());
}

Status Head::ShowHeld() {
  std::string text = held_.empty() ? "" : Wide();
  if (text.empty()) {
    for (const Shown& shown : held_) text += Block(shown);
  }
  held_.clear();
  return out_.Write(text);
}

Status Head::Show(Shown shown) {
  if (options_.format == HeadFormat::kJsonl) {
    return out_.Write(ForStandardOutput(shown.bytes) + "\n");
  }
  if (options_.count > kMaxTableRows) return out_.Write(Block(shown));
  held_.push_back(std::move(shown));
  return Status();
}

Status Head::ShowAll() {
  for (uint64_t i = 0; i < options_.count; ++i) {
    auto shown = Next();
    if (!shown.ok()) return shown.status();
    if (!shown) break;
    ++num_shown_;
    if (Status status = Show(*std::move(shown)); !status.ok()) return status;
  }
  return Status();
}

ExitCode Head::Run() {
  writer_.emplace(
      input_.DecideMessage(console_),
      [this](std::string_view name) { return projection_.Keeps(name); });
  const Status status = ShowAll();
  Status written = ShowHeld();
  if (written.ok()) written = out_.Close();
  if (!written.ok() && StandardOutputIsGone()) return kExitOk;
  ListLosses(input_.report(), console_);
  if (!status.ok()) return ComplainAboutInput(status, input_);
  if (num_shown_ > 0 && !options_.input.dataset) {
    const Status seen = projection_.CheckSeen("record shown");
    if (!seen.ok()) return Complain(seen);
  }
  return ExitCodeOfOutput(written);
}

ExitCode RunHead(HeadOptions options) {
  Status status = FindFolders(&options.input);
  if (status.ok()) status = ReplaceByKeys(&options.input);
  if (!status.ok()) return Complain(status);
  Result<RecordInput> input = RecordInput::Open(options.input);
  if (!input) return Complain(input.status());
  Result<OutputFile> out = OutputFile::Open("-");
  if (!out) return Complain(out.status());
  return Head(options, *std::move(input), *std::move(out)).Run();
}

}  // namespace

void AddHead(CLI::App* app, Action* action) {
  const auto [verb, options] = AddVerb<HeadOptions>(
      app, action, "head", "Show the first records", kHeadNotes, RunHead);
  AddFiles(verb, &options->input);
  AddCountOption(verb, "-n,--records", &options->count,
                 "How many records (default 10)");
  AddCountOption(verb, "--skip", &options->skip, "Leave out the first N");
  AddNames(verb, "--features", &options->input.features, "Only these features");
  AddEnum<HeadFormat>(
      verb, "--format", &options->format,
      {{"table", HeadFormat::kTable}, {"jsonl", HeadFormat::kJsonl}},
      "table (default) shortens long values; jsonl has one whole record per "
      "line");
  AddReading(verb, &options->input, {"message", "compression"});
  AddPolicies(verb, &options->input, /*has_rows=*/true);
}

}  // namespace headrace::cli
