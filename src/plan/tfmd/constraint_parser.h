// Reads the parts of a Schema that statistics are compared with: presence,
// numbers of values, domains, environments, distances. schema_parser.cc makes
// the rest of a Schema.

#ifndef HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_PARSER_H_
#define HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_PARSER_H_

#include "headrace/schema.h"
#include "src/plan/tfmd/parsed_message.h"

namespace headrace::tfmd_forms {

// Moves the constraints out of `message`, which is a Feature.
void TakeConstraints(ParsedMessage* message, tfmd::Feature* feature);
// Does the same for a Schema.
void TakeConstraints(ParsedMessage* message, Schema* schema);

}  // namespace headrace::tfmd_forms

#endif  // HEADRACE_SRC_PLAN_TFMD_CONSTRAINT_PARSER_H_
