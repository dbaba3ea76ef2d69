// Counts values of records, for `schema --domains`.

#ifndef HEADRACE_SRC_CLI_VERBS_DOMAINS_H_
#define HEADRACE_SRC_CLI_VERBS_DOMAINS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "headrace/message.h"
#include "headrace/status.h"
#include "headrace/types.h"

namespace headrace::cli {

class DomainCounter {
 public:
  virtual ~DomainCounter() = default;

  // Adds records of one file, whose payloads have padding. Leaves out malformed
  // ones.
  virtual Status Add(std::string_view file,
                     std::span<const NumberedRecord> records) = 0;
  // Returns the schema of what was counted, with domains, as text.
  virtual std::string SchemaText() const = 0;
};

std::unique_ptr<DomainCounter> CountDomains(MessageType message);

}  // namespace headrace::cli

#endif  // HEADRACE_SRC_CLI_VERBS_DOMAINS_H_
