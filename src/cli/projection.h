// Projection: what --features leaves of a message.

#ifndef HEADRACE_SRC_CLI_PROJECTION_H_
#define HEADRACE_SRC_CLI_PROJECTION_H_

#include <map>
#include <string>
#include <vector>

#include "headrace/message.h"

namespace headrace::cli {

class Projection {
 public:
  // No names: everything stays.
  explicit Projection(const std::vector<std::string>& names);

  bool is_everything() const { return seen_.empty(); }
  // Drops features, of a SequenceExample also feature lists, whose name was
  // not given.
  void Apply(Message* message);
  // Names that no message had so far.
  std::vector<std::string> Unseen() const;

 private:
  std::map<std::string, bool> seen_;
};

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_PROJECTION_H_
