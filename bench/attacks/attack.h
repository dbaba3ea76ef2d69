// bench_attack measures inputs made to cost much, each beside an ordinary one
// that asks for the same job.

#ifndef HEADRACE_BENCH_ATTACKS_ATTACK_H_
#define HEADRACE_BENCH_ATTACKS_ATTACK_H_

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

struct Work {
  size_t bytes = 0;  // of input
  std::function<Status()> run;
};

// The input has about so many bytes.
using MakeWork = Work (*)(size_t bytes);

struct Attack {
  std::string_view name;
  std::string_view ordinary;  // the input it is compared with
  MakeWork make;
  MakeWork make_ordinary;
};

// These records have odd encodings, repetitions, depths.
std::span<const Attack> RecordAttacks();
// These records change what is learnt from the records before them.
std::span<const Attack> ShapeAttacks();
// These rows have errors, and are skipped.
std::span<const Attack> RowAttacks();
// These names of features share prefixes or places in a table of hashes.
std::span<const Attack> KeyAttacks();
// These files have empty records, damage, gzip members.
std::span<const Attack> FileAttacks();
// These schemas and specs are text.
std::span<const Attack> TextAttacks();

// All records must be right and have these columns.
Work Decoding(std::vector<ColumnField> columns, std::string file);

// Repeats `piece` as often as fits in `bytes`, at least once.
std::string Repeated(std::string_view piece, size_t bytes);

std::string FileOf(std::string_view payload);

}  // namespace headrace::bench

#endif  // HEADRACE_BENCH_ATTACKS_ATTACK_H_
