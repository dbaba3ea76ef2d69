// The input is a TFRecord file: a few bytes of choices, then the file.

#ifndef HEADRACE_FUZZ_FILE_INPUT_H_
#define HEADRACE_FUZZ_FILE_INPUT_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "fuzz/fuzzing.h"

namespace headrace::fuzzing {

inline constexpr size_t kFileChoices = 8;

// The file has a few records with right checksums.
std::string NewFile(Random* random);

// Damages the file, and adds, drops, exchanges or changes records; mostly with
// checksums that are right again, otherwise nothing behind them would ever be
// reached.
std::string ChangeFile(std::string_view input, Random* random);

}  // namespace headrace::fuzzing

#endif  // HEADRACE_FUZZ_FILE_INPUT_H_
