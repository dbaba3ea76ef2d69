// The table of reading options: the only place that says what each option is
// called, where its value goes, and which functions take it.
//
// C's JSON, Python's keywords and the program's options are all read with it.
// `headrace._core.read_options()` returns it to Python, which has no other list
// of names. To add an option, add the member to ReadOptions (and to
// DatasetOptions, if datasets take it) and a row here.

#ifndef HEADRACE_SRC_READ_READER_OPTION_TABLE_H_
#define HEADRACE_SRC_READ_READER_OPTION_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "headrace/index.h"
#include "headrace/reader.h"

namespace headrace {

// Functions and classes that take reading options.
enum OptionTaker : uint32_t {
  kForReader = 1 << 0,   // headrace.open
  kForDataset = 1 << 1,  // headrace.Dataset
  // A reader of shuffled rows, which takes them by number. If the user sets an
  // option that it does not take, headrace.open shuffles in a buffer instead.
  kForNumbered = 1 << 2,
  kForPayloads = 1 << 3,  // a reader of payloads, without decoding them
  kForDecoder = 1 << 4,   // a decoder of payloads
  kForPart = 1 << 5,      // one of the parts that an engine cuts
  kForStats = 1 << 6,     // headrace.stats
  kForFolder = 1 << 7,    // headrace.tfds.open
  kForSplit = 1 << 8,     // headrace.split
  kForMessages = 1 << 9,  // headrace.parse_example and its like
};

struct OptionTakerName {
  OptionTaker taker;
  std::string_view name;
};
inline constexpr OptionTakerName kOptionTakers[] = {
    {kForReader, "reader"},     {kForDataset, "dataset"},
    {kForNumbered, "numbered"}, {kForPayloads, "payloads"},
    {kForDecoder, "decoder"},   {kForPart, "part"},
    {kForStats, "stats"},       {kForFolder, "folder"},
    {kForSplit, "split"},       {kForMessages, "messages"}};

// The whole numbers that an option takes, and a word that it takes instead of
// the number `meaning`.
struct WholeRange {
  uint64_t least = 0;
  uint64_t most = ~uint64_t{0};
  std::string_view word = {};
  uint64_t meaning = 0;
};

// Whether an index is used, and where it is.
struct IndexChoice {
  IndexUse* use;
  std::string* directory;
};

// Which verbs of the program have an option.
enum class OptionVerbs : uint8_t {
  kSome,     // only those that name the option
  kReading,  // all that read records
  kRows,     // all that look into records
};

struct OptionRow {
  std::string_view name = {};
  // OptionTaker bits; 0 if Python has no keyword for the option. For a limit,
  // the takers that have this limit.
  uint32_t takers = 0;
  // The kind of value, if the type of the member does not show it: "flag",
  // "spec", "schema", "dict", "limits", "object", or "limit" for one of the
  // limits.
  std::string_view kind = {};
  std::string_view refusal = {};  // why parts do not take it
  WholeRange range = {};          // of a number
  // The rest is for the program: the text of its help, which is empty if the
  // program does not have the option; the verbs that have the option; and its
  // flag, if that is not "--" and `name`. A flag "--no-..." clears the member.
  std::string_view help = {};
  OptionVerbs verbs = OptionVerbs::kSome;
  std::string_view flag = {};
};

// An option that is not a member of any C++ struct.
struct NoMember {
  void operator()(const NoMember& options) const;
};

// Calls visit(row, pointer) for each row whose member is in `options`, a struct
// such as ReadOptions. For "index", the pointer is an IndexChoice.
template <class Options, class Visit>
void VisitOptions(Options* options, const Visit& visit);
// Calls visit(row) for all rows.
template <class Visit>
void VisitOptionRows(const Visit& visit);

#define HEADRACE_MEMBER(path) \
  [](auto* options) -> decltype(&options->path) { return &options->path; }

// All takers that read records.
inline constexpr uint32_t kForRecords =
    kForReader | kForNumbered | kForPayloads | kForFolder | kForStats;
// Takers of options that say what the records hold; a folder says that itself.
// kForColumns are the takers of options about how to find and decode columns.
inline constexpr uint32_t kForContent =
    kForReader | kForDataset | kForNumbered | kForPart;
inline constexpr uint32_t kForColumns = kForContent | kForFolder;
// All takers that read files.
inline constexpr uint32_t kForFiles = kForRecords | kForDataset | kForPart;
// All takers that make batches of rows.
inline constexpr uint32_t kForBatches = kForReader | kForNumbered | kForFolder;

// Takers that have limits, except kForMessages: messages in memory have only
// some of the limits.
inline constexpr uint32_t kForLimits = kForFiles | kForDecoder;

// A Member is a function from a pointer to a struct to a pointer to one of its
// members. It cannot be called for a struct without that member.
template <class Member>
struct OptionOf {
  OptionRow row;
  Member member;
};
template <class Member>
OptionOf(OptionRow, Member) -> OptionOf<Member>;

inline constexpr std::tuple kOptionTable = {
    // Options about the message of the records, and the columns to decode.
    OptionOf{
        {.name = "message",
         .takers = kForContent,
         .help =
             "The message of the records; auto (default): Examples, or what "
             "the first 100 look like; sequence is sequence_example; "
             "elwc is ExampleListWithContext"},
        HEADRACE_MEMBER(message)},
    OptionOf{{"columns", kForContent}, HEADRACE_MEMBER(features)},
    OptionOf{{"spec", kForContent, "spec"}, NoMember()},
    OptionOf{{"schema", kForContent, "schema"}, NoMember()},
    OptionOf{{"sample", kForColumns}, HEADRACE_MEMBER(sample)},
    OptionOf{{"sample_bytes", kForColumns}, HEADRACE_MEMBER(sample_bytes)},
    OptionOf{{"strict_columns", kForColumns}, HEADRACE_MEMBER(strict_columns)},
    OptionOf{{.name = "on_absent",
              .takers = kForColumns | kForDecoder | kForMessages,
              .help = "What to do about a feature of --spec or --schema that "
                      "the records lack (default warn)"},
             HEADRACE_MEMBER(on_absent)},
    OptionOf{{"verify_unselected", kForColumns | kForDecoder},
             HEADRACE_MEMBER(verify_unselected)},
    OptionOf{{"bytes_as", kForColumns | kForDecoder},
             HEADRACE_MEMBER(bytes_as)},
    // Options about the records and files to read, and how to read them.
    OptionOf{{.name = "threads",
              .takers = kForRecords | kForDataset,
              .refusal = "the engine chooses the threads",
              .help = "Threads that decode, inflate and, to TFRecord, compress "
                      "(default 1); 0 is one per processor"},
             HEADRACE_MEMBER(threads)},
    OptionOf{{.name = "shard",
              .takers = kForRecords,
              .refusal = "the engine cuts the parts"},
             HEADRACE_MEMBER(subshards)},
    OptionOf{{.name = "byte_range",
              .takers = kForReader | kForPayloads | kForStats,
              .refusal = "the engine cuts the parts",
              .help = "Only the records that begin there, of one file; "
                      "headrace split prints ranges",
              .flag = "--range"},
             HEADRACE_MEMBER(range)},
    OptionOf{{"record_ranges"}, HEADRACE_MEMBER(record_ranges)},
    OptionOf{{.name = "compression",
              .takers = kForRecords | kForPart | kForSplit,
              .help = "Of the input (default auto: found from the bytes)"},
             HEADRACE_MEMBER(compression)},
    OptionOf{{.name = "on_corrupt",
              .takers = (kForRecords | kForPart) & ~kForNumbered,
              .help = "What to do about damaged bytes (default fail)",
              .verbs = OptionVerbs::kReading},
             HEADRACE_MEMBER(on_corrupt)},
    OptionOf{{.name = "on_row_error",
              .takers = (kForRecords | kForPart) & ~kForNumbered,
              .help = "What to do about an intact record that does not fit "
                      "(default fail)",
              .verbs = OptionVerbs::kRows},
             HEADRACE_MEMBER(on_row_error)},
    OptionOf{{.name = "max_bad",
              .takers = kForRecords,
              .refusal = "each part would have a count of its own",
              .help = "Skipped regions and rows allowed (default unlimited)",
              .verbs = OptionVerbs::kReading},
             HEADRACE_MEMBER(max_bad)},
    OptionOf{{.name = "verify",
              .takers = kForFiles,
              .help = "Do not check payload CRCs; header CRCs always are",
              .flag = "--no-payload-crc"},
             HEADRACE_MEMBER(verify_payload)},
    OptionOf{{.name = "mmap",
              .takers = kForFiles,
              .help = "Map files instead of reading them; they must not shrink "
                      "meanwhile",
              .verbs = OptionVerbs::kReading},
             HEADRACE_MEMBER(mmap)},
    OptionOf{{"filesystem", kForFiles | kForSplit, "object"}, NoMember()},
    OptionOf{{"storage_options", kForFiles | kForSplit, "dict"}, NoMember()},
    OptionOf{
        {.name = "index",
         .takers = kForFiles | kForSplit,
         .help = "For compressed files: whether to use FILE.hri, which lets "
                 "all threads inflate, if it exists (default auto)"},
        [](auto* options) -> decltype(&options->index_directory,
                                      IndexChoice{&options->index, nullptr}) {
          return {&options->index, &options->index_directory};
        }},
    OptionOf{{.name = "write_index",
              .takers = kForReader | kForPayloads | kForFolder,
              .refusal = "only a reader of whole files writes their indexes",
              .help = "Write FILE.hri of each file that is read as a whole and "
                      "has none"},
             HEADRACE_MEMBER(write_index)},
    OptionOf{{"limits", kForLimits | kForMessages, "limits"}, NoMember()},
    OptionOf{{"max_record_bytes", kForLimits | kForMessages, "limit"},
             HEADRACE_MEMBER(limits.max_record_bytes)},
    OptionOf{{.name = "max_batch_bytes",
              .takers = kForLimits | kForMessages,
              .kind = "limit",
              .help = "Memory of the columns of one batch, and so of one row "
                      "(default 1073741824, 1 GiB)"},
             HEADRACE_MEMBER(limits.max_batch_bytes)},
    OptionOf{{"max_inflated_bytes", kForLimits, "limit"},
             HEADRACE_MEMBER(limits.max_inflated_bytes)},
    OptionOf{{"max_reported", kForLimits & ~kForStats, "limit"},
             HEADRACE_MEMBER(limits.max_reported)},
    // Options about batches.
    OptionOf{{.name = "batch_size",
              .takers = kForBatches,
              .range = {1, kAutoBatchSize - 1, "auto", kAutoBatchSize}},
             HEADRACE_MEMBER(batch_size)},
    OptionOf{{"drop_remainder", kForBatches}, HEADRACE_MEMBER(drop_remainder)},
    OptionOf{{"epochs", kForBatches}, HEADRACE_MEMBER(epochs)},
    OptionOf{{"shuffle", kForBatches, "object"}, NoMember()},
    OptionOf{{"progress", kForBatches | kForDataset, "flag"}, NoMember()},
    OptionOf{{.name = "allocator",
              .takers = kForReader | kForNumbered | kForDataset | kForDecoder,
              .kind = "object",
              .refusal = "an allocator is of one process"},
             NoMember()},
};
#undef HEADRACE_MEMBER

template <class Options, class Visit>
void VisitOptions(Options* options, const Visit& visit) {
  const auto visit_one = [&](const auto& option) {
    if constexpr (std::is_invocable_v<decltype(option.member), Options*>) {
      visit(option.row, option.member(options));
    }
  };
  std::apply([&](const auto&... rows) { (visit_one(rows), ...); },
             kOptionTable);
}

template <class Visit>
void VisitOptionRows(const Visit& visit) {
  std::apply([&](const auto&... rows) { (visit(rows.row), ...); },
             kOptionTable);
}

}  // namespace headrace

#endif  // HEADRACE_SRC_READ_READER_OPTION_TABLE_H_
