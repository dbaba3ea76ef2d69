// Judges what bytes are by how they begin, and by whether all of them are valid
// as that.

#ifndef HEADRACE_SRC_STATS_SKETCH_BYTES_LOOK_H_
#define HEADRACE_SRC_STATS_SKETCH_BYTES_LOOK_H_

#include <cstdint>
#include <string_view>

#include "headrace/stats_summary.h"

namespace headrace::stats {

struct Look {
  BytesLook look = BytesLook::kOther;
  uint32_t width = 0;  // of a picture; 0 if its header does not say
  uint32_t height = 0;
};

Look LookAt(std::string_view value);

}  // namespace headrace::stats

#endif  // HEADRACE_SRC_STATS_SKETCH_BYTES_LOOK_H_
