// Names of inputs: files, globs, shard sets.

#ifndef HEADRACE_PATHS_H_
#define HEADRACE_PATHS_H_

#include <span>
#include <string>
#include <vector>

#include "headrace/status.h"

namespace headrace {

// Each pattern is a path, a glob (*, ? and [..], sorted by name; kNotFound when
// nothing matches), `name@1024` (the shard set name-00000-of-01024 ...; an
// extension after the number, name@4.gz, goes behind each:
// name-00000-of-00004.gz) or "-" (standard input, at most once). A path that
// exists is taken as it is, whatever characters it has. Order is kept.
Result<std::vector<std::string>> ExpandPaths(
    std::span<const std::string> patterns);

}  // namespace headrace

#endif  // HEADRACE_PATHS_H_
