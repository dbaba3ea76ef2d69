// Parses expressions of splits and slices (rules S1 to S5).

#ifndef HEADRACE_SRC_TFDS_FOLDER_SPLIT_EXPRESSION_H_
#define HEADRACE_SRC_TFDS_FOLDER_SPLIT_EXPRESSION_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "headrace/status.h"
#include "headrace/tfds.h"

namespace headrace::tfds {

// Records [begin, end) of a split.
struct SplitRange {
  size_t split = 0;
  uint64_t begin = 0;
  uint64_t end = 0;
};

// Returns kInvalidArgument if the expression is not valid.
Result<std::vector<SplitRange>> ParseSplits(std::string_view expression,
                                            std::span<const Split> splits);

}  // namespace headrace::tfds

#endif  // HEADRACE_SRC_TFDS_FOLDER_SPLIT_EXPRESSION_H_
