// Projection keeps the features of a message that --features names.

#ifndef HEADRACE_SRC_CLI_OUTPUT_PROJECTION_H_
#define HEADRACE_SRC_CLI_OUTPUT_PROJECTION_H_

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "headrace/message.h"
#include "headrace/status.h"

namespace headrace::cli {

class Projection {
 public:
  // If there are no names, everything stays.
  explicit Projection(const std::vector<std::string>& names);

  bool is_everything() const { return seen_.empty(); }
  // Returns whether a feature or a feature list of this name stays, and
  // remembers that a message had it.
  bool Keeps(std::string_view name);
  // Drops features and feature lists whose names were not given.
  void Apply(Message* message);
  // Returns kInvalidArgument, "no `what` has a feature ...", with a similar
  // name, if no message so far had one of the names.
  Status CheckSeen(std::string_view what) const;

 private:
  std::map<std::string, bool> seen_;
  std::set<std::string> dropped_;  // names that messages had, up to a limit
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_PROJECTION_H_
