// Projection keeps what --features names of a message.

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
  // Without names everything stays.
  explicit Projection(const std::vector<std::string>& names);

  bool is_everything() const { return seen_.empty(); }
  // Whether a feature or a feature list of this name stays. A message had it.
  bool Keeps(std::string_view name);
  // Drops features whose name was not given, and feature lists, too.
  void Apply(Message* message);
  // No message had these names so far.
  std::vector<std::string> Unseen() const;
  // The error, kInvalidArgument, is about the first of them: "no `what` has a
  // feature ...", and which was perhaps meant.
  Status UnseenError(std::string_view what) const;

 private:
  std::map<std::string, bool> seen_;
  std::set<std::string> dropped_;  // names that messages had, up to a limit
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_OUTPUT_PROJECTION_H_
