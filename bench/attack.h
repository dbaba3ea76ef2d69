// Inputs made to cost much, each beside an ordinary one that asks for the same
// job: what bench_attack measures.

#ifndef HEADRACE_BENCH_ATTACK_H_
#define HEADRACE_BENCH_ATTACK_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/plan.h"
#include "headrace/status.h"

namespace headrace::bench {

// A job with its input.
struct Work {
  size_t bytes = 0;  // of input
  std::function<Status()> run;
};

// Makes an input of about so many bytes.
using MakeWork = Work (*)(size_t bytes);

struct Attack {
  std::string_view name;
  std::string_view ordinary;  // name of the input that it is held against
  MakeWork make;
  MakeWork make_ordinary;
};

// What is in a record: odd encodings, repetitions, depths.
std::span<const Attack> RecordAttacks();
// Names of features that share prefixes or places in a table of hashes.
std::span<const Attack> KeyAttacks();
// Around records: empty ones, damage, gzip members.
std::span<const Attack> FileAttacks();
// Schemas and specs as text.
std::span<const Attack> TextAttacks();

// Decodes a TFRecord file into these columns; all records must be right.
Work Decoding(std::vector<ColumnField> columns, std::string file);

// `piece` as often as fits in `bytes`, at least once.
std::string Repeated(std::string_view piece, size_t bytes);

// A file of one record.
std::string FileOf(std::string_view payload);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_ATTACK_H_
